// Written by stele model swift from the model Drawing: Canvas.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Canvas: ManagedObject {}

nonisolated extension Canvas {
    public var height: Double {
        get { attribute(forKey: "height") ?? 0 }
        set { setAttribute(newValue, forKey: "height") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var width: Double {
        get { attribute(forKey: "width") ?? 0 }
        set { setAttribute(newValue, forKey: "width") }
    }

    public var shapes: [Shape] {
        get throws { try members(forKey: "shapes") }
    }

    public func setShapes(_ values: [Shape]) throws {
        try setMembers(values, forKey: "shapes")
    }

    public func addToShapes(_ value: Shape) throws {
        try addMembers([value], forKey: "shapes")
    }

    public func addToShapes(_ values: [Shape]) throws {
        try addMembers(values, forKey: "shapes")
    }

    public func removeFromShapes(_ value: Shape) throws {
        try removeMembers([value], forKey: "shapes")
    }

    public func removeFromShapes(_ values: [Shape]) throws {
        try removeMembers(values, forKey: "shapes")
    }

    public func insertIntoShapes(_ value: Shape, at index: Int) throws {
        try insertMembers([value], forKey: "shapes", at: index)
    }

    public func insertIntoShapes(_ values: [Shape], at index: Int) throws {
        try insertMembers(values, forKey: "shapes", at: index)
    }

    public func removeFromShapes(at index: Int) throws {
        try removeMember(forKey: "shapes", at: index)
    }

    public func replaceShapes(at index: Int, with value: Shape) throws {
        try replaceMember(forKey: "shapes", at: index, with: value)
    }
}

nonisolated extension ObjectKeys where Object == Canvas {
    public var height: AttributeKey<Double> { self[attribute: "height"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var width: AttributeKey<Double> { self[attribute: "width"] }
    public var shapes: ToManyKeys<Shape> { self[toMany: "shapes"] }
}
