// Written by stele model swift from the model Drawing: Rectangle.
// It is generated from the model. Put code of your own into another file.

import Stele

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
