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
        get throws { try destination(forKey: "canvas") }
    }

    public func setCanvas(_ value: Canvas?) throws {
        try setDestination(value, forKey: "canvas")
    }

    public var transform: Transform? {
        get throws { try destination(forKey: "transform") }
    }

    public func setTransform(_ value: Transform?) throws {
        try setDestination(value, forKey: "transform")
    }
}
