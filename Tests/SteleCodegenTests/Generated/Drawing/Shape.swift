// Written by stele model swift from the model Drawing: Shape.
// It is generated from the model. Put code of your own into another file.

public import Stele

open nonisolated class Shape: ManagedObject {}

nonisolated extension Shape {
    public var color: String? {
        get { attribute(forKey: "color") }
        set { setAttribute(newValue, forKey: "color") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var canvas: Canvas? {
        get { object(forKey: "canvas") }
        set { setObject(newValue, forKey: "canvas") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setCanvas(_ value: Canvas?) throws {
        try setDestination(value, forKey: "canvas")
    }

    public var transform: Transform? {
        get { object(forKey: "transform") }
        set { setObject(newValue, forKey: "transform") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setTransform(_ value: Transform?) throws {
        try setDestination(value, forKey: "transform")
    }
}

nonisolated extension ObjectKeys where Object: Shape {
    public var color: AttributeKey<String> { self[attribute: "color"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var canvas: ObjectKeys<Canvas> { self[toOne: "canvas"] }
    public var transform: ObjectKeys<Transform> { self[toOne: "transform"] }
}
