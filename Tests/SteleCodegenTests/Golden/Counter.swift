// Written by stele model swift from the model Counter: MyData.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class MyData: ManagedObject {}

extension MyData {
    public var myAttribute: String? {
        get { attribute(forKey: "myAttribute") }
        set { setAttribute(newValue, forKey: "myAttribute") }
    }
}

// Written by stele model swift from the model Counter: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum CounterModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "MyData", MyData.self,
            [
                "myAttribute": .attribute(.string)
            ]),
    ]
}
