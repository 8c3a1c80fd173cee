/// A Transformable attribute whose bytes a transformer makes JSON of.

import SteleJSON
import SteleModel

/// An attribute with its transformer, looked up once.
package final class TransformedAttribute: Sendable {
    private let name: String
    private let transformer: any ValueTransformer

    /// Nil for an attribute whose values are JSON as they are stored.
    package init?(_ attribute: Attribute) {
        guard let transformer = attribute.valueTransformer else { return nil }
        name = attribute.name
        self.transformer = transformer
    }

    /// Appends the value of stored bytes. Bytes that cannot be read are the failure of the answer,
    /// and where it goes out all the same, as an event does, an object that says so.
    /// - Parameter key: the object's key, where it is known.
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

/// That a stored value cannot be read by its attribute's transformer.
package struct UnreadableValue: Error {
    package let attribute: String
    package let key: Int64?
    package let error: TransformationError

    /// What a client is told.
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
    package static func transformed(_ node: JSONNode, _ attribute: Attribute) throws -> [UInt8] {
        if attribute.isPlainJSON { return node.canonical }
        guard let transformer = attribute.valueTransformer else {
            throw Mismatch("has a transformer that this service does not have")
        }
        do throws(TransformationError) { return try transformer.stored(node.canonical) } catch {
            throw Mismatch(error.reason, hint: error.hint)
        }
    }

    /// That a value may be written over: not where the old one cannot be read for want of the right
    /// key, which is a mistake of who set the service up.
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
