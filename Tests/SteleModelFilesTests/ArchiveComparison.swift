// Two archives of one model, compared object by object.

import SteleModel

/// Walks through an archive that Apple's tools made and through ours at the same time, from the
/// root, and lists every difference: of classes and superclasses, of keys, and of values.
///
/// These are not compared, each for a reason:
///
/// - the versions of the compiler, which Stele is not;
/// - the class of a list or dictionary that may change or not, which depends on what made it;
/// - in a store's cache, the properties that an entity inherits, which the framework repeats in
///   each subentity and the compiler does not, and empty lists of indexes, which it adds;
/// - what only a program's model has: sort descriptors, default values of the app's own classes,
///   validation in another form, -1 for a to-many without a bound, no version identifier;
/// - TRUE in a predicate, which is printed as 1, and has been read as a text;
/// - the exponent and length of a decimal zero, which a Decimal does not keep.
struct ArchiveComparison {
    private(set) var differences: [String] = []
    /// How many objects were compared.
    private(set) var compared = 0
    private let theirs: KeyedArchive
    private let ours: KeyedArchive
    private var visited: Set<[Int]> = []

    init(_ theirs: KeyedArchive, _ ours: KeyedArchive) {
        self.theirs = theirs
        self.ours = ours
    }

    mutating func run() { compare(.uid(theirs.root), .uid(ours.root), "model") }

    private static let compiler: Set<String> = [
        "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
    ]
    private static let ofPrograms: Set<String> = [
        "NSSortDescriptors", "NSValidationPredicates", "NSValidationWarnings",
    ]

    private mutating func compare(_ a: PropertyList?, _ b: PropertyList?, _ path: String) {
        guard let a, let b else {
            if a != b { differences.append("\(path): \(Self.text(a)) and \(Self.text(b))") }
            return
        }
        guard let first = a.uid, let second = b.uid else {
            if case (.array(let x), .array(let y)) = (a, b) { return list(x, y, path) }
            if !Self.isSame(a, b, path) {
                differences.append("\(path): \(Self.text(a)) and \(Self.text(b))")
            }
            return
        }
        guard visited.insert([first, second]).inserted else { return }
        if (first == 0) != (second == 0) {
            return differences.append("\(path): only one is nil")
        }
        guard let x = theirs[first], let y = ours[second] else {
            return differences.append("\(path): there is no object")
        }
        guard theirs.className(of: x) != nil || ours.className(of: y) != nil else {
            return compare(x, y, path)
        }
        object(x, y, path)
    }

    private static func isSame(_ a: PropertyList, _ b: PropertyList, _ path: String) -> Bool {
        if path.hasSuffix(".NSMaxCount"), a == -1, b == 0 { return true }
        if path.hasSuffix(".NSConstantValue"), a == true, b == 1 { return true }
        return a == b
    }

    private static func text(_ value: PropertyList?) -> String {
        value.map { "\($0)" } ?? "nothing"
    }

    private mutating func object(_ x: PropertyList, _ y: PropertyList, _ path: String) {
        let (a, b) = (Self.hierarchy(x, theirs), Self.hierarchy(y, ours))
        if a.contains("NSDictionary"), b.contains("NSDictionary") {
            return dictionary(x, y, path)
        }
        compared += 1
        let isList = a.contains("NSArray") && b.contains("NSArray")
        if a != b, !isList { return differences.append("\(path): the classes \(a) and \(b)") }
        if a.first == "NSSet" { return set(x, y, path) }
        if isDecimalZero(x), isDecimalZero(y) { return }
        let keys = (Self.keys(x), Self.keys(y))
        for key in keys.0.union(keys.1).sorted() where !Self.compiler.contains(key) {
            let (left, right) = (x[key], y[key])
            if isEmptyListOfIndexes(key, left), right == nil { continue }
            if Self.ofPrograms.contains(key), isOfProgram(left) { continue }
            if key == "NSDefaultValue", isForeign(left), right?.uid == 0 { continue }
            compare(left, right, "\(path).\(key)")
        }
    }

    private static func hierarchy(_ object: PropertyList, _ archive: KeyedArchive) -> [String] {
        let its = object["$class"]?.uid.flatMap { archive[$0] }
        return its?["$classes"]?.array?.compactMap(\.string) ?? []
    }

    private static func keys(_ object: PropertyList) -> Set<String> {
        Set((object.entries ?? []).map(\.key)).subtracting(["$class"])
    }

    private func isDecimalZero(_ object: PropertyList) -> Bool {
        object["NS.mantissa"]?.data?.allSatisfy { $0 == 0 } ?? false
    }

    private func isEmptyListOfIndexes(_ key: String, _ value: PropertyList?) -> Bool {
        let list = value?.uid.flatMap { theirs[$0] }?["NS.objects"]?.array
        return ["NSCompoundIndexes", "NSFetchIndexDescriptions"].contains(key) && list == []
    }

    /// Whether there is a value. Only a program has set one in the files that are compared.
    private func isOfProgram(_ value: PropertyList?) -> Bool { value?.uid ?? 0 != 0 }

    private func isForeign(_ value: PropertyList?) -> Bool {
        let its = value?.uid.flatMap { theirs[$0] }.flatMap { theirs.className(of: $0) }
        return its.map { !$0.hasPrefix("NS") } ?? false
    }

    // MARK: Collections

    private mutating func list(_ x: [PropertyList], _ y: [PropertyList], _ path: String) {
        if x.count != y.count {
            return differences.append("\(path): \(x.count) and \(y.count) elements")
        }
        for (place, pair) in zip(x, y).enumerated() {
            compare(pair.0, pair.1, "\(path)[\(place)]")
        }
    }

    /// Members by their text, or by the name of an entity.
    private mutating func set(_ x: PropertyList, _ y: PropertyList, _ path: String) {
        func members(_ object: PropertyList, _ archive: KeyedArchive) -> [String: PropertyList] {
            var found: [String: PropertyList] = [:]
            for member in object["NS.objects"]?.array ?? [] {
                let value = member.uid.flatMap { archive[$0] }
                let name = value?["NSEntityName"]?.uid.flatMap { archive[$0] } ?? value
                found[name.flatMap { archive.text($0) } ?? "?"] = member
            }
            return found
        }
        let (a, b) = (members(x, theirs), members(y, ours))
        if path.hasSuffix("NSVersionIdentifiers"), a.isEmpty, b.keys.sorted() == [""] { return }
        for key in Set(a.keys).union(b.keys).sorted() { compare(a[key], b[key], "\(path){\(key)}") }
    }

    private mutating func dictionary(_ x: PropertyList, _ y: PropertyList, _ path: String) {
        let (a, b) = (Self.entries(x, theirs), Self.entries(y, ours))
        let isCache =
            Self.hierarchy(
                theirs[theirs.root].flatMap { root in
                    root["NSEntities"]?.uid.flatMap { theirs[$0] }
                } ?? false, theirs
            ).first == "NSKnownKeysDictionary1"
        for key in Set(a.keys).union(b.keys).sorted() {
            if isCache, path.hasSuffix(".NSProperties"), b[key] == nil { continue }
            compare(a[key], b[key], "\(path){\(key)}")
        }
    }

    private static func entries(
        _ object: PropertyList, _ archive: KeyedArchive
    ) -> [String: PropertyList] {
        func elements(_ list: PropertyList?) -> [PropertyList] {
            list?.uid.flatMap { archive[$0] }?["NS.objects"]?.array ?? []
        }
        var (keys, values) = (object["NS.keys"]?.array ?? [], object["NS.objects"]?.array ?? [])
        if let strategy = object["searchMapping"]?.uid.flatMap({ archive[$0] }) {
            (keys, values) = (elements(strategy["keys"]), elements(object["values"]))
        }
        return Dictionary(
            zip(keys, values).map { key, value in
                (key.uid.flatMap { archive[$0] }.flatMap { archive.text($0) } ?? "?", value)
            }, uniquingKeysWith: { first, _ in first })
    }
}
