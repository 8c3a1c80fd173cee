/// `GET /`: what there is, for who comes without knowing anything.

import SteleJSON
import SteleModel
import SteleRequests

struct IndexPage {
    let model: Model
    let basePath: String
    /// Stele's own version.
    let version: String

    /// The page as JSON.
    var bytes: [UInt8] {
        let page: JSONValue = [
            ("stele", .string(version)),
            ("model", .string(model.name)),
            ("entities", .array(model.entities.map(entity))),
            ("fetchRequests", .array(FetchTemplates(model).all.map(template))),
            ("routes", .array(RoutePattern.allCases.map(route))),
        ].object
        var writer = ByteWriter(capacity: 4096)
        page.writePretty(to: &writer)
        writer.byte(UInt8(ascii: "\n"))
        return writer.take()
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
        [
            ("name", .string(template.name)),
            ("href", .string("\(basePath)/fetch/\(template.name)")),
        ].object
    }

    private func route(_ pattern: RoutePattern) -> JSONValue {
        [
            ("path", .string(basePath + pattern.rawValue)),
            ("methods", .array(pattern.methods.map { .string($0.rawValue) })),
        ].object
    }
}

extension [(String, JSONValue)] {
    fileprivate var object: JSONValue { .object(self) }
}
