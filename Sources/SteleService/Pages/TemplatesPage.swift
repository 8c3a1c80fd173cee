/// `GET /fetch`: the model's fetch request templates, with their variables.

import SteleJSON
import SteleModel
import SteleRequests

/// The list of fetch request templates.
enum TemplatesPage {
    /// The templates in the model's order.
    static func json(_ templates: FetchTemplates, basePath: String) -> JSONValue {
        .array(templates.all.map { entry($0, basePath) })
    }

    private static func entry(_ template: FetchTemplate, _ basePath: String) -> JSONValue {
        let declared = template.declared
        var members: [(String, JSONValue)] = [
            ("name", .string(template.name)),
            ("href", .string("\(basePath)/fetch/\(template.name)")),
            ("entity", .string(template.entity.name)),
            ("predicate", declared.predicateFormat.map { .string($0) } ?? .null),
            ("variables", .array(template.variables.map { .string($0) })),
        ]
        if let limit = template.limit { members.append(("limit", .integer(Int64(limit)))) }
        return .object(members)
    }
}
