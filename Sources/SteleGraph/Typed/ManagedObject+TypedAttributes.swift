@_exported import enum SteleJSON.JSONValue
import FoundationEssentials
import SteleJSON
import SteleModel

extension ManagedObject {
    /// The attribute with the name. `TypedModel.coordinator(store:)` checks that the model has it,
    /// so a missing attribute is a programming error.
    private func checkedAttribute(_ key: String) -> Attribute {
        guard let attribute = entity.attribute(named: key) else {
            preconditionFailure(
                "\(entity.name) has no attribute \(key): its class was generated from another model"
            )
        }
        return attribute
    }

    /// The value of an attribute; nil if it is null or has another type.
    /// - Precondition: The entity has an attribute of that name.
    public func attribute<T: AttributeValue>(forKey key: String) -> T? {
        T(attributeValue: value(checkedAttribute(key)))
    }

    /// Sets the value of an attribute. The value is validated when the context is saved.
    /// - Precondition: The entity has an attribute of that name.
    public func setAttribute(_ value: (some AttributeValue)?, forKey key: String) {
        setValue(value?.attributeValue ?? .null, for: checkedAttribute(key))
    }

    // MARK: Transformable attributes

    /// The value of a Transformable attribute; nil if it is null.
    /// - Throws: `TypedObjectError.untransformable` if the stored value cannot be decoded as `T`.
    /// - Precondition: The entity has an attribute of that name.
    public func transformable<T: Decodable>(forKey key: String) throws -> T? {
        guard let json = try storedJSON(key) else { return nil }
        do { return try JSONDecoder().decode(T.self, from: Data(json)) } catch {
            throw untransformable(key, "the stored value is not \(T.self)")
        }
    }

    /// The value of a Transformable attribute as JSON, for attributes whose class is unknown.
    /// - Throws: `TypedObjectError.untransformable` if the stored value is not JSON.
    /// - Precondition: The entity has an attribute of that name.
    public func transformable(forKey key: String) throws -> JSONValue? {
        guard let json = try storedJSON(key) else { return nil }
        do { return JSONValue(try JSONDocument(json).root) } catch {
            throw untransformable(key, "the stored value is not JSON")
        }
    }

    /// Sets the value of a Transformable attribute.
    /// - Throws: `TypedObjectError.untransformable` if the value cannot be encoded as JSON, or if
    ///   the stored value cannot be read and its transformer protects such values
    ///   (`guardsWhatItCannotRead`).
    /// - Precondition: The entity has an attribute of that name.
    public func setTransformable(_ value: (some Encodable)?, forKey key: String) throws {
        try checkReplaceable(key)
        guard let value else { return setValue(.null, for: checkedAttribute(key)) }
        let json: Data
        do { json = try JSONEncoder().encode(value) } catch {
            throw untransformable(key, "the value cannot be written as JSON")
        }
        try setJSON([UInt8](json), key)
    }

    /// Sets the value of a Transformable attribute to JSON.
    /// - Throws: `TypedObjectError.untransformable`.
    /// - Precondition: The entity has an attribute of that name.
    public func setTransformable(_ value: JSONValue?, forKey key: String) throws {
        try checkReplaceable(key)
        guard let value else { return setValue(.null, for: checkedAttribute(key)) }
        try setJSON(Array(value.compact.utf8), key)
    }

    private func storedJSON(_ key: String) throws(TypedObjectError) -> [UInt8]? {
        let attribute = checkedAttribute(key)
        guard case .data(let stored) = value(attribute) else { return nil }
        do throws(TransformationError) {
            // The reason of a transformer says more than the bytes.
            if let transformer = attribute.valueTransformer {
                return try transformer.value(stored)
            }
            return try attribute.json(of: stored)
        } catch {
            throw untransformable(key, error.reason)
        }
    }

    /// Checks that the stored value can be read. A value encrypted with another key must not be
    /// overwritten.
    private func checkReplaceable(_ key: String) throws(TypedObjectError) {
        let attribute = checkedAttribute(key)
        guard case .data(let stored) = value(attribute),
            let transformer = attribute.valueTransformer, transformer.guardsWhatItCannotRead
        else { return }
        do { _ = try transformer.value(stored) } catch { throw untransformable(key, error.reason) }
    }

    private func setJSON(_ json: [UInt8], _ key: String) throws(TypedObjectError) {
        let attribute = checkedAttribute(key)
        let json = (try? JSONDocument(json))?.root.canonical ?? json
        let stored: [UInt8]
        do { stored = try attribute.stored(json) } catch {
            throw untransformable(key, error.reason)
        }
        if attribute.isSame(.data(stored), as: value(attribute)) { return }
        setValue(.data(stored), for: attribute)
    }

    private func untransformable(_ key: String, _ reason: String) -> TypedObjectError {
        .untransformable(attribute: "\(entity.name).\(key)", reason: reason)
    }
}
