/// Random models: a few families of entities, attributes of all kinds, relationships of all kinds.

import SteleModel
import TestSupport

/// Makes one model's declaration.
struct SampleModel {
    private var numbers: SeededNumbers
    private var entities: [EntityDescription] = []
    private var count = 0

    /// The same for the same seed.
    /// - Parameter change: makes something of it that the differential test does not use.
    static func make(
        seed: UInt64, _ change: (inout ManagedObjectModel) throws -> Void = { _ in }
    ) throws -> Model {
        var maker = SampleModel(numbers: SeededNumbers(seed: seed))
        var model = ManagedObjectModel(name: "Sample")
        model.entities = maker.made()
        try change(&model)
        return try Model(model)
    }

    private mutating func made() -> [EntityDescription] {
        add("A", parent: nil)
        if !numbers.one(in: 3) { add("AB", parent: "A") }
        if numbers.one(in: 2) { add("ABC", parent: entities.count > 1 ? "AB" : "A") }
        add("D", parent: nil)
        if numbers.one(in: 3) { add("DE", parent: "D") }
        if numbers.one(in: 2) { add("F", parent: nil) }
        entities[0].isAbstract =
            entities.count > 1 && entities[1].parentName == "A"
            && numbers.one(in: 6)
        for _ in 0..<(4 + numbers.below(5)) { relate() }
        return entities
    }

    private mutating func add(_ name: String, parent: String?) {
        var entity = EntityDescription(name: name)
        entity.parentName = parent
        let kinds: [(String, AttributeType)] = [
            ("name", .string), ("small", .integer16), ("middle", .integer32), ("large", .integer64),
            ("real", .double), ("wildReal", .double), ("narrow", .float), ("wildNarrow", .float),
            ("price", .decimal), ("wildPrice", .decimal), ("flag", .boolean), ("born", .date),
            ("code", .uuid), ("title", .string), ("bytes", .binary), ("link", .uri),
            ("vastReal", .double),
        ]
        for (index, (key, type)) in kinds.enumerated() {
            // Names are a family's: what a parent has, a child cannot have again.
            if index > 0, numbers.one(in: parent == nil ? 3 : 2) { continue }
            var it = AttributeDescription(
                name: parent == nil ? key : "\(key)\(name)", type: type)
            it.isOptional = !numbers.one(in: 5)
            entity.properties.append(.attribute(it))
        }
        if numbers.one(in: 2) {
            var index = FetchIndexDescription(name: "byName\(name)")
            index.elements = [.init(propertyName: parent == nil ? "name" : "name\(name)")]
            entity.fetchIndexes.append(index)
        }
        entities.append(entity)
    }

    private mutating func relate() {
        let (a, b) = (numbers.below(entities.count), numbers.below(entities.count))
        let forth = "r\(count)"
        let back = "s\(count)"
        count += 1
        switch numbers.below(8) {
        case 0, 1: pair(a, forth, false, b, back, true)
        case 2, 3: pair(a, forth, true, b, back, true)
        case 4: pair(a, forth, false, b, back, false)
        case 5: append(a, forth, b, isToMany: false, inverse: nil)
        case 6: append(a, forth, b, isToMany: true, inverse: nil)
        default: append(a, forth, a, isToMany: true, inverse: forth)
        }
    }

    private mutating func pair(
        _ a: Int, _ forth: String, _ isMany: Bool, _ b: Int, _ back: String, _ isManyBack: Bool
    ) {
        append(a, forth, b, isToMany: isMany, inverse: back)
        append(b, back, a, isToMany: isManyBack, inverse: forth)
    }

    private mutating func append(
        _ owner: Int, _ name: String, _ destination: Int, isToMany: Bool, inverse: String?
    ) {
        var it = RelationshipDescription(
            name: name, destinationName: entities[destination].name)
        it.inverseName = inverse
        it.inverseEntityName = inverse == nil ? nil : entities[destination].name
        it.isOptional = true
        it.isToMany = isToMany
        it.isOrdered = isToMany && numbers.one(in: 3)
        it.maximumCount = isToMany ? 0 : 1
        entities[owner].properties.append(.relationship(it))
    }
}
