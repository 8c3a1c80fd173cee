// A model of all that a store can hold, and objects of it.

import FoundationEssentials
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

/// Entities with all attribute types, inheritance and all kinds of relationships.
func allTypesModel() throws -> Model {
    let address = CompositeDescription(
        "Address",
        [
            AttributeDescription(optional: "city", .string),
            AttributeDescription(optional: "number", .integer32),
        ])
    return try makeModel(
        [
            EntityMaker("Thing", isAbstract: true)
                .attribute("name", .string)
                .attribute("small", .integer16).attribute("medium", .integer32)
                .attribute("large", .integer64)
                .attribute("price", .decimal).attribute("ratio", .double)
                .attribute("share", .float).attribute("isOpen", .boolean)
                .attribute("madeAt", .date).attribute("picture", .binary)
                .attribute("serial", .uuid).attribute("link", .uri)
                .attribute("place", .composite) { $0.compositeName = "Address" }
                .toMany("notes", "Note", inverse: "thing", rule: .cascade, ordered: true)
                .toMany("tags", "Tag", inverse: "things"),
            EntityMaker("Box", parent: "Thing")
                .attribute("label", .string)
                .toOne("twin", "Box", inverse: "twin")
                .toMany("friends", "Box", inverse: "friends")
                .toMany("line", "Thing", ordered: true),
            EntityMaker("Chest", parent: "Box").attribute("depth", .double),
            EntityMaker("Note")
                .attribute("text", .string)
                .toOne("thing", "Thing", inverse: "notes")
                .toOne("about", "Tag"),
            EntityMaker("Tag")
                .attribute("name", .string)
                .toMany("things", "Thing", inverse: "tags", ordered: true),
        ], composites: [address])
}

/// A store with its coordinator.
final class Stage: GraphFixture {
    let coordinator: PersistentStoreCoordinator

    init(_ store: any PersistentStore) { coordinator = PersistentStoreCoordinator(store: store) }

    convenience init(_ kind: StoreKind, _ model: Model, at path: String) throws {
        self.init(try kind.open(model, at: path))
    }

    func close() { coordinator.store.close() }

    /// All objects as the store has them, by root entity and key.
    func objects() throws -> [StoredObject] {
        try read { reader in
            var found: [StoredObject] = []
            for entity in model.entities where entity.root == entity.index {
                for row in try reader.fetch(FetchRequest(entity: entity)) {
                    let toManys = try model.entities[row.entity].toManys.map {
                        try reader.members(of: $0, owners: [row.key])[row.key] ?? []
                    }
                    found.append(StoredObject(snapshot: row, toManys: toManys))
                }
            }
            return found
        }
    }
}

extension Stage {
    /// Texts with everything that a format could take for its own.
    static let texts = [
        "", " ", "a|b=c,d\\e", "\\n", "line\nfeed\r\nand return\r", "#stele", "null", "\\",
        "\u{0}\u{1}\u{7}\u{1B}\u{7F}\u{85}\u{2028}", "e\u{301}é", "<a b=\"c\">&amp;]]></a>",
        "\u{FFFD}\u{FFFE}\u{10FFFF}", "🧱👩‍👩‍👧", "\t tab \t", "\\u3c00",
    ]

    /// Inserts objects with extreme values and all kinds of links.
    /// - Parameter kinds: the stores that the objects are for. PostgreSQL has no text with U+0000.
    func fill(for kinds: StoreKind...) throws {
        let texts =
            kinds.contains(.postgresql)
            ? Self.texts.map { $0.replacing("\0", with: "") } : Self.texts
        try change { context in
            let tags = try texts.map { text in
                let tag = try context.insert(try entity("Tag"))
                tag["name"] = .string(text)
                return tag
            }
            let empty = try context.insert(try entity("Box"))
            let boxes = try (0..<6).map { index in
                let box = try context.insert(try entity(index.isMultiple(of: 2) ? "Box" : "Chest"))
                try set(box, index, texts)
                return box
            }
            try boxes[0].replace("tags", Array(tags[0..<5]))
            try boxes[1].replace("tags", Array(tags[3..<9]))
            try boxes[0].replace("friends", [boxes[0], boxes[1], boxes[2]])
            try boxes[3].replace("friends", [boxes[2]])
            try boxes[4].set("twin", boxes[5])
            try boxes[0].replace("line", [boxes[5], empty, boxes[1]])
            for (index, text) in texts.enumerated() {
                let note = try context.insert(try entity("Note"))
                note["text"] = .string(text)
                try note.set("about", tags[index])
                if index < 9 { try note.set("thing", boxes[index % 2]) }
            }
            try context.save()
            // A second version, and an order that is not that of the keys.
            try tags[4].replace("things", [boxes[1], boxes[0]])
            boxes[2]["label"] = .string("again")
        }
    }

    private func set(_ box: ManagedObject, _ index: Int, _ texts: [String]) throws {
        let greatest = DecimalText.parse("99999999999999999999999999999999999999".utf8)
        let decimals = ["0", "-0.1", "12.50", "1e-100", "1e100", "0.12345678901234567890123456789"]
        box["name"] = .string(texts[index])
        box["small"] = .int([.zero, 1, -1, 32_767, -32_768, 42][index])
        box["medium"] = .int([0, 1, -1, Int64(Int32.max), Int64(Int32.min), 42][index])
        box["large"] = .int([0, 1, -1, .max, .min, 1 << 53 + 1][index])
        box["price"] = .decimal(
            index == 5 ? greatest ?? 0 : DecimalText.parse(decimals[index].utf8) ?? 0)
        box["ratio"] = .double(
            [0, 0.1, -1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e22][index])
        box["share"] = .double(
            Double([0, Float(0.1), .greatestFiniteMagnitude, -1, 3, 0.3][index]))
        box["isOpen"] = .bool(index.isMultiple(of: 2))
        box["madeAt"] = .date([0, 785_412_000.1234, -1e15, 0.1 + 0.2, 2.5e18, -0.5][index])
        box["picture"] = .data((0..<index * 50).map { UInt8(truncatingIfNeeded: $0) })
        box["serial"] = .uuid(UUID())
        box["link"] = .string("https://a.example/\(index)?a=b,c&d=%7C")
        box["place.city"] = .string(texts[index + 6])
        box["place.number"] = .int(Int64(index))
    }
}

/// The code and message of `StoreError.incompatible`; "accepted" where nothing is thrown.
func refusal(of work: () throws -> Void) -> (code: Int, message: String) {
    do {
        try work()
        return (0, "accepted")
    } catch let error as StoreError {
        guard case .incompatible(let code, let message) = error else { return (0, "\(error)") }
        return (code, message)
    } catch {
        return (0, "\(error)")
    }
}
