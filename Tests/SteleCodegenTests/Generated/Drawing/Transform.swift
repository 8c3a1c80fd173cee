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
        get throws { try destination(forKey: "shape") }
    }

    public func setShape(_ value: Shape?) throws {
        try setDestination(value, forKey: "shape")
    }
}
