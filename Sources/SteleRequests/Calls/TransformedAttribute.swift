/// A Transformable attribute whose transformer converts its bytes to JSON.

import SteleJSON
import SteleModel

/// An attribute with its transformer.
package final class TransformedAttribute: Sendable {
    private let name: String
    private let transformer: any ValueTransformer

    /// Nil for an attribute whose stored bytes are JSON.
    init?(_ attribute: Attribute) {
        guard let transformer = attribute.valueTransformer else { return nil }
        name = attribute.name
        self.transformer = transformer
    }

    /// Appends the value of stored bytes. Bytes that cannot be read become the writer's failure. An
    /// object with the reason is appended for output that is sent all the same, such as an event.
    /// - Parameter key: the key of the object, if it is known.
    package func write(_ bytes: [UInt8], key: Int64?, to writer: inout ByteWriter) {
        do throws(TransformationError) {
            writer.raw(try transformer.value(bytes))
        } catch {
            writer.fail(UnreadableValue(attribute: name, key: key, error: error))
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
    /// The bytes that an attribute's transformer makes of a value in a body.
    static func transformed(_ node: JSONNode, _ attribute: Attribute) throws -> [UInt8] {
        if attribute.isPlainJSON { return node.canonical }
        guard let transformer = attribute.valueTransformer else {
            throw Mismatch("has a transformer that this service does not have")
        }
        do throws(TransformationError) { return try transformer.stored(node.canonical) } catch {
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
