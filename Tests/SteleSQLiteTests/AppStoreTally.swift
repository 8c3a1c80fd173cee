/// What a store gives, compared with what plain SQL finds in its file.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

/// What was compared, and what differs.
struct AppStoreTally {
    var entities = 0
    var objects = 0
    var values = 0
    var relationships = 0
    var differences: [String] = []
}

extension AppStoreTally {
    /// Compares every object of a store with what the plain reader finds.
    init(_ store: any PersistentStore, _ plain: PlainReader) throws {
        let reader = try store.reader()
        defer { reader.close() }
        for entity in plain.model.entities {
            var request = FetchRequest(entity: entity)
            request.includesSubentities = false
            let found = try reader.fetch(request)
            let keys = try plain.keys(entity)
            if found.map(\.key).sorted() != keys {
                differences.append("\(entity.name): \(found.count) objects, \(keys.count) by SQL")
            }
            entities += 1
            objects += keys.count
            if keys.isEmpty { continue }
            for (slot, property) in entity.slots.enumerated() {
                if property.isTransient { continue }
                let column = try plain.column("Z" + property.name.uppercased(), entity)
                for object in found {
                    values += 1
                    let (ours, theirs) = (object.values[slot], column[object.key] ?? "nothing")
                    if !Self.isEqual(ours, theirs) {
                        differences.append(
                            "\(entity.name) \(object.key).\(property.name): \(ours), \(theirs)")
                    }
                    if case .relationship = property { relationships += 1 }
                }
            }
            let versions = try plain.column("Z_OPT", entity)
            for object in found where versions[object.key] != "\(object.version)" {
                differences.append("\(entity.name) \(object.key): version \(object.version)")
            }
            for it in entity.toManys {
                let members = try reader.members(of: it, owners: keys)
                for key in keys {
                    relationships += 1
                    var (ours, theirs) = (members[key] ?? [], try plain.members(it, of: key))
                    if !it.isOrdered { (ours, theirs) = (ours.sorted(), theirs.sorted()) }
                    if ours != theirs {
                        differences.append("\(entity.name) \(key).\(it.name): \(ours), \(theirs)")
                    }
                }
            }
        }
    }

    /// Whether a value is what a column has, as SQLite quotes it.
    private static func isEqual(_ value: Value, _ quoted: String) -> Bool {
        func number() -> Double? { Double(quoted) }
        switch value {
        case .null: return quoted == "NULL"
        case .int(let it), .key(let it): return quoted == "\(it)"
        case .bool(let it): return quoted == (it ? "1" : "0")
        case .double(let it), .date(let it): return number() == it
        case .decimal(let it): return number() == Double(it.description)
        case .string(let it):
            return quoted == "'\(it.replacingOccurrences(of: "'", with: "''"))'"
        case .uuid(let it):
            return quoted == "X'\(it.uuidString.replacingOccurrences(of: "-", with: ""))'"
        case .data(let it):
            return quoted == "X'\(it.map { String(format: "%02X", $0) }.joined())'"
        case .external(let it): return quoted.contains(hex("\u{2}\(it.identifier.uuidString)"))
        }
    }

    private static func hex(_ text: String) -> String {
        text.utf8.map { String(format: "%02X", $0) }.joined()
    }
}
