/// `GET /fetch`: the model's fetch request templates, and what each needs.

import SteleJSON
import SteleModel
import SteleRequests

enum TemplatesPage {
    /// The templates as JSON, in the model's order.
    static func json(_ templates: FetchTemplates, basePath: String) -> [UInt8] {
        var writer = ByteWriter(capacity: 1024)
        let entries = templates.all.map { entry($0, basePath) }
        JSONValue.array(entries).writePretty(to: &writer)
        writer.byte(UInt8(ascii: "\n"))
        return writer.take()
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
