import SteleModel

/// The values of attributes. SQLite keeps a value of any type in any column, and Core Data writes
/// those of the attribute's type alone.
extension TableInspector {
    /// Adds what may be wrong with the values and the key in an entity's table.
    func addValueFaults(of table: SQLTable, to scan: inout RowScan) {
        guard let schema else { return }
        scan.add(
            fault: "t.Z_PK < 1", in: "Z_PK",
            "the key is below 1: no object has such a key, and "
                + (connection.dialect.isTyped
                    ? "no request reaches the row" : "the row is left out everywhere"))
        for column in table.columns where layout.has(column.name, in: table.name) {
            guard case .slot(let entity, let slot) = column.role,
                case .attribute(let it) = schema.model.entities[entity].slots[slot],
                it.type != .undefined
            else { continue }
            let value = "t.\(name(column.name))"
            let property = column.role.property(in: schema.model)
            // Where a column has one type, no value has another.
            let isTyped = connection.dialect.isTyped
            let look = column.kind.look(value)
            if !isTyped {
                let classes = column.kind.storageClasses
                let list = classes.map { "'\($0)'" }.joined(separator: ", ")
                scan.add(
                    fault: "typeof(\(value)) NOT IN ('null', \(list))", in: column.name,
                    "the value is not of the type \(classes.joined(separator: " or ")): "
                        + "\(property) is read as SQLite converts it, and as null where it cannot "
                        + "be", look: look)
                addFaults(of: value, of: column, property, look, &scan)
            }
            if column.kind == .date {
                scan.add(
                    fault: isTyped ? "abs(\(value)) >= 3e18" : column.kind.isBeyond(value),
                    in: column.name,
                    "the date is beyond the years that it can have: \(property) is read as null",
                    look: look)
            }
            if column.kind == .uuid {
                scan.add(
                    fault: (isTyped ? "" : "typeof(\(value)) = 'blob' AND ")
                        + "length(\(value)) <> 16", in: column.name,
                    "the value does not have 16 bytes: \(property) is read as null", look: look)
            }
            if it.type == .integer16 || it.type == .integer32 {
                let range = it.type.integerRange
                let isOut =
                    "\(value) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
                scan.add(
                    fault: (isTyped ? "" : "typeof(\(value)) = 'integer' AND ") + isOut,
                    in: column.name,
                    "the value is out of the range of \(it.type.name), the type of \(property)",
                    look: .condition(isOut))
            }
        }
    }

    /// The most bytes of a value that is looked at for the name of a file.
    private static let longestName = 100

    /// Adds what may be wrong with a value of the column's type.
    private func addFaults(
        of value: String, of column: SQLTable.Column, _ property: String, _ look: RowScan.Look?,
        _ scan: inout RowScan
    ) {
        let isForeign = "\(SQLFunctions.isForeign.name)(\(column.kind.rawValue), \(value))"
        switch column.kind {
        case .double, .float, .decimal:
            let isInfinite = column.kind.isBeyond(value)
            scan.add(
                fault: isInfinite, in: column.name,
                "the number is infinite: \(property) is read as null", look: look)
            if column.kind == .float {
                let (double, float) = (AttributeType.double.rawValue, AttributeType.float.rawValue)
                let nearest = "\(SQLFunctions.number.name)(\(double), \(float), \(value))"
                scan.add(
                    fault: "typeof(\(value)) = 'real' AND NOT (\(isInfinite)) "
                        + "AND \(value) IS NOT \(nearest)", in: column.name,
                    "the number is no Float: \(property) is shown as the nearest one, and compared "
                        + "as it is")
            }
            guard column.kind == .decimal else { return }
            scan.add(
                fault: "typeof(\(value)) = 'blob' AND \(isForeign)", in: column.name,
                "the value is a blob, and not the digits of a decimal: \(property) is read as "
                    + "null", look: look)
        case .boolean:
            scan.add(
                fault: "typeof(\(value)) = 'integer' AND \(value) NOT IN (0, 1)",
                in: column.name,
                "the value is neither 0 nor 1: \(property) is read as true", look: look)
        case .text:
            scan.add(
                fault: "typeof(\(value)) = 'text' AND \(isForeign)", in: column.name,
                "the text is not UTF-8: \(property) is read with U+FFFD for what is not",
                look: look)
        case .external, .marked:
            // Larger ones would have to be read, and no name of a file is nearly so long.
            scan.add(
                fault: "CASE WHEN typeof(\(value)) = 'blob' AND length(\(value)) <= "
                    + "\(Self.longestName) THEN \(isForeign) ELSE 0 END", in: column.name,
                "the value begins as the name of a file, and is none: \(property) is read as all its "
                    + "bytes", look: look)
        default: break
        }
    }
}

extension ColumnKind {
    /// Returns SQLite's condition that a content is a number that is read as null: an infinite one,
    /// one that is infinite as a Float, or a date that is none (`Value.isDate`).
    package func isBeyond(_ value: String) -> String {
        switch self {
        case .date:
            // `abs` fails for the least integer.
            "typeof(\(value)) IN ('integer', 'real') AND (\(value) >= 3e18 OR \(value) <= -3e18)"
        case .float:
            // What rounds to more than the largest Float.
            "typeof(\(value)) = 'real' AND abs(\(value)) >= 3.4028235677973366e38"
        default: "typeof(\(value)) = 'real' AND abs(\(value)) = 9e999"
        }
    }

    /// What a column of this kind is looked at for; nil for one of bytes, which are not read.
    fileprivate func look(_ value: String) -> RowScan.Look? {
        switch self {
        case .data, .external, .marked: nil
        case .integer, .key, .boolean, .double, .float, .date, .decimal, .text, .uuid:
            .column(self, value)
        }
    }

    /// The storage classes of SQLite in which values of this kind are written.
    fileprivate var storageClasses: [String] {
        switch self {
        case .integer, .boolean, .key: ["integer"]
        case .double, .float, .date: ["real", "integer"]
        // Values of more than 15 digits are blobs (`DecimalColumn`).
        case .decimal: ["integer", "real", "blob"]
        case .text: ["text"]
        case .data, .uuid, .external, .marked: ["blob"]
        }
    }
}
