/// What determines the form of a value besides the value itself.

import SteleJSON
import SteleModel

/// The form of a value in JSON.
package enum ValueKind: Sendable {
    case plain, float, json
    case transformed(TransformedAttribute)

    package init(_ property: Property) {
        self = if case .attribute(let it) = property { ValueKind(it) } else { .plain }
    }

    package init(_ attribute: Attribute) {
        self =
            switch attribute.type {
            case .float: .float
            case .transformable: TransformedAttribute(attribute).map(Self.transformed) ?? .json
            default: .plain
            }
    }
}

/// A composite attribute as an object: its key and its elements.
package struct CompositeField: Sendable {
    /// A value, or another composite inside.
    package enum Element: Sendable {
        case slot(Int, key: [UInt8], ValueKind)
        case composite(CompositeField)
    }

    /// `,"address":`
    package let key: [UInt8]
    /// The places of its values.
    package let slots: Range<Int>
    package let elements: [Element]

    /// - Parameters:
    ///   - comma: whether a comma comes before the key.
    ///   - start: the place of its first value; nil for its slot in snapshots.
    package init(_ attribute: Attribute, comma: Bool = true, from start: Int? = nil) {
        let shift = (start ?? attribute.slot) - attribute.slot
        let first = attribute.slot + shift
        key = ByteWriter.preparedKey(attribute.key, comma: comma)
        slots = first..<first + attribute.leaves.count
        elements = attribute.elements.enumerated().map { place, inner in
            inner.isComposite
                ? .composite(
                    CompositeField(inner, comma: place > 0, from: inner.slot + shift))
                : .slot(
                    inner.slot + shift, key: ByteWriter.preparedKey(inner.key, comma: place > 0),
                    ValueKind(inner))
        }
    }
}
