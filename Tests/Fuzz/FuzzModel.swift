/// The model and the objects that targets are tried on.

import FoundationEssentials
import SteleModel
import StelePersistence
import SteleGraph
import SteleSQLite
import SteleTransformers

/// A store of every kind of attribute, with values at the ends of what they hold.
final class FuzzStore {
    let model: Model
    let coordinator: PersistentStoreCoordinator
    private let folder: String?

    /// - Parameter inMemory: whether the store is the one in memory, else one in SQLite.
    init(inMemory: Bool) throws {
        ValueTransformers.registerStandard()
        model = try Model(ManagedObjectModel(json: Array(Self.declaration.utf8), name: "Fuzz"))
        if inMemory {
            folder = nil
            coordinator = PersistentStoreCoordinator(store: InMemoryStore(model: model))
        } else {
            let name = "stele-fuzz-\(String(UInt64.random(in: 0...(.max)), radix: 36))"
            let path = FileManager.default.temporaryDirectory.appending(path: name).path
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            folder = path
            coordinator = PersistentStoreCoordinator(
                store: try SQLiteStore.open(path: path + "/store.sqlite", model: model))
        }
        try fill()
    }

    deinit {
        coordinator.store.close()
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    private func fill() throws {
        guard let item = model.entity(named: "Item"), let tag = model.entity(named: "Tag") else {
            throw FuzzFinding("the model has lost its entities")
        }
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        let items = try (0..<4).map { _ in try context.insert(item) }
        let tags = try (0..<2).map { _ in try context.insert(tag) }
        let values: [(String, [Value])] = [
            ("name", [.string("Ann"), .string(""), .string("k\u{212A}é\u{301}")]),
            ("small", [.int(32_767), .int(-32_768), .int(0)]),
            ("middle", [.int(2_147_483_647), .int(-2_147_483_648), .int(7)]),
            ("large", [.int(.max), .int(.min), .int(3)]),
            ("real", [.double(1e308), .double(-.leastNonzeroMagnitude), .double(0.5)]),
            ("narrow", [.double(Double(Float.greatestFiniteMagnitude)), .double(0), .double(1.5)]),
            ("price", ["99999999999999999999999999999999999999", "1e-128", "-12.5"].map(decimal)),
            ("flag", [.bool(true), .bool(false), .null]),
            ("born", [.date(2.9e18), .date(-62_135_769_600), .date(0.25)]),
            ("code", [.uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))), .null]),
            ("bytes", [.data([0, 1, 255]), .data([]), .null]),
            ("extra", [.data(Array(#"{"a":[1,2.5,null]}"#.utf8)), .null]),
        ]
        for (key, all) in values {
            for (index, value) in all.enumerated() { set(key, value, items[index]) }
        }
        for (index, tag) in tags.enumerated() {
            set("name", .string("t\(index)"), tag)
            try add("tags", tag, to: items[0])
        }
        try add("parts", items[1], to: items[0])
        try add("parts", items[2], to: items[0])
        try context.save()
        // A second save, so that there is a history.
        set("name", .string("later"), items[3])
        try context.save()
    }

    private func set(_ key: String, _ value: Value, _ object: ManagedObject) {
        if let it = object.entity.attribute(named: key) { object.setValue(value, for: it) }
    }

    private func add(_ key: String, _ member: ManagedObject, to object: ManagedObject) throws {
        if let it = object.entity.relationship(named: key) { try object.addMember(it, member) }
    }

    private func decimal(_ text: String) -> Value {
        DecimalText.parse(text.utf8).map { .decimal($0) } ?? .null
    }

    static let declaration = """
        {"name": "Fuzz",
         "composites": [{"name": "Place", "attributes": [
           {"name": "city", "type": "String"}, {"name": "zip", "type": "Integer 32", "minimum": 1}]}],
         "entities": [
          {"name": "Item",
           "attributes": [
             {"name": "name", "type": "String", "maximum": 100},
             {"name": "plain", "type": "String", "derivation": "canonical:(name)"},
             {"name": "partCount", "type": "Integer 32", "derivation": "parts.@count"},
             {"name": "small", "type": "Integer 16"}, {"name": "middle", "type": "Integer 32"},
             {"name": "large", "type": "Integer 64"}, {"name": "real", "type": "Double"},
             {"name": "narrow", "type": "Float"}, {"name": "price", "type": "Decimal"},
             {"name": "flag", "type": "Boolean"}, {"name": "born", "type": "Date"},
             {"name": "code", "type": "UUID"}, {"name": "link", "type": "URI"},
             {"name": "bytes", "type": "Binary"},
             {"name": "photo", "type": "Binary", "externalStorage": true},
             {"name": "extra", "type": "Transformable"},
             {"name": "archive", "type": "Transformable",
              "valueTransformer": "NSSecureUnarchiveFromData"},
             {"name": "home", "type": "Composite", "composite": "Place"}],
           "relationships": [
             {"name": "whole", "destination": "Item", "inverse": "parts"},
             {"name": "parts", "destination": "Item", "inverse": "whole", "toMany": true,
              "ordered": true},
             {"name": "tags", "destination": "Tag", "inverse": "items", "toMany": true}],
           "fetchedProperties": [
             {"name": "others", "fetchRequest": {"entity": "Item",
              "predicate": "small > $FETCH_SOURCE.small"}}],
           "indexes": [{"name": "byName", "elements": ["name", "born"]}]},
          {"name": "Sub", "parent": "Item", "attributes": [{"name": "note", "type": "String"}]},
          {"name": "Tag", "attributes": [{"name": "name", "type": "String", "optional": false}],
           "relationships": [
             {"name": "items", "destination": "Item", "inverse": "tags", "toMany": true}],
           "uniquenessConstraints": [["name"]]}],
         "fetchRequests": [
          {"name": "above", "entity": "Item", "predicate": "small > $MIN AND name != $NAME",
           "fetchLimit": 5}]}
        """
}
