/// The parsed expression of a derived attribute (NSDerivedAttributeDescription), in one of Core
/// Data's forms: `now()`, a key path over to-one relationships, a text function of such a key path,
/// `rel.@count` or `rel.attr.@sum`.
public struct Derivation: Sendable {
    /// A function of text.
    public enum TextFunction: String, Sendable, CaseIterable {
        case canonical, uppercase, lowercase
    }

    /// How the value is computed.
    public enum Source: Sendable {
        /// The time of the save that last changed the object itself.
        case now
        /// An attribute of the object, or of an object across to-one relationships; null if one of
        /// them is null.
        case value(across: [Relationship], Attribute, TextFunction?)
        /// The number of members of a to-many relationship.
        case count(Relationship)
        /// The sum of an attribute over the members of a to-many relationship.
        case sum(Relationship, Attribute)
    }

    /// The attribute that is derived.
    public let attribute: Attribute
    /// How its value is computed.
    public let source: Source

    /// Parses the expression of a derived attribute; nil for an attribute that is not derived.
    /// - Throws: `ModelError` if the expression has none of the forms, or does not fit the
    ///   attribute's type.
    public init?(_ attribute: Attribute, of entity: Entity, in model: Model) throws(ModelError) {
        guard let text = attribute.declaration.derivationExpression else { return nil }
        self.attribute = attribute
        let reader = DerivationReader(attribute: attribute, entity: entity, model: model)
        source = try reader.read(text)
    }

    /// The text of an expression in the one form that Core Data's compiler makes of all that mean
    /// the same: without spaces, and with a colon after the name of a text function.
    package static func plainText(_ text: String) -> String {
        let plain = text.filter { !$0.isWhitespace }
        for function in TextFunction.allCases where plain.hasPrefix("\(function.rawValue)(") {
            return "\(function.rawValue):" + plain.dropFirst(function.rawValue.count)
        }
        return plain
    }
}

/// Parses one expression.
private struct DerivationReader {
    let attribute: Attribute
    let entity: Entity
    let model: Model

    private var place: String { "\(entity.name).\(attribute.name)" }

    private func mistake(_ message: String, hint: String? = nil) -> ModelError {
        ModelError(place, message, hint: hint)
    }

    func read(_ text: String) throws(ModelError) -> Derivation.Source {
        let plain = Derivation.plainText(text)
        if plain == "now()" {
            // As a number, now() is the seconds since 2001.
            try expect(.date, is: attribute.type == .date || attribute.type.isNumeric, of: "now()")
            return .now
        }
        for function in Derivation.TextFunction.allCases {
            let start = "\(function.rawValue):("
            if plain.hasPrefix(start), plain.hasSuffix(")") {
                return try value(plain.dropFirst(start.count).dropLast(), function)
            }
        }
        guard !plain.contains("(") else { throw unknown(text) }
        return plain.contains("@") ? try aggregate(plain, text) : try value(plain[...], nil)
    }

    private func unknown(_ text: String) -> ModelError {
        mistake(
            "its derivation \(text) has none of the forms of Core Data",
            hint: "write now(), a key path such as category.name, canonical:(name), "
                + "uppercase:(name), lowercase:(name), items.@count or items.price.@sum")
    }

    private func expect(_ type: AttributeType, is fits: Bool, of what: String) throws(ModelError) {
        if !fits {
            throw mistake("\(what) gives \(type.name), and the attribute is \(attribute.type.name)")
        }
    }

    private func value(
        _ text: Substring, _ function: Derivation.TextFunction?
    ) throws(ModelError) -> Derivation.Source {
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var (across, position): ([Relationship], Entity) = ([], entity)
        for (index, key) in keys.enumerated() {
            switch position.property(named: key) {
            case .relationship(let it) where it.isToMany:
                throw mistake(
                    "\(it.name) is to-many, and an attribute has a single value",
                    hint: "write \(it.name).@count, or \(it.name).attribute.@sum")
            case .relationship(let it):
                across.append(it)
                position = model.destination(of: it)
            case .attribute:
                let name = keys[index...].joined(separator: ".")
                let source = try self.attribute(name, of: position)
                if function != nil {
                    guard source.type == .string else {
                        throw mistake("\(name) is \(source.type.name), and the function takes text")
                    }
                    try expect(.string, is: attribute.type == .string, of: "a text function")
                } else {
                    let areNumbers = source.type.isNumeric && attribute.type.isNumeric
                    try expect(
                        source.type, is: areNumbers || source.type == attribute.type, of: name)
                }
                return .value(across: across, source, function)
            case .fetchedProperty, .transientRelationship, nil:
                throw noProperty(key, of: position)
            }
        }
        throw mistake("its derivation \(text) leads to an object, not to an attribute")
    }

    private func aggregate(
        _ text: String, _ written: String
    ) throws(ModelError) -> Derivation.Source {
        var keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let operation = keys.popLast(), ["@count", "@sum"].contains(operation),
            let first = keys.first, !keys.contains(where: { $0.hasPrefix("@") })
        else { throw unknown(written) }
        guard let toMany = entity.relationship(named: first) else {
            throw noProperty(first, of: entity)
        }
        guard toMany.isToMany else {
            throw mistake("\(first) is to-one, and \(operation) takes a to-many relationship")
        }
        try expect(.integer64, is: attribute.type.isNumeric, of: operation)
        let name = keys.dropFirst().joined(separator: ".")
        if operation == "@count" {
            guard name.isEmpty else { throw unknown(written) }
            return .count(toMany)
        }
        let summed = try self.attribute(name, of: model.destination(of: toMany))
        guard summed.type.isNumeric else {
            throw mistake("\(name) is \(summed.type.name), and @sum adds numbers")
        }
        return .sum(toMany, summed)
    }

    private func attribute(_ name: String, of entity: Entity) throws(ModelError) -> Attribute {
        guard let found = entity.attribute(named: name) else { throw noProperty(name, of: entity) }
        if found.isDerived {
            throw mistake("\(name) is derived, and a derivation cannot use derived attributes")
        }
        if found.isTransient {
            throw mistake("\(name) is transient, and stores do not keep it")
        }
        if found.isComposite {
            throw mistake(
                "\(name) is a composite attribute",
                hint: found.leaves.first.map { "name an attribute in it: \($0.name)" })
        }
        return found
    }

    private func noProperty(_ name: String, of entity: Entity) -> ModelError {
        mistake(
            "its derivation names \(name), which \(entity.name) does not have",
            hint: Nearest.hint(to: name, among: entity.properties.lazy.map(\.name)))
    }
}
