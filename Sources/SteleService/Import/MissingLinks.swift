/// The links of an import to objects that do not exist.

import SteleModel

/// The links to objects that do not exist, by relationship and name, in the order of the files.
public struct MissingLinks: Sendable, CustomStringConvertible {
    private struct Key: Hashable {
        let relationship: Int
        let name: ObjectName
    }

    /// One missing destination.
    private struct Miss: Sendable {
        /// What names the destination.
        let text: String
        let file: String
        var lines: [Int]
        var count = 1
    }

    private var places: [Key: Int] = [:]
    private var misses: [Miss] = []
    /// The number of links.
    public private(set) var count = 0
    /// Whether a link is missing that its object needs.
    private var isRequired = false

    private static let mostListed = 1_000
    private static let mostLines = 20

    /// The number of links whose destination is not listed, because there are too many.
    private var unlisted = 0

    mutating func note(
        _ name: ObjectName, of relationship: Relationship, at place: LinePlace, _ plan: ImportPlan,
        isRequired: Bool
    ) {
        count += 1
        self.isRequired = self.isRequired || isRequired
        let key = Key(relationship: relationship.index, name: name)
        let file = plan.files[place.file].path
        if let known = places[key] {
            misses[known].count += 1
            if misses[known].file == file, misses[known].lines.count < Self.mostLines {
                misses[known].lines.append(place.number)
            }
            return
        }
        guard misses.count < Self.mostListed else {
            unlisted += 1
            return
        }
        places[key] = misses.count
        misses.append(
            Miss(
                text: Self.text(name, relationship, plan), file: file, lines: [place.number]))
    }

    private static func text(
        _ name: ObjectName, _ relationship: Relationship, _ plan: ImportPlan
    ) -> String {
        let destination = plan.model.destination(of: relationship)
        let named =
            switch name {
            case .id(let id): "_id is \(id)"
            case .key(let values):
                plan.key(of: destination)?.shown(values)
                    ?? values.map(ImportKey.shown).joined(separator: ", ")
            }
        return "\(relationship.name) names \(destination.name.withArticle) whose \(named), which "
            + "does not exist"
    }

    /// One line for each missing destination, with its places and the number of its links.
    public var description: String {
        var lines = misses.map { miss in
            let shown = miss.lines.dropFirst().map(String.init).joined(separator: ", ")
            let dots = miss.count > miss.lines.count ? ", …" : ""
            let word = miss.lines.count > 2 ? "lines" : "line"
            let more = miss.count > 1 ? " (\(miss.count) links: also \(word) \(shown)\(dots))" : ""
            return "\(miss.file) line \(miss.lines[0]): \(miss.text)\(more)"
        }
        if unlisted > 0 { lines.append("and \(unlisted) more link\(unlisted == 1 ? "" : "s")") }
        return lines.joined(separator: "\n")
    }

    /// - Throws: `ImportError` with the list, if such links are errors.
    func check(_ plan: ImportPlan) throws {
        guard count > 0, let first = misses.first else { return }
        let ends =
            switch plan.options.missing {
            case .error: true
            case .null: isRequired
            case .skip: false
            }
        guard ends else { return }
        let ways =
            plan.options.missing == .null
            ? "a link that is not optional cannot be left out: --missing skip leaves out its object"
            : "import all files that name one another with one command; --missing null leaves such "
                + "links out, --missing skip their objects"
        if misses.count == 1, misses[0].count == 1 {
            throw ImportError("\(first.text) (\(ways))", file: first.file, line: first.lines[0])
        }
        throw ImportError(
            "\(count) links lead to objects that do not exist:\n\(self)\n(\(ways))")
    }
}
