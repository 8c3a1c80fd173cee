// Two models, compared field by field.

import SteleModel
import StelePredicates

/// Every field of a model as text, by its path, such as `entities.Car.properties.color.type`.
struct ModelFacts {
    private(set) var facts: [String: String] = [:]

    init(_ model: ManagedObjectModel) { add(model, at: "") }

    /// The first field in which two models differ, in a sentence; nil if they are equal.
    static func difference(_ a: ManagedObjectModel, _ b: ManagedObjectModel) -> String? {
        let (left, right) = (ModelFacts(a).facts, ModelFacts(b).facts)
        for path in Set(left.keys).union(right.keys).sorted() where left[path] != right[path] {
            return "\(path): \(left[path] ?? "absent") and \(right[path] ?? "absent")"
        }
        // The order of lists is in no path.
        return a == b ? nil : "the models differ in an order"
    }

    private mutating func add(_ value: Any, at path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            if let inner = mirror.children.first { return add(inner.value, at: path) }
            facts[path] = "nil"
        case .collection:
            for (place, child) in mirror.children.enumerated() {
                add(child.value, at: "\(path).\(Self.name(of: child.value) ?? String(place))")
            }
        case .struct where !(value is String):
            for child in mirror.children { add(child.value, at: "\(path).\(child.label ?? "")") }
        case .enum where value is PropertyDescription:
            facts[path + ".kind"] = mirror.children.first?.label ?? ""
            if let inner = mirror.children.first { add(inner.value, at: path) }
        default: facts[path] = String(describing: value)
        }
    }

    private static func name(of value: Any) -> String? {
        switch value {
        case let it as PropertyDescription: it.name
        case let it as UserInfoEntry: it.key
        default: Mirror(reflecting: value).children.first { $0.label == "name" }?.value as? String
        }
    }
}

extension ManagedObjectModel {
    /// The model without what only the editor keeps, which no archive has: tool attributes and
    /// elements (such as display strings of dates, and the layout of the diagram), the
    /// generation of code, `syncable`, scalar types, `storedInTruthFile`, and every order but that
    /// of the elements of indexes and constraints. Predicates are in the form that is printed.
    func withoutTheEditors() throws -> ManagedObjectModel {
        var model = self
        (model.toolAttributes, model.toolElements) = ([], [])
        for place in model.entities.indices {
            model.entities[place].codeGenerationType = nil
            model.entities[place].isSyncable = false
            model.entities[place].toolAttributes = []
            model.entities[place].toolElements = []
            model.entities[place].userInfo.sort { $0.key < $1.key }
            model.entities[place].properties = try model.entities[place].properties.map {
                try $0.withoutTheEditors()
            }.sorted { ($0.kind, $0.name) < ($1.kind, $1.name) }
        }
        model.entities.sort { $0.name < $1.name }
        model.fetchRequestTemplates = try model.fetchRequestTemplates.map { try $0.compiled() }
            .sorted { $0.name < $1.name }
        model.configurations.sort { $0.name < $1.name }
        for place in model.configurations.indices {
            model.configurations[place].entityNames.sort()
        }
        return model
    }

    /// The model without composite types and attributes, which no archive has.
    func withoutComposites() -> ManagedObjectModel {
        var model = self
        model.composites = []
        return model.withEntities { entity in
            let names = entity.properties.compactMap { property in
                if case .attribute(let it) = property, it.type == .composite {
                    it.name
                } else {
                    nil
                }
            }
            entity.properties.removeAll { names.contains($0.name) }
        }
    }

    /// The model after a change of every entity.
    func withEntities(_ change: (inout EntityDescription) -> Void) -> ManagedObjectModel {
        var model = self
        for place in model.entities.indices { change(&model.entities[place]) }
        return model
    }
}

extension PropertyDescription {
    /// The place of the kind in Xcode's order.
    var kind: Int {
        switch self {
        case .attribute: 0
        case .relationship: 1
        case .fetchedProperty: 2
        }
    }

    fileprivate func withoutTheEditors() throws -> PropertyDescription {
        switch self {
        case .attribute(var it):
            it.isSyncable = false
            (it.toolAttributes, it.toolElements) = ([], [])
            it.usesScalarValueType = nil
            it.isStoredInTruthFile = false
            it.userInfo.sort { $0.key < $1.key }
            return .attribute(it)
        case .relationship(var it):
            it.isSyncable = false
            (it.toolAttributes, it.toolElements) = ([], [])
            it.userInfo.sort { $0.key < $1.key }
            return .relationship(it)
        case .fetchedProperty(var it):
            it.isSyncable = false
            (it.toolAttributes, it.toolElements) = ([], [])
            it.userInfo.sort { $0.key < $1.key }
            it.request = try it.request.compiled()
            // An archive has no name of it; Xcode always writes this one.
            it.request.name = ContentsFormat.fetchedPropertyRequestName
            return .fetchedProperty(it)
        }
    }
}

extension FetchRequestTemplate {
    /// The request as the compiler makes it: it does not unset what NSFetchRequest sets, so that
    /// four flags do not depend on the file.
    fileprivate func compiled() throws -> FetchRequestTemplate {
        var request = self
        request.predicateFormat = try predicateFormat.map {
            try Predicate(format: $0).predicateFormat
        }
        request.includesSubentities = true
        request.includesPropertyValues = resultType != .objectIDs
        request.includesPendingChanges = resultType != .dictionaries
        request.returnsObjectsAsFaults = true
        // Flags that the source says although they are usual.
        request.toolAttributes = []
        return request
    }
}
