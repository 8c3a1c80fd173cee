/// Archives of models with composite attributes, which `CompiledModelWriter` does not write.

import SteleModel
import SteleModelFiles

/// The archive of a model with its composite attributes in the form that Core Data's classes
/// suggest: an object of NSCompositeAttributeDescription with a list of NSAttributeDescription. No
/// archive that the framework made was at hand, so the key of the list is any.
package func compositeArchive(_ model: ManagedObjectModel, key: String) throws -> [UInt8] {
    var folding = CompositeFolding(model, key: key)
    return try folding.bytes()
}

private struct CompositeFolding {
    private let model: ManagedObjectModel
    private let types: [String: [AttributeDescription]]
    private let key: String
    private var objects: [PropertyList] = []

    init(_ model: ManagedObjectModel, key: String) {
        self.model = model
        self.key = key
        types = Dictionary(uniqueKeysWithValues: model.composites.map { ($0.name, $0.attributes) })
    }

    mutating func bytes() throws -> [UInt8] {
        var flat = model
        flat.composites = []
        for place in flat.entities.indices {
            flat.entities[place].properties = model.entities[place].properties.flatMap { property in
                guard case .attribute(let it) = property else { return [property] }
                return spread(it, it.name).map { .attribute($0) }
            }
        }
        let list = try PropertyList.read(CompiledModelWriter.bytes(of: Model(flat)), place: "")
        objects = list["$objects"]?.array ?? []
        for entity in model.entities { fold(entity) }
        return BinaryPropertyListWriter.bytes(list.setting("$objects", .array(objects)))
    }

    private func elements(_ attribute: AttributeDescription) -> [AttributeDescription] {
        attribute.compositeName.flatMap { types[$0] } ?? []
    }

    /// A composite attribute as a plain one, with its elements after it.
    private func spread(_ it: AttributeDescription, _ path: String) -> [AttributeDescription] {
        var own = it
        own.name = path
        if it.type == .composite { (own.type, own.compositeName) = (.binary, nil) }
        return [own] + elements(it).flatMap { spread($0, "\(path)__\($0.name)") }
    }

    private mutating func fold(_ entity: EntityDescription) {
        guard
            let own = objects.first(where: { object in
                object["NSEntityName"]?.uid.flatMap { objects[$0].string } == entity.name
            }), let place = own["NSProperties"]?.uid,
            let keys = objects[place]["NS.keys"]?.array,
            let values = objects[place]["NS.objects"]?.array
        else { return }
        let named = Dictionary(
            uniqueKeysWithValues: zip(keys, values).map { (objects[$0.uid ?? 0].string ?? "", $1) })
        for case .attribute(let it) in entity.properties where it.type == .composite {
            fold(it, it.name, named)
        }
        let kept = zip(keys, values).filter {
            objects[$0.0.uid ?? 0].string?.contains("__") == false
        }
        objects[place] = objects[place].setting("NS.keys", .array(kept.map(\.0)))
            .setting("NS.objects", .array(kept.map(\.1)))
    }

    private mutating func fold(
        _ it: AttributeDescription, _ path: String, _ named: [String: PropertyList]
    ) {
        guard let place = named[path]?.uid else { return }
        var members: [PropertyList] = []
        for element in elements(it) {
            let inner = "\(path)__\(element.name)"
            guard let member = named[inner]?.uid else { continue }
            if element.type == .composite { fold(element, inner, named) }
            let name = add(.string(element.name))
            objects[member] = objects[member].setting("NSPropertyName", name)
                .setting("NSRenamingIdentifier", name)
            members.append(.uid(member))
        }
        let list = add([
            "$class": classObject("NSArray", "NSObject"), "NS.objects": .array(members),
        ])
        objects[place] = objects[place].setting("NSAttributeType", 2100).setting(key, list)
            .setting(
                "$class",
                classObject(
                    "NSCompositeAttributeDescription", "NSAttributeDescription",
                    "NSPropertyDescription", "NSObject"))
    }

    private mutating func classObject(_ names: String...) -> PropertyList {
        add(["$classname": .string(names[0]), "$classes": .array(names.map { .string($0) })])
    }

    private mutating func add(_ object: PropertyList) -> PropertyList {
        objects.append(object)
        return .uid(objects.count - 1)
    }
}

extension PropertyList {
    /// A dictionary with another value for a key.
    fileprivate func setting(_ key: String, _ value: PropertyList) -> PropertyList {
        .dictionary((entries ?? []).filter { $0.key != key } + [Entry(key: key, value: value)])
    }
}
