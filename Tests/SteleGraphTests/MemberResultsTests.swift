// Results that belong to an object: the members of a relationship, the objects of a fetched
// property.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct MemberResultsTests {
    /// A relationship of an owner, and the entity of its members.
    struct Case: Sendable, CustomTestStringConvertible {
        let owner: String
        let relationship: String
        let members: String
        var testDescription: String { "\(owner).\(relationship)" }
    }

    static let cases = [
        Case(owner: "Team", relationship: "players", members: "Person"),
        Case(owner: "Person", relationship: "tags", members: "Tag"),
        Case(owner: "Person", relationship: "friends", members: "Person"),
        Case(owner: "Playlist", relationship: "songs", members: "Song"),
        Case(owner: "Playlist", relationship: "genres", members: "Genre"),
        Case(owner: "Box", relationship: "items", members: "Item"),
    ]

    /// The differences lead to the members, which are computed without a request: by the links of
    /// the owner, the names of the members, and their places.
    @Test(arguments: StoreKind.allCases, cases)
    func eachDifferenceLeadsToTheMembers(_ kind: StoreKind, _ one: Case) throws {
        var numbers = SeededNumbers(seed: drawSeed("\(one.owner).\(one.relationship), \(kind)"))
        let fixture = try Fixture(makeLeague(), kind)
        let entity = try fixture.entity(one.owner)
        let relationship = try #require(entity.relationship(named: one.relationship))
        let context = fixture.context()
        let owners = try (0..<2).map { _ in try context.insert(entity) }
        try context.save()
        let owner = ResultsOwner(owners[0].objectID, entity: entity, relationship: relationship)
        let members = try fixture.entity(one.members)
        var followers = try Self.shapes.map { shape -> (shape: Shape, results: FetchedResults) in
            let query = try shape.query(members, owner, fixture.model)
            return (shape, try fixture.read { try FetchedResults(query, $0) })
        }
        var keys = followers.map(\.results.keys)
        var token = try fixture.read { try $0.token }
        var told = 0
        for _ in 0..<60 {
            try Self.change(owners, relationship, members, context, &numbers)
            try context.save()
            try fixture.read { reader in
                let view = SavesView(
                    after: token, try reader.history(after: token, limit: .max, values: true)
                ) { reader }
                for index in followers.indices {
                    for difference in try followers[index].results.advance(in: view) {
                        keys[index] = difference.applied(to: keys[index])
                        told += 1
                        #expect(difference.moves.count <= 2, "more rows move than were moved")
                    }
                    let expected = try followers[index].shape.keys(owners[0], relationship)
                    #expect(keys[index] == expected, "\(followers[index].shape)")
                    #expect(followers[index].results.keys == expected)
                }
                token = view.token
            }
        }
        #expect(told > 30)
        try context.delete(owners[0])
        try context.save()
        try fixture.read { reader in
            let saves = try reader.history(after: token, limit: .max, values: true)
            for index in followers.indices {
                let view = SavesView(after: token, saves) { reader }
                #expect(throws: ResultsError.ownerDeleted(owner.id)) {
                    try followers[index].results.advance(in: view)
                }
                #expect(throws: ResultsError.ownerDeleted(owner.id)) {
                    try FetchedResults(followers[index].results.query, reader)
                }
            }
        }
    }

    /// A condition on the name, an order and a window.
    struct Shape: Sendable {
        var least = ""
        var isByName = false
        var limit: Int?
        var offset = 0

        func query(_ entity: Entity, _ owner: ResultsOwner, _ model: Model) throws -> ResultsQuery {
            var request = FetchRequest(entity: entity)
            if !least.isEmpty { request.predicate = try Predicate(format: "name >= \"\(least)\"") }
            if isByName { request.sortDescriptors = try SortList("-name").descriptors }
            request.fetchLimit = limit
            request.fetchOffset = offset
            return ResultsQuery(try request.checked(in: model), of: owner, model: model)
        }

        func keys(_ owner: ManagedObject, _ relationship: Relationship) throws -> [Int64] {
            var members = try owner.members(relationship)
            if !relationship.isOrdered { members.sort { $0.objectID.key < $1.objectID.key } }
            var named = members.map { member -> (key: Int64, name: String) in
                guard case .string(let name) = member["name"] else {
                    return (member.objectID.key, "")
                }
                return (member.objectID.key, name)
            }
            named.removeAll { $0.name < least }
            // `sorted` keeps the order of equal elements.
            if isByName { named.sort { $0.name > $1.name } }
            return named.dropFirst(offset).prefix(limit ?? .max).map(\.key)
        }
    }

    static let shapes = [
        Shape(), Shape(least: "b"), Shape(isByName: true), Shape(limit: 3),
        Shape(least: "b", isByName: true, limit: 2, offset: 1),
    ]

    /// One random change of the members of two owners.
    private static func change(
        _ owners: [ManagedObject], _ relationship: Relationship, _ entity: Entity,
        _ context: ManagedObjectContext, _ numbers: inout SeededNumbers
    ) throws {
        let name = relationship.name
        let owner = owners[Int.random(in: 0..<4, using: &numbers) == 0 ? 1 : 0]
        let members = try owner.members(relationship)
        let all = try context.fetch(FetchRequest(entity: entity)).filter { !owners.contains($0) }
        func letter() -> Value {
            .string(["a", "b", "c"].randomElement(using: &numbers) ?? "")
        }
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0, 1, 2:
            let made = try context.insert(entity)
            made["name"] = letter()
            let place = Int.random(in: 0...members.count, using: &numbers)
            try owner.add(name, made, at: relationship.isOrdered ? place : nil)
        case 3: members.randomElement(using: &numbers)?["name"] = letter()
        case 4: if let member = all.randomElement(using: &numbers) { try owner.add(name, member) }
        case 5:
            if let member = members.randomElement(using: &numbers) {
                try owner.remove(name, member)
            }
        case 6:
            if all.count > 6, let it = all.randomElement(using: &numbers) { try context.delete(it) }
        default:
            guard relationship.isOrdered, members.count > 1 else { return }
            var order = members
            let from = Int.random(in: order.indices, using: &numbers)
            let moved = order.remove(at: from)
            order.insert(moved, at: Int.random(in: 0...order.count, using: &numbers))
            try owner.setMembers(relationship, order)
        }
    }
}
