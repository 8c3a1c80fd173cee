/// A Transformable attribute whose stored bytes are not JSON.

import SteleJSON
import SteleModel

/// An attribute with a transformer, registered or not.
package final class TransformedAttribute: Sendable {
    private let attribute: Attribute

    /// Nil for an attribute whose stored bytes are JSON.
    init?(_ attribute: Attribute) {
        if attribute.isPlainJSON { return nil }
        self.attribute = attribute
    }

    /// Appends the value of stored bytes. Bytes that a transformer guards and cannot read become
    /// the writer's failure. An object with the reason is appended for output that is sent all the
    /// same, such as an event.
    /// - Parameter key: the key of the object, if it is known.
    package func write(_ bytes: [UInt8], key: Int64?, to writer: inout ByteWriter) {
        do throws(TransformationError) {
            writer.json(onOneLine: try attribute.json(of: bytes))
        } catch {
            writer.fail(UnreadableValue(attribute: attribute.name, key: key, error: error))
            writer.raw("{\"unreadable\":")
            writer.string(error.reason)
            writer.byte(UInt8(ascii: "}"))
        }
    }
}

/// A stored value that its attribute's transformer cannot read.
package struct UnreadableValue: Error {
    package let attribute: String
    let key: Int64?
    package let error: TransformationError

    package func problem(of entity: Entity) -> Problem {
        let whose = key.map { "\(entity.name) \($0)" } ?? entity.name
        return Problem(
            .unreadable, "\(attribute) of \(whose) \(error.reason)", hint: error.hint,
            errors: [
                .object([
                    ("entity", .string(entity.name)), ("key", .string(attribute)),
                    ("message", .string("\(attribute) \(error.reason)")),
                ])
            ])
    }
}

extension ValueReader {
    /// The bytes to store of a Transformable attribute's value in a body.
    static func transformed(_ node: JSONNode, _ attribute: Attribute) throws -> [UInt8] {
        do throws(TransformationError) { return try attribute.stored(node.canonical) } catch {
            throw Mismatch(error.reason, hint: error.hint)
        }
    }

    /// Checks that a stored value may be replaced. A value that cannot be read for lack of the
    /// right key may not: the service is configured wrongly, and the value would be lost.
    package static func checkReplaceable(
        _ stored: Value, _ attribute: Attribute, of entity: Entity, key: Int64
    ) throws {
        guard case .data(let bytes) = stored, let transformer = attribute.valueTransformer,
            transformer.guardsWhatItCannotRead
        else { return }
        do throws(TransformationError) { _ = try transformer.value(bytes) } catch {
            throw UnreadableValue(attribute: attribute.name, key: key, error: error)
                .problem(of: entity)
        }
    }
}
