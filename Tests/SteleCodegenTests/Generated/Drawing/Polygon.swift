// Written by stele model swift from the model Drawing: Polygon.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Polygon: Shape {}

nonisolated extension Polygon {
    public var vertices: [Vertex] {
        get throws { try members(forKey: "vertices") }
    }

    public func setVertices(_ values: [Vertex]) throws {
        try setMembers(values, forKey: "vertices")
    }

    public func addToVertices(_ value: Vertex) throws {
        try addMembers([value], forKey: "vertices")
    }

    public func addToVertices(_ values: [Vertex]) throws {
        try addMembers(values, forKey: "vertices")
    }

    public func removeFromVertices(_ value: Vertex) throws {
        try removeMembers([value], forKey: "vertices")
    }

    public func removeFromVertices(_ values: [Vertex]) throws {
        try removeMembers(values, forKey: "vertices")
    }

    public func insertIntoVertices(_ value: Vertex, at index: Int) throws {
        try insertMembers([value], forKey: "vertices", at: index)
    }

    public func insertIntoVertices(_ values: [Vertex], at index: Int) throws {
        try insertMembers(values, forKey: "vertices", at: index)
    }

    public func removeFromVertices(at index: Int) throws {
        try removeMember(forKey: "vertices", at: index)
    }

    public func replaceVertices(at index: Int, with value: Vertex) throws {
        try replaceMember(forKey: "vertices", at: index, with: value)
    }
}

nonisolated extension ObjectKeys where Object == Polygon {
    public var vertices: ToManyKeys<Vertex> { self[toMany: "vertices"] }
}
