// Written by stele model swift from the model Drawing: Transform.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Transform: ManagedObject {}

nonisolated extension Transform {
    public var rotation: Float {
        get { attribute(forKey: "rotation") ?? 0 }
        set { setAttribute(newValue, forKey: "rotation") }
    }

    public var scale: Float {
        get { attribute(forKey: "scale") ?? 0 }
        set { setAttribute(newValue, forKey: "scale") }
    }

    public var translateX: Double {
        get { attribute(forKey: "translateX") ?? 0 }
        set { setAttribute(newValue, forKey: "translateX") }
    }

    public var translateY: Double {
        get { attribute(forKey: "translateY") ?? 0 }
        set { setAttribute(newValue, forKey: "translateY") }
    }

    public var shape: Shape? {
        get { object(forKey: "shape") }
        set { setObject(newValue, forKey: "shape") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setShape(_ value: Shape?) throws {
        try setDestination(value, forKey: "shape")
    }
}

nonisolated extension ObjectKeys where Object == Transform {
    public var rotation: AttributeKey<Float> { self[attribute: "rotation"] }
    public var scale: AttributeKey<Float> { self[attribute: "scale"] }
    public var translateX: AttributeKey<Double> { self[attribute: "translateX"] }
    public var translateY: AttributeKey<Double> { self[attribute: "translateY"] }
    public var shape: ObjectKeys<Shape> { self[toOne: "shape"] }
}
