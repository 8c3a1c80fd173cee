// Written by stele model swift from the model Drawing: Rectangle.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Rectangle: Shape {}

nonisolated extension Rectangle {
    public var height: Double {
        get { attribute(forKey: "height") ?? 0 }
        set { setAttribute(newValue, forKey: "height") }
    }

    public var width: Double {
        get { attribute(forKey: "width") ?? 0 }
        set { setAttribute(newValue, forKey: "width") }
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

nonisolated extension ObjectKeys where Object == Rectangle {
    public var height: AttributeKey<Double> { self[attribute: "height"] }
    public var width: AttributeKey<Double> { self[attribute: "width"] }
    public var x: AttributeKey<Double> { self[attribute: "x"] }
    public var y: AttributeKey<Double> { self[attribute: "y"] }
}
