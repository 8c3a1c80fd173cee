// Written by stele model swift from the model Drawing: Circle.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Circle: Shape {}

nonisolated extension Circle {
    public var radius: Double {
        get { attribute(forKey: "radius") ?? 0 }
        set { setAttribute(newValue, forKey: "radius") }
    }

    public var x: Double {
        get { attribute(forKey: "x") ?? 0 }
        set { setAttribute(newValue, forKey: "x") }
    }

    public var y: Double {
        get { attribute(forKey: "y") ?? 0 }
        set { setAttribute(newValue, forKey: "y") }
    }
}

nonisolated extension ObjectKeys where Object == Circle {
    public var radius: AttributeKey<Double> { self[attribute: "radius"] }
    public var x: AttributeKey<Double> { self[attribute: "x"] }
    public var y: AttributeKey<Double> { self[attribute: "y"] }
}
