/// The model of the feed's tests, and changes of its objects.

import SteleModel
import StelePersistence
import TestSupport

/// Person (name, salary, team), Employee below it, and Team (name, members, and where it is wanted
/// the derived size).
struct Staff: Sendable {
    let model: Model
    let person: Entity
    let employee: Entity
    let team: Entity

    init(derivesSizes: Bool = false) throws {
        var team = EntityMaker("Team").attribute("name", .string)
            .toMany("members", "Person", inverse: "team")
        if derivesSizes {
            team = team.attribute("size", .integer32) {
                $0.derivationExpression = "members.@count"
            }
        }
        model = try makeModel(
            name: "Staff",
            [
                EntityMaker("Person").attribute("name", .string).attribute("salary", .double)
                    .toOne("team", "Team", inverse: "members"),
                EntityMaker("Employee", parent: "Person"), team,
            ])
        person = try model.named("Person")
        employee = try model.named("Employee")
        self.team = try model.named("Team")
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
