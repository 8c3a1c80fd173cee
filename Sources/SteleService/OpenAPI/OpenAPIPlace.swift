/// The addresses of a model: each pattern of a route with the names that it can have.

import SteleModel
import SteleRequests

/// A pattern with the names of the model, such as `/Person/{id}/team`.
struct OpenAPIPlace {
    let pattern: RoutePattern
    /// The path below the base path, with `{id}`, `{member}`, `{context}` and `{version}`.
    let path: String
    /// The names of the model in the path.
    var names: [String] = []
    /// The group of the operations: an entity, or the service.
    var tag = OpenAPIDocument.serviceTag

    /// An address of the place.
    var sample: String {
        path.replacing("{id}", with: "1").replacing("{member}", with: "1")
            .replacing("{context}", with: "context").replacing("{version}", with: "version")
    }

    /// The names in braces.
    var placeholders: [String] {
        ["id", "member", "context", "version"].filter { path.contains("{\($0)}") }
    }
}

extension OpenAPIDocument {
    /// All places of a pattern.
    func places(_ pattern: RoutePattern) -> [OpenAPIPlace] {
        switch pattern {
        case .index, .health, .readiness, .metrics, .backup, .model, .modelVersions,
            .modelVersion, .modelChanges, .rights, .metadata, .changes, .live, .tickets,
            .errorCodes, .openAPI, .templates, .transactions, .contexts, .contextsOpenAPI,
            .context, .childContexts, .contextChanges,
            .contextUndo, .contextRedo, .contextUndoGroup, .contextUndoGroupEnd, .contextValidate,
            .contextSave,
            .contextRollback, .contextReset, .contextRefresh:
            [OpenAPIPlace(pattern: pattern, path: pattern.rawValue)]
        // The page's files are no part of the API.
        case .page: []
        case .template:
            routes.templates.all.map {
                OpenAPIPlace(
                    pattern: pattern, path: "/fetch/" + Self.segment($0.name), names: [$0.name],
                    tag: $0.entity.name)
            }
        case .list: model.entities.map { place(pattern, $0, "") }
        case .count: model.entities.map { place(pattern, $0, "/count") }
        case .query: model.entities.map { place(pattern, $0, "/query") }
        case .object: model.entities.map { place(pattern, $0, "/{id}") }
        case .related: properties(pattern) { relationship($0)?.name }
        case .relatedCount: properties(pattern, "/count") { toMany($0)?.name }
        case .member: properties(pattern, "/{member}") { toMany($0)?.name }
        case .fetchedProperty:
            properties(pattern) { if case .fetchedProperty(let it) = $0 { it.name } else { nil } }
        case .binary: binaries(pattern)
        }
    }

    private func place(
        _ pattern: RoutePattern, _ entity: Entity, _ rest: String, _ names: [String] = []
    ) -> OpenAPIPlace {
        let path = Routes.path(ofEntity: entity.name, "").split(separator: "/")
            .map { "/" + Self.segment(String($0)) }.joined()
        return OpenAPIPlace(
            pattern: pattern, path: path + rest, names: [entity.name] + names, tag: entity.name)
    }

    /// A place for each property of an entity that `name` gives a name.
    private func properties(
        _ pattern: RoutePattern, _ rest: String = "", _ name: (Property) -> String?
    ) -> [OpenAPIPlace] {
        model.entities.flatMap { entity in
            entity.properties.compactMap(name).map {
                place(pattern, entity, "/{id}/\(Self.segment($0))\(rest)", [$0])
            }
        }
    }

    private func relationship(_ property: Property) -> Relationship? {
        if case .relationship(let it) = property { it } else { nil }
    }

    private func toMany(_ property: Property) -> Relationship? {
        relationship(property).flatMap { $0.isToMany ? $0 : nil }
    }

    /// Binary attributes, also those inside composites.
    private func binaries(_ pattern: RoutePattern) -> [OpenAPIPlace] {
        model.entities.flatMap { entity in
            entity.properties.flatMap { property -> [Attribute] in
                if case .attribute(let it) = property { it.leaves } else { [] }
            }.filter { $0.type == .binary && !$0.isTransient }.map {
                place(pattern, entity, "/{id}/\(Self.segment($0.name))", [$0.name])
            }
        }
    }

    /// A name as a segment of a path.
    private static func segment(_ name: String) -> String {
        name.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return (byte < 16 ? "%0" : "%") + digits
            }
        }.joined()
    }
}
