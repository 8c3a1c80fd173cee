import SteleModel

/// The column of an attribute, qualified by an alias, with the properties that comparisons need.
struct Column: Sendable {
    private let sql: String
    private let kind: ColumnKind
    private let isNarrow: Bool
    private let isLongDecimal: Bool
    private let isIndexed: Bool

    /// Nil where the attribute has no column.
    init?(
        _ it: Attribute, of entity: Entity, behind alias: String, _ schema: SQLSchema,
        _ longDecimals: Set<String>
    ) {
        guard it.type != .composite, let column = schema.column(of: it.slot, in: entity.index)
        else { return nil }
        sql = SQLWords.joined([alias, ".", column])
        kind = ColumnKind(it)
        isNarrow = it.type == .integer16 || it.type == .integer32
        isLongDecimal =
            it.type == .decimal && !longDecimals.isEmpty
            && longDecimals.contains("\(schema.model.entities[it.owner].name).\(it.name)")
        isIndexed = schema.indexedSlots[entity.index].contains(it.slot)
    }

    var operand: Operand {
        var operand = Operand.column(sql, kind)
        operand.isNarrow = isNarrow
        if isNarrow { operand.bits = 32 }
        operand.isLongDecimal = isLongDecimal
        operand.isIndexed = isIndexed
        return operand
    }
}
