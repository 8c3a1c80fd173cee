// Written by stele model swift from the model League: Player.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Player: ManagedObject {}

nonisolated extension Player {
    public var country: String? {
        get { attribute(forKey: "country") }
        set { setAttribute(newValue, forKey: "country") }
    }

    public var goals: Int32 {
        get { attribute(forKey: "goals") ?? 0 }
        set { setAttribute(newValue, forKey: "goals") }
    }

    public var joinedAt: Date? {
        get { attribute(forKey: "joinedAt") }
        set { setAttribute(newValue, forKey: "joinedAt") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var number: Int16? {
        get { attribute(forKey: "number") }
        set { setAttribute(newValue, forKey: "number") }
    }

    public var salary: Decimal? {
        get { attribute(forKey: "salary") }
        set { setAttribute(newValue, forKey: "salary") }
    }

    public var team: Team? {
        get { object(forKey: "team") }
        set { setObject(newValue, forKey: "team") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setTeam(_ value: Team?) throws {
        try setDestination(value, forKey: "team")
    }
}

nonisolated extension ObjectKeys where Object == Player {
    public var country: AttributeKey<String> { self[attribute: "country"] }
    public var goals: AttributeKey<Int32> { self[attribute: "goals"] }
    public var joinedAt: AttributeKey<Date> { self[attribute: "joinedAt"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var number: AttributeKey<Int16> { self[attribute: "number"] }
    public var salary: AttributeKey<Decimal> { self[attribute: "salary"] }
    public var team: ObjectKeys<Team> { self[toOne: "team"] }
}
