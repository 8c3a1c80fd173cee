// Routes below an entity: ids, relationships and counts. Also the methods that routes take.

import SteleModel

extension Routes {
    /// The route that the segments after an entity name.
    /// - Parameter isEditing: whether temporary ids are accepted.
    func data(
        _ entity: Entity, _ rest: ArraySlice<String>, isEditing: Bool = false
    ) throws -> (Route.Resource, RoutePattern) {
        guard let second = rest.first else { return (.list(entity), .list) }
        if rest.count == 1, second == "count" { return (.count(entity), .count) }
        if rest.count == 1, second == "query" { return (.query(entity), .query) }
        guard let key = try id(second, isEditing) else {
            let near = Nearest.name(to: second, among: ["count", "query"])
            throw Problem(
                .route, "there is no route /\(entity.name)/\(second)",
                hint: near.map { "did you mean \($0)?" } ?? temporaryHint(second, isEditing)
                    ?? "after an entity comes an id, a whole number from 1, or count")
        }
        let below = rest.dropFirst()
        let object = ObjectAddress(entity, key: key)
        guard let name = below.first else { return (.object(object), .object) }
        let last = below.dropFirst()
        if case .fetchedProperty(let property) = entity.property(named: name) {
            guard last.isEmpty else {
                throw Problem(
                    .route,
                    "there is no route below /\(entity.name)/{id}/\(name), a fetched "
                        + "property", hint: "count=true&limit=1 gives their number")
            }
            return (.fetched(object, property), .fetchedProperty)
        }
        if let attribute = entity.attribute(named: name), attribute.type == .binary,
            !attribute.isTransient, last.isEmpty
        {
            return (.binary(object, attribute), .binary)
        }
        let relationship = try relationship(name, of: entity)
        guard let final = last.first else {
            return (.related(object, relationship), .related)
        }
        guard last.count == 1, relationship.isToMany else {
            throw Problem(
                .route,
                "there is no route below /\(entity.name)/{id}/\(name)"
                    + (relationship.isToMany ? "/{id}" : ", a to-one relationship"))
        }
        if final == "count" {
            return (.relatedCount(object, relationship), .relatedCount)
        }
        guard let member = try id(final, isEditing) else {
            throw Problem(
                .route, "there is no route /\(entity.name)/{id}/\(name)/\(final)",
                hint: temporaryHint(final, isEditing)
                    ?? "after a to-many relationship comes an id, or count")
        }
        return (.member(object, relationship, key: member), .member)
    }

    /// The id in a segment; nil if it is not a number.
    /// - Throws: `Problem` for a number that cannot be an id.
    private func id(_ text: String, _ isEditing: Bool) throws -> Int64? {
        if isEditing, let key = TemporaryID.key(text) { return key }
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard let key = Int64(text), key > 0, text.utf8.first != UInt8(ascii: "0") else {
            throw Problem(
                .id, "\(text.prefix(40)) is not an id: ids are whole numbers from 1 to \(Int64.max)"
            )
        }
        return key
    }

    private func temporaryHint(_ text: String, _ isEditing: Bool) -> String? {
        guard !isEditing, TemporaryID.key(text) != nil else { return nil }
        return "\(text) is a temporary id: only its editing context knows it, below "
            + "\(basePath)/contexts/{context}"
    }

    private func relationship(_ name: String, of entity: Entity) throws -> Relationship {
        switch entity.property(named: name) {
        case .relationship(let it): return it
        case .fetchedProperty: throw Problem(.route, "\(name) is a fetched property")
        case .transientRelationship:
            throw Problem(
                .route, "\(name) of \(entity.name) is a transient relationship: nothing keeps it")
        case .attribute:
            throw Problem(
                .route,
                "\(name) of \(entity.name) is an attribute, and only relationships and Binary "
                    + "attributes have routes of their own",
                hint: "GET \(Self.path(ofEntity: entity.name, basePath))/{id}?select=\(name)")
        case nil:
            let names = entity.properties.lazy.map(\.name)
            throw Problem(
                .route, "\(entity.name) has no relationship \(name)",
                hint: Nearest.hint(to: name, among: names))
        }
    }

    static func methods(_ resource: Route.Resource, _ pattern: RoutePattern) -> [Method] {
        if case .binary(_, let attribute) = resource, attribute.isDerived { return [.get] }
        guard case .related(_, let relationship) = resource else { return pattern.methods }
        return relationship.isToMany ? [.get, .post, .put] : [.get, .put, .delete]
    }

    /// A hint for a method that is meant for another address.
    private func hint(for method: Method, _ resource: Route.Resource) -> String? {
        switch (method, resource) {
        case (.post, .object(let object)):
            let list = Self.path(ofEntity: object.entity.name, basePath)
            return "PATCH \(list)/\(object.key) changes it; POST \(list) makes one"
        case (.get, .query(let entity)):
            return "the parameters are a JSON object in the body; GET "
                + "\(Self.path(ofEntity: entity.name, basePath)) takes them in the address"
        case (.put, .list(let entity)):
            let list = Self.path(ofEntity: entity.name, basePath)
            return "POST \(list) makes one; PUT \(list)/{id} replaces one"
        default: return nil
        }
    }

    /// The error for a method that a route does not take.
    func refusal(of method: String, _ resource: Route.Resource, _ allowed: [Method]) -> Problem {
        let allow = Method.allow(allowed)
        return Problem(
            .method, "this route takes \(allow), not \(method.prefix(32))",
            hint: Method(rawValue: method).flatMap { hint(for: $0, resource) },
            headers: [("Allow", allow)])
    }
}
