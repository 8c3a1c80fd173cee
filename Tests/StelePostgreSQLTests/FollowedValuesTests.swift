// Numbers of another program that no attribute holds, and those at the ends of a Decimal.

import SteleGraph
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct FollowedValuesTests: Sendable, FollowsTables {
    private static let creation = """
        CREATE TABLE reading (
          id int PRIMARY KEY, s text, f8 double precision, f4 real, n numeric);
        INSERT INTO reading VALUES (1, 'a', 'Infinity', '-Infinity', 'NaN'),
          (2, 'b', '-Infinity', 'Infinity', 1e165), (3, 'c', 'NaN', 'NaN', -1e999), (4, 'd', 2, 3, 4)
        """

    /// They are null in every request, and the columns keep them until the attributes are changed.
    @Test func numbersThatNoAttributeHoldsAreNullAndStay() throws {
        let shop = try FollowedShop(Self.creation)
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        func count(_ predicate: String) throws -> Int {
            let reader = try store.reader()
            defer { reader.close() }
            var request = FetchRequest(entity: try shop.model.named("Reading"))
            request.predicate = try Predicate(format: predicate)
            return try reader.count(request)
        }
        func numbers() throws -> [String] {
            try shop.sql(
                "SELECT concat_ws(' ', s, f8, f4, n = 1e165, n = -1e999, n = 'NaN') "
                    + "FROM reading ORDER BY id")
        }
        for name in ["f8", "f4", "n"] {
            #expect(try count("\(name) == nil") == 3, "\(name)")
            #expect(try count("\(name) > 5") == 0, "\(name)")
            #expect(try count("\(name) < 1") == 0, "\(name)")
        }
        try save(store) { context in
            for reading in try all("Reading", context) {
                reading["s"] = .string("x")
                // As PUT does with what GET has given.
                for name in ["f8", "f4", "n"] { reading[name] = reading[name] }
            }
        }
        #expect(
            try numbers() == [
                "x Infinity -Infinity f f t", "x -Infinity Infinity t f f", "x NaN NaN f t f",
                "x 2 3 f f f",
            ])
        try save(store) { context in
            for reading in try all("Reading", context) where reading["id"] == .int(1) {
                reading["f8"] = .double(5)
            }
        }
        #expect(try numbers().first == "x 5 -Infinity f f t")
        try shop.sql("UPDATE reading SET f8 = 'Infinity' WHERE id = 4")
        try shop.expectWhole(store)
        #expect(try count("f8 == nil") == 3)
    }

    /// The store and the table have the same number.
    @Test(arguments: [
        "1e-128", "-1e-128", "12345678901234567890123456789012345678e-128",
        "99999999999999999999999999999999999999e127", "-1e127", "0.00123", "0",
    ])
    func aDecimalIsWholeInATable(_ text: String) throws {
        let shop = try FollowedShop(Self.creation)
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let number = try #require(ValueText.value(text, .decimal))
        func reading(_ id: Int64, _ context: ManagedObjectContext) throws -> ManagedObject {
            try #require(try all("Reading", context).first { $0["id"] == .int(id) })
        }
        try save(store) { context in try reading(4, context)["n"] = number }
        #expect(try shop.sql("SELECT n = \(text) FROM reading WHERE id = 4") == ["t"])
        try shop.sql("UPDATE reading SET n = \(text) WHERE id = 1")
        try shop.settle()
        try save(store) { context in
            for id in [1, 4] as [Int64] {
                let stored = try reading(id, context)["n"]
                #expect(stored == number, "\(id)")
            }
        }
    }
}
