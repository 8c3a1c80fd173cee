/// Reads attributes, with their defaults and bounds.

extension ContentsReader {
    func attribute(_ element: MarkupElement, owner: String) -> AttributeDescription? {
        let label = element.attribute("name").map { "\(owner).\($0)" } ?? owner
        var fields = ElementFields(element, place: label, findings)
        guard let name = name(of: element, &fields) else { return nil }
        let type = fields.choice("attributeType", AttributeType.named)
        if type == nil, !(element.attribute("attributeType") ?? "").isEmpty { return nil }
        if type == .undefined { fields.keep("attributeType", AttributeType.undefined.name) }
        var attribute = AttributeDescription(name: name, type: type ?? .undefined)
        readFlags(&fields, into: &attribute)
        readTexts(&fields, into: &attribute)
        readValues(&fields, into: &attribute)
        fields.finish(&attribute)
        attribute.toolElements = element.toolElements(besides: "userInfo")
        attribute.userInfo = userInfo(of: element, in: label)
        return attribute
    }

    private func readFlags(
        _ fields: inout ElementFields, into attribute: inout AttributeDescription
    ) {
        attribute.isOptional = fields.flag("optional") ?? false
        attribute.isTransient = fields.flag("transient") ?? false
        attribute.isIndexed = fields.flag("indexed") ?? false
        attribute.isSyncable = fields.flag("syncable") ?? false
        attribute.usesScalarValueType = fields.flag("usesScalarValueType", isKept: true)
        attribute.allowsExternalBinaryDataStorage =
            fields.flag("allowsExternalBinaryDataStorage") ?? false
        attribute.preservesValueInHistoryOnDeletion = fields.flag("preserveAfterDeletion") ?? false
        attribute.isStoredInTruthFile = fields.flag("storedInTruthFile") ?? false
    }

    private func readTexts(
        _ fields: inout ElementFields, into attribute: inout AttributeDescription
    ) {
        attribute.regularExpression = fields.nonempty("regularExpressionString")
        attribute.valueTransformerName = fields.text("valueTransformerName")
        attribute.customClassName = fields.text("customClassName")
        attribute.compositeName = fields.nonempty("composite")
        attribute.renamingIdentifier = fields.renamingIdentifier()
        attribute.versionHashModifier = fields.nonempty("versionHashModifier")
        if fields.flag("derived") ?? false {
            // Without an expression the attribute is still derived, and the check reports the
            // error.
            attribute.derivationExpression = fields.text("derivationExpression") ?? ""
        }
    }

    private func readValues(
        _ fields: inout ElementFields, into attribute: inout AttributeDescription
    ) {
        if attribute.type == .date {
            readDates(&fields, into: &attribute)
            return
        }
        if let text = fields.text("defaultValueString") {
            attribute.defaultValue = defaultValue(text, attribute, fields.place)
            if attribute.defaultValue.isNull { fields.keep("defaultValueString", text) }
        }
        switch attribute.type {
        case .string:
            attribute.minimum = bound(&fields, "minValueString") { ValueText.length($0) }
            attribute.maximum = bound(&fields, "maxValueString") { ValueText.length($0) }
        case let type where type.isNumeric:
            attribute.minimum = bound(&fields, "minValueString") { ValueText.bound($0, type) }
            attribute.maximum = bound(&fields, "maxValueString") { ValueText.bound($0, type) }
        default: break
        }
    }

    /// Only the intervals are used; the texts beside them are what the editor displayed.
    private func readDates(
        _ fields: inout ElementFields, into attribute: inout AttributeDescription
    ) {
        func date(_ text: String) -> Value? { ValueText.double(text).map { .date($0) } }
        attribute.defaultValue = bound(&fields, "defaultDateTimeInterval", date)
        attribute.minimum = bound(&fields, "minDateTimeInterval", date)
        attribute.maximum = bound(&fields, "maxDateTimeInterval", date)
        let pairs = [
            ("defaultValueString", "defaultDateTimeInterval", attribute.defaultValue),
            ("minValueString", "minDateTimeInterval", attribute.minimum),
            ("maxValueString", "maxDateTimeInterval", attribute.maximum),
        ]
        for (shown, counts, value) in pairs {
            guard let text = fields.nonempty(shown) else { continue }
            fields.keep(shown, text)
            guard value.isNull else { continue }
            findings.error(
                fields.place, "its \(shown) \(quoted(text)) has no matching \(counts)",
                hint: "set the date again in the model editor")
        }
    }

    private func defaultValue(
        _ text: String, _ attribute: AttributeDescription, _ place: String
    ) -> Value {
        if let value = ValueText.modelValue(text, attribute.type) { return value }
        let article = attribute.type.article
        if text.isEmpty {
            findings.note(
                place, "its empty default is not \(article) \(attribute.type.name) and is ignored")
        } else {
            findings.error(
                place, "its default \(quoted(text)) is not \(article) \(attribute.type.name)")
        }
        return .null
    }

    private func bound(
        _ fields: inout ElementFields, _ name: String, _ read: (String) -> Value?
    ) -> Value {
        guard let text = fields.nonempty(name) else { return .null }
        if let value = read(ValueText.trimmed(text)) { return value }
        findings.error(fields.place, "its \(name) \(quoted(text)) is not a valid number")
        return .null
    }
}

extension ValueText {
    /// A default as the framework reads it: a number may have spaces around it, and an attribute
    /// that was once Boolean keeps YES or NO as its default when it becomes an integer.
    static func modelValue(_ text: String, _ type: AttributeType) -> Value? {
        guard type.isNumeric else { return value(text, type) }
        let number = trimmed(text)
        if let value = value(number, type) { return value }
        return type.isInteger ? bool(number).map { .int($0 ? 1 : 0) } : nil
    }

    /// The text without spaces at its ends.
    static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// A bound on a number. It may be outside the range of the type.
    static func bound(_ text: String, _ type: AttributeType) -> Value? {
        type.isInteger ? integer(text).map { .int($0) } : value(text, type)
    }

    /// A bound on the length of a text.
    static func length(_ text: String) -> Value? {
        integer(text).flatMap { $0 >= 0 ? .int($0) : nil }
    }
}

extension AttributeType {
    /// All names, for a message.
    static var namesInWords: String {
        allCases.filter { $0 != .objectID && $0 != .undefined }.map(\.name).joined(separator: ", ")
    }

    /// The indefinite article of the name.
    var article: String { isInteger || self == .undefined || self == .objectID ? "an" : "a" }
}
