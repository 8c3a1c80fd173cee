/// The model of the feed's tests, and changes of its objects.

import SteleModel
import StelePersistence

/// Person (name, salary, team), Employee below it, and Team (name, members, and where it is wanted
/// the derived size).
struct Staff: Sendable {
    let model: Model
    let person: Entity
    let employee: Entity
    let team: Entity

    init(derivesSizes: Bool = false) throws {
        var person = EntityDescription(name: "Person")
        var name = AttributeDescription(name: "name", type: .string)
        name.isOptional = true
        var salary = AttributeDescription(name: "salary", type: .double)
        salary.isOptional = true
        var toTeam = RelationshipDescription(name: "team", destinationName: "Team")
        toTeam.isOptional = true
        toTeam.maximumCount = 1
        toTeam.inverseName = "members"
        toTeam.inverseEntityName = "Team"
        person.properties = [.attribute(name), .attribute(salary), .relationship(toTeam)]
        var employee = EntityDescription(name: "Employee")
        employee.parentName = "Person"
        var team = EntityDescription(name: "Team")
        var members = RelationshipDescription(name: "members", destinationName: "Person")
        members.isOptional = true
        members.isToMany = true
        members.inverseName = "team"
        members.inverseEntityName = "Person"
        team.properties = [.attribute(name), .relationship(members)]
        if derivesSizes {
            var size = AttributeDescription(name: "size", type: .integer32)
            size.isOptional = true
            size.derivationExpression = "members.@count"
            team.properties.append(.attribute(size))
        }
        var declaration = ManagedObjectModel(name: "Staff")
        declaration.entities = [person, employee, team]
        model = try Model(declaration)
        self.person = model.entities[try Self.index("Person", model)]
        self.employee = model.entities[try Self.index("Employee", model)]
        self.team = model.entities[try Self.index("Team", model)]
    }

    private struct Missing: Error {}

    private static func index(_ name: String, _ model: Model) throws -> Int {
        guard let entity = model.entity(named: name) else { throw Missing() }
        return entity.index
    }

    /// An object of an entity whose text attributes are that name and whose numbers are 1.5.
    func snapshot(_ entity: Entity, _ key: Int64, _ version: Int64, name: String) -> Snapshot {
        let values: [Value] = entity.slots.map { slot in
            switch slot {
            case .attribute(let it): it.type == .string ? .string(name) : .double(1.5)
            default: .key(3)
            }
        }
        return Snapshot(entity: entity.index, key: key, version: version, values: values)
    }

    func insert(_ entity: Entity, _ key: Int64, name: String = "Ann") -> HistoryChange {
        HistoryChange(
            kind: .insert, entity: entity.index, key: key, version: 1,
            snapshot: snapshot(entity, key, 1, name: name))
    }

    func update(
        _ entity: Entity, _ key: Int64, version: Int64 = 2, before: [BeforeValue]?
    ) -> HistoryChange {
        HistoryChange(
            kind: .update, entity: entity.index, key: key, version: version, before: before,
            snapshot: snapshot(entity, key, version, name: "Bo"))
    }

    func delete(_ entity: Entity, _ key: Int64) -> HistoryChange {
        HistoryChange(
            kind: .delete, entity: entity.index, key: key, version: 4,
            snapshot: snapshot(entity, key, 4, name: "Cy"))
    }

    /// The slot of the attribute of that name.
    func slot(_ name: String, _ entity: Entity) -> Int {
        entity.slots.firstIndex { $0.name == name } ?? -1
    }
}
