/// Addresses of objects in bodies: `Person/42`, or the address of an object's route.

import SteleModel
import SteleRequests

/// Reads the addresses of a model's objects.
struct AddressReader {
    let model: Model
    /// The prefix that addresses may have, such as `/api`.
    let basePath: String
    /// The permanent ids of temporary ones; nil outside editing contexts.
    let temporaries: TemporaryIDs?

    /// The object that an address names.
    /// - Throws: `Problem` for text that is not an address, and for an unknown entity.
    func read(_ address: String) throws -> ObjectAddress {
        var rest = Substring(address)
        if !basePath.isEmpty, rest.hasPrefix(basePath + "/") {
            rest = rest.dropFirst(basePath.count)
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        if parts.first == "" { parts.removeFirst() }
        if parts.count == 3, parts.first == "entities" { parts.removeFirst() }
        guard parts.count == 2, let key = key(parts[1]) else {
            throw Problem(
                .body, "object must be the address of an object, not \(address.prefix(100))",
                hint: "an address has the entity and the id, such as \"Person/42\"")
        }
        let entity = try entity(String(parts[0]))
        return ObjectAddress(entity, key: temporaries?.current(key, root: entity.root) ?? key)
    }

    private func key(_ text: Substring) -> Int64? {
        if temporaries != nil, let key = TemporaryID.key(text) { return key }
        guard let key = Int64(text), key > 0, text == String(key) else { return nil }
        return key
    }

    func entity(_ name: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        throw Problem(
            .wrongEntity, "the model \(model.name) has no entity \(name.prefix(60))",
            hint: Nearest.hint(to: name, among: model.entities.map(\.name)))
    }
}
