/// `GET /`: an index of the service.

import SteleJSON
import SteleModel
import SteleRequests

/// The entities, fetch requests and routes of a model.
struct IndexPage {
    let model: Model
    /// The name that all versions of the model share.
    let name: String
    /// The store's type.
    let storeType: String
    let basePath: String
    let version: String
    let build: String

    var json: JSONValue {
        .object([
            ("stele", .string(version)),
            ("build", .string(build)),
            ("model", .string(name)),
            ("modelVersion", .string(model.name)),
            ("store", .string(storeType)),
            ("entities", .array(model.entities.map(entity))),
            ("fetchRequests", .array(FetchTemplates(model).all.map(template))),
            ("routes", .array(RoutePattern.allCases.map(route))),
        ])
    }

    private func entity(_ entity: Entity) -> JSONValue {
        let path = Routes.path(ofEntity: entity.name, basePath)
        var members: [(String, JSONValue)] = [
            ("name", .string(entity.name)), ("href", .string(path)),
            ("count", .string(path + "/count")),
        ]
        if entity.isAbstract { members.append(("abstract", true)) }
        if let parent = entity.parent {
            members.append(("parent", .string(model.entities[parent].name)))
        }
        let relationships = entity.properties.compactMap { property -> (String, JSONValue)? in
            guard case .relationship(let it) = property else { return nil }
            return (it.name, .string("\(path)/{id}/\(it.name)"))
        }
        if !relationships.isEmpty { members.append(("relationships", .object(relationships))) }
        let fetched = entity.properties.compactMap { property -> (String, JSONValue)? in
            guard case .fetchedProperty(let it) = property else { return nil }
            return (it.name, .string("\(path)/{id}/\(it.name)"))
        }
        if !fetched.isEmpty { members.append(("fetchedProperties", .object(fetched))) }
        return .object(members)
    }

    private func template(_ template: FetchTemplate) -> JSONValue {
        .object([
            ("name", .string(template.name)),
            ("href", .string("\(basePath)/fetch/\(template.name)")),
        ])
    }

    private func route(_ pattern: RoutePattern) -> JSONValue {
        .object([
            ("path", .string(basePath + pattern.rawValue)),
            ("methods", .array(pattern.methods.map { .string($0.rawValue) })),
        ])
    }
}
