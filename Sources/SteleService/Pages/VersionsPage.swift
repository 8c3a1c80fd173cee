/// `/model/versions` and `/model/changes`: the versions of the model, and what differs between two.

import SteleJSON
import SteleMigration
import SteleModel
import SteleRequests

/// The versions of a model, in their order.
struct VersionsPage: Sendable {
    /// All versions that can be read, in the order of their names: `M 2` before `M 10`.
    let versions: [Model]
    /// The name of the version that is served.
    let current: String

    /// - Parameter versions: those that can be read, in their order.
    init(_ versions: [Model], served model: Model) {
        let isThere = versions.contains { $0.name == model.name }
        self.versions = isThere ? versions : versions + [model]
        current = model.name
    }

    /// The list of versions.
    var list: JSONValue {
        .array(
            versions.map { version in
                .object([
                    ("name", .string(version.name)), ("current", .bool(version.name == current)),
                    ("entities", .integer(Int64(version.entities.count))),
                ])
            })
    }

    /// A version by its name.
    /// - Throws: `Problem`, 404.
    func version(_ name: String) throws -> Model {
        if let version = versions.first(where: { $0.name == name }) { return version }
        throw unknown(name, .route)
    }

    /// What differs between two versions.
    /// - Parameters:
    ///   - from: the name of the version before; nil for the one before `to`.
    ///   - to: the name of the version after; nil for the one that is served.
    /// - Throws: `Problem`, 400, for a name that is of no version.
    func changes(from: String?, to: String?) throws -> JSONValue {
        let after = try place(of: to ?? current)
        let before = try from.map(place) ?? max(0, after - 1)
        let (source, destination) = (versions[before], versions[after])
        let difference = ModelDifference(from: source, to: destination)
        return .object([
            ("from", .string(source.name)), ("to", .string(destination.name)),
            ("changes", .array(difference.changes.map(Self.json))),
            ("elements", .array(difference.elements.map(Self.json))),
            (
                "migration",
                .array(
                    ModelDifference.migration(from: source, to: destination).map { .string($0) })
            ),
        ])
    }

    private func place(of name: String) throws -> Int {
        guard let place = versions.firstIndex(where: { $0.name == name }) else {
            throw unknown(name, .parameter)
        }
        return place
    }

    private func unknown(_ name: String, _ code: ErrorCode) -> Problem {
        let names = versions.map(\.name)
        return Problem(
            code, "the model has no version \(name.prefix(200))",
            hint: Nearest.hint(to: name, among: names)
                ?? "its versions are \(names.joined(separator: ", "))")
    }

    private static func json(_ change: ModelDifference.Change) -> JSONValue {
        .object([
            ("key", .string(change.key)), ("before", text(change.before)),
            ("after", text(change.after)),
        ])
    }

    private static func json(_ element: ModelDifference.Element) -> JSONValue {
        .object([
            ("kind", .string(element.kind.rawValue)), ("before", text(element.before)),
            ("after", text(element.after)), ("summary", .string(element.summary)),
            ("changes", .array(element.changes.map(json))),
            ("elements", .array(element.elements.map(json))),
        ])
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
