// The names of a model of tables, and defaults.

import SteleModel
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite struct TableNamesTests {
    @Test func defaultsThatAreNoConstantsAreNone() {
        func value(_ expression: String, _ type: String) -> Value? {
            CatalogColumn(
                name: "a", type: type, baseType: type, labels: [], length: nil, isRequired: true,
                defaultExpression: expression, isGenerated: false, isIdentityAlways: false
            ).constantDefault
        }
        #expect(value("'-5'::integer", "int4") == .int(-5))
        #expect(value("(5)::bigint", "int8") == .int(5))
        #expect(value("(- 1)", "int2") == .int(-1))
        #expect(value("70000", "int2") == nil)
        #expect(value("(1 + 2)", "int4") == nil)
        #expect(value("nextval('a_seq'::regclass)", "int4") == nil)
        #expect(value("'1.50'::numeric(10,2)", "numeric") == .decimal(1.5))
        #expect(value("'NaN'::numeric", "numeric") == nil)
        #expect(value("'Infinity'::double precision", "float8") == nil)
        #expect(value("false", "bool") == .bool(false))
        #expect(value("(now() > '2020-01-01'::date)", "bool") == nil)
        #expect(value(#"'a''b\c'::character varying"#, "varchar") == .string(#"a'b\c"#))
        #expect(value("('a'::text || 'b'::text)", "text") == nil)
        #expect(value("'a'::text || 'b'::text", "text") == nil)
        #expect(value("CURRENT_USER", "text") == nil)
        #expect(value("now()", "timestamptz") == nil)
    }

    /// Whatever names tables and columns have, those of the model are valid.
    @Test func namesAreValidAtRandom() throws {
        var random = SeededNumbers(seed: drawSeed("namesAreValidAtRandom"))
        for _ in 0..<300 {
            let tables = Self.tables(&random)
            let made = TableModel(tables, name: "Random")
            _ = try Model(made.model)
            let (read, notes) = try ContentsReader.read(made.model.xml(), name: "Random", place: "")
            #expect(read == made.model && notes.isEmpty, "\(notes)")
        }
    }

    private static let parts = [
        "a", "A", "id", "_id", "_", " ", "2", "ID", "hash", "self", "é", "e\u{301}", "\u{301}",
        "ß", "İ", "ŉ", "ﬁ", "顧客", "٣", "\"", "'", "-", ".", "\n", "\u{1}", ",", "?", "😀", "ǆ",
        "description", "version", "_pk", "opt", "ent", "\u{345}", "object_id", "Team", "team",
    ]

    private static func tables(_ random: inout SeededNumbers) -> [CatalogTable] {
        var names: Set<TableName> = []
        for _ in 0..<random.below(8) + 1 {
            names.insert(TableName(schema: "public", name: Self.name(&random)))
        }
        let sorted = names.sorted { $0.name < $1.name }
        return sorted.map { name in
            var seen: Set<[UInt8]> = []
            var columns: [String] = []
            for _ in 0..<random.below(8) + 1 {
                let column = Self.name(&random)
                if seen.insert(Array(column.utf8)).inserted { columns.append(column) }
            }
            let keys = (0..<random.below(4)).map { number in
                let own = columns.filter { _ in random.one(in: 3) }
                return CatalogForeignKey(
                    name: "f\(number)", columns: own.isEmpty ? [columns[0]] : own,
                    table: random.pick(sorted, or: name), referenced: own, onDelete: .cascade)
            }
            let key = random.one(in: 2) ? columns : [columns[0]]
            return CatalogTable(
                name: name, columns: columns.map { Self.column($0, &random) }, key: key,
                uniques: [columns.filter { _ in random.one(in: 2) }], foreignKeys: keys)
        }
    }

    private static func name(_ random: inout SeededNumbers) -> String {
        (0..<random.below(random.one(in: 9) ? 40 : 4) + 1).map { _ in
            random.pick(parts, or: "")
        }.joined()
    }

    private static func column(_ name: String, _ random: inout SeededNumbers) -> CatalogColumn {
        let type = random.pick("int4", "text", "bool", "numeric", "mood")
        return CatalogColumn(
            name: name, type: type, baseType: type,
            labels: type == "mood" ? [Self.name(&random), "a"] : [], length: nil,
            isRequired: random.one(in: 2),
            defaultExpression: random.one(in: 2) ? "'\(Self.name(&random))'::text" : nil,
            isGenerated: random.one(in: 9), isIdentityAlways: false)
    }
}
