import SteleModel

/// The names of a model of tables.
enum TableNaming {
    /// The name of a table's entity: `order_items` is `OrderItems`.
    static func entity(_ table: String) -> String {
        valid(words(table).map(capitalized).joined(), or: "Table")
    }

    /// The name of a column's attribute: `created_at` is `createdAt`.
    static func property(_ column: String) -> String {
        let words = words(column)
        let first = words.first.map(lowercased) ?? ""
        return valid(first + words.dropFirst().map(capitalized).joined(), or: "column")
    }

    /// The name of the relationship of a foreign key with one column: `team_id` is `team`. Nil for
    /// several columns, and where no name is left.
    static func reference(_ columns: [String]) -> String? {
        guard columns.count == 1, let column = columns.first else { return nil }
        let ending = ["_uuid", "_id", "_fk", "id"].first { column.lowercased().hasSuffix($0) }
        let plain = String(column.dropLast(ending?.count ?? 0))
        return words(plain).isEmpty ? nil : property(plain)
    }

    /// The name with its first letter in upper case.
    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }

    /// The name with its first letter in lower case.
    static func lowercased(_ name: String) -> String {
        name.prefix(1).lowercased() + name.dropFirst()
    }

    /// The parts of a name between all that no name of a model has. A name in upper case alone has
    /// them in lower case.
    private static func words(_ name: String) -> [String] {
        let plain = name == name.uppercased() ? name.lowercased() : name
        return plain.unicodeScalars
            .split { $0 == "_" || !Identifier.canContinue($0) }.map { String($0) }
    }

    /// The name as a name of a model.
    /// - Parameter kind: what comes before a name that does not begin with a letter.
    private static func valid(_ name: String, or kind: String) -> String {
        var scalars = String.UnicodeScalarView()
        // Some letters have another case of several characters.
        scalars.append(contentsOf: name.unicodeScalars.filter(Identifier.canContinue))
        let begins = scalars.first.map(Identifier.canBegin) ?? false
        return (begins ? "" : kind) + String(scalars)
    }

    /// The names that Xcode refuses for properties: methods without arguments of NSObject and
    /// NSManagedObject, and of others that their names stand for.
    static let reserved: Set = [
        "alloc", "attributeKeys", "autoContentAccessingProxy", "autorelease", "awakeFromFetch",
        "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "class",
        "classCode", "classDescription", "classForArchiver", "classForCoder",
        "classForKeyedArchiver", "classForPortCoder", "className", "copy", "dealloc",
        "debugDescription", "deleted", "description", "didSave", "didTurnIntoFault", "entity",
        "fault", "faultingState", "finalize", "hasChanges", "hasPersistentChangedValues", "hash",
        "hashValue", "init", "initialize", "inserted", "isDeleted", "isFault", "isInserted",
        "isProxy", "isUpdated", "load", "managedObjectContext", "mutableCopy", "new", "objectID",
        "objectSpecifier", "objectWillChange", "observationInfo", "prepareForDeletion", "release",
        "retain", "retainCount", "scriptingProperties", "self", "superclass",
        "toManyRelationshipKeys", "toOneRelationshipKeys", "updated", "validateForDelete",
        "validateForInsert", "validateForUpdate", "willSave", "willTurnIntoFault", "zone",
    ]
}

/// Names of which no two are equal when case is ignored, because each is the name of a table or
/// column in upper case in a store.
struct DistinctNames {
    private let reserved: Set<String>
    private var used: Set<String> = []
    /// A column's name in PostgreSQL has 63 bytes, of which a store has some for itself.
    private static let bytes = 55

    init(reserved: Set<String> = []) { self.reserved = reserved }

    /// Takes the first name that is free, or else the last one with a number.
    mutating func take(_ wanted: [String]) -> String {
        let names = wanted.map(Self.shortened)
        let last = names.last ?? ""
        var name = names.first(where: isFree) ?? last
        var number = 2
        while !isFree(name) {
            name = last + String(number)
            number += 1
        }
        used.insert(name.uppercased())
        return name
    }

    private func isFree(_ name: String) -> Bool {
        !reserved.contains(name) && !used.contains(name.uppercased())
    }

    private static func shortened(_ name: String) -> String {
        var scalars = name.unicodeScalars[...]
        while String(scalars).uppercased().utf8.count > bytes { scalars = scalars.dropLast() }
        return String(scalars)
    }
}
