/// The lines of an entity in a summary: a heading, its properties in columns, its indexes and
/// constraints.
struct EntitySummary {
    private let entity: EntityDescription

    init(_ entity: EntityDescription) { self.entity = entity }

    func lines(number: String, depth: Int) -> [String] {
        let margin = String(repeating: " ", count: max(3 - number.count, 0)) + number + " "
        let begin = margin + String(repeating: "  ", count: depth)
        var table = TextTable(indent: 6)
        for property in entity.properties {
            switch property {
            case .attribute(let it): it.addRow(to: &table)
            case .relationship(let it): it.addRow(to: &table)
            case .fetchedProperty(let it): it.addRow(to: &table)
            }
        }
        return TextTable.wrap(heading, after: begin) + table.lines()
            + extras.flatMap {
                TextTable.wrap($0.text, after: "      \($0.title): ")
            }
    }

    private var heading: String {
        var parts = [entity.name]
        if let parent = entity.parentName { parts[0] += " : \(parent)" }
        if entity.isAbstract { parts.append("abstract") }
        if let name = entity.managedObjectClassName, name != entity.name {
            parts.append("class \(name)")
        }
        if let old = entity.renamingIdentifier { parts.append("was \(old)") }
        if let modifier = entity.versionHashModifier { parts.append("hash modifier \(modifier)") }
        return parts.joined(separator: ", ")
    }

    private var extras: [(title: String, text: String)] {
        var extras: [(String, String)] = []
        for index in entity.fetchIndexes {
            var text = index.elements.map(\.summary).joined(separator: ", ")
            if let predicate = index.partialIndexPredicate { text += " where \(predicate)" }
            extras.append(("index \(index.name)", text))
        }
        for names in entity.compoundIndexes {
            extras.append(("compound index", names.joined(separator: ", ")))
        }
        for names in entity.uniquenessConstraints {
            extras.append(("unique", names.joined(separator: ", ")))
        }
        if !entity.userInfo.isEmpty {
            extras.append(("user info", entity.userInfo.summary))
        }
        return extras
    }
}

extension FetchIndexDescription.Element {
    fileprivate var summary: String {
        var text = propertyName ?? "(\(expression ?? ""))"
        if collation == .rTree { text += " R-tree" }
        if !isAscending { text += " descending" }
        return text
    }
}

extension [UserInfoEntry] {
    /// Pairs `key=value`.
    var summary: String { map { "\($0.key)=\($0.value)" }.joined(separator: ", ") }
}
