// Written by stele model swift from the model Drawing: Vertex.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Vertex: ManagedObject {}

nonisolated extension Vertex {
    public var x: Double {
        get { attribute(forKey: "x") ?? 0 }
        set { setAttribute(newValue, forKey: "x") }
    }

    public var y: Double {
        get { attribute(forKey: "y") ?? 0 }
        set { setAttribute(newValue, forKey: "y") }
    }

    public var polygon: Polygon? {
        get { object(forKey: "polygon") }
        set { setObject(newValue, forKey: "polygon") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setPolygon(_ value: Polygon?) throws {
        try setDestination(value, forKey: "polygon")
    }
}

nonisolated extension ObjectKeys where Object == Vertex {
    public var x: AttributeKey<Double> { self[attribute: "x"] }
    public var y: AttributeKey<Double> { self[attribute: "y"] }
    public var polygon: ObjectKeys<Polygon> { self[toOne: "polygon"] }
}
