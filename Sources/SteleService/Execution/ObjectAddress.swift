/// Addresses of objects inside bodies: `Person/42`, as an object's own address, too.

import SteleModel
import SteleRequests

/// Reads addresses for one model.
struct ObjectAddress {
    let model: Model
    /// What addresses may begin with, such as `/api`.
    let basePath: String
    /// What temporary ids have become; nil where there are none.
    let temporaries: TemporaryIDs?

    /// The object that a text names.
    /// - Throws: `Problem` for what is no address, and for an entity that there is not.
    func read(_ address: String) throws -> Owner {
        var rest = Substring(address)
        if !basePath.isEmpty, rest.hasPrefix(basePath + "/") {
            rest = rest.dropFirst(basePath.count)
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        if parts.first == "" { parts.removeFirst() }
        if parts.count == 3, parts.first == "entities" { parts.removeFirst() }
        guard parts.count == 2, let key = key(parts[1]) else {
            throw Problem(
                .body, "object is no address of an object: \(address.prefix(100))",
                hint: "it is the entity and the id, such as \"Person/42\"")
        }
        let entity = try entity(String(parts[0]))
        return Owner(
            entity: entity, key: temporaries?.current(key, root: entity.root) ?? key)
    }

    private func key(_ text: Substring) -> Int64? {
        if temporaries != nil, let key = TemporaryID.key(text) { return key }
        guard let key = Int64(text), key > 0, text == String(key) else { return nil }
        return key
    }

    /// The entity of a name.
    func entity(_ name: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        throw Problem(
            .wrongEntity, "the model \(model.name) has no entity \(name.prefix(60))",
            hint: Nearest.hint(to: name, among: model.entities.map(\.name)))
    }
}
