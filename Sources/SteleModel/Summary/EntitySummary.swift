extension EntityDescription {
    /// The lines of an entity in a summary: a heading, its properties in columns, its indexes and
    /// constraints.
    func summary(number: String, depth: Int) -> [String] {
        let margin = String(repeating: " ", count: max(3 - number.count, 0)) + number + " "
        let begin = margin + String(repeating: "  ", count: depth)
        var table = TextTable(indent: 6)
        for property in properties {
            switch property {
            case .attribute(let it): it.addRow(to: &table)
            case .relationship(let it): it.addRow(to: &table)
            case .fetchedProperty(let it): it.addRow(to: &table)
            }
        }
        return TextTable.wrap(heading, after: begin) + table.lines()
            + extras.flatMap { TextTable.wrap($0.text, after: "      \($0.title): ") }
    }

    private var heading: String {
        var parts = [name]
        if let parentName { parts[0] += " : \(parentName)" }
        if isAbstract { parts.append("abstract") }
        if let managedObjectClassName, managedObjectClassName != name {
            parts.append("class \(managedObjectClassName)")
        }
        if let renamingIdentifier { parts.append("was \(renamingIdentifier)") }
        if let versionHashModifier { parts.append("hash modifier \(versionHashModifier)") }
        return parts.joined(separator: ", ")
    }

    private var extras: [(title: String, text: String)] {
        var extras: [(String, String)] = []
        for index in fetchIndexes {
            var text = index.elements.map(\.summary).joined(separator: ", ")
            if let predicate = index.partialIndexPredicate { text += " where \(predicate)" }
            extras.append(("index \(index.name)", text))
        }
        for names in compoundIndexes {
            extras.append(("compound index", names.joined(separator: ", ")))
        }
        for names in uniquenessConstraints {
            extras.append(("unique", names.joined(separator: ", ")))
        }
        if !userInfo.isEmpty { extras.append(("user info", userInfo.summary)) }
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
