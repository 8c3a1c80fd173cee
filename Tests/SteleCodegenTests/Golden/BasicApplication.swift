// Written by stele model swift from the model BasicApplication: Event.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Event: ManagedObject {}

extension Event {
    public var timeStamp: Date? {
        get { attribute(forKey: "timeStamp") }
        set { setAttribute(newValue, forKey: "timeStamp") }
    }
}

// Written by stele model swift from the model BasicApplication: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum BasicApplicationModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Event", Event.self,
            [
                "timeStamp": .attribute(.date)
            ]),
    ]
}
