/// Values of Transformable attributes as JSON, also where no transformer reads their bytes.

internal import SteleJSON

/// The JSON form of bytes that are not read:
/// `{"$transformer":"ColorsTransformer","$base64":"…"}`, without `$transformer` for an attribute that
/// names none.
package enum OpaqueValue {
    /// The JSON text of bytes.
    /// - Parameter transformer: the name of the attribute's transformer; nil if it names none.
    package static func json(_ bytes: [UInt8], transformer: String?) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count * 4 / 3 + 64)
        writer.byte(UInt8(ascii: "{"))
        if let transformer {
            writer.raw("\"$transformer\":")
            writer.string(transformer)
            writer.byte(UInt8(ascii: ","))
        }
        writer.raw("\"$base64\":")
        writer.base64(bytes)
        writer.byte(UInt8(ascii: "}"))
        return writer.take()
    }

    /// The bytes that a value in this form has; nil for all other JSON.
    /// - Parameter json: JSON text in the form of `JSONNode.canonical`.
    static func bytes(_ json: [UInt8], transformer: String?) -> [UInt8]? {
        guard json.starts(with: #"{"$base64":"#.utf8), let root = try? JSONDocument(json).root,
            root.count == (transformer == nil ? 1 : 2),
            root["$transformer"]?.string == transformer
        else { return nil }
        return root["$base64"]?.string.flatMap { Base64.decode($0) }
    }
}

extension Attribute {
    /// The JSON text of the stored bytes of a Transformable attribute. Bytes that are not JSON, or
    /// that its transformer cannot read, have the form of `OpaqueValue`.
    /// - Throws: `TransformationError` if the transformer cannot read the bytes and guards such
    ///   values.
    public func json(of stored: [UInt8]) throws(TransformationError) -> [UInt8] {
        if isPlainJSON, Self.isJSON(stored) { return stored }
        if let transformer = valueTransformer {
            do throws(TransformationError) { return try transformer.value(stored) } catch {
                if transformer.guardsWhatItCannotRead { throw error }
            }
        }
        return OpaqueValue.json(stored, transformer: transformerName)
    }

    /// The bytes to store of a Transformable attribute's value. The form of `OpaqueValue` gives its
    /// bytes, unless they are bytes that would not be shown in this form.
    /// - Parameter json: JSON text in the form of `JSONNode.canonical`.
    /// - Throws: `TransformationError` for a value that the transformer does not accept or that nests
    ///   too deeply, and for any other form if the transformer is not registered.
    public func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8] {
        let transformer = valueTransformer
        if transformer?.guardsWhatItCannotRead != true,
            let bytes = OpaqueValue.bytes(json, transformer: transformerName), !reads(bytes)
        {
            return bytes
        }
        guard JSONDocument.depth(of: json) <= JSONDocument.valueDepthLimit else {
            throw .tooDeep
        }
        if isPlainJSON { return json }
        if let transformer { return try transformer.stored(json) }
        let name = transformerName ?? ""
        throw TransformationError(
            "has the value transformer \(name), which is not registered: a value is its bytes",
            hint: "send {\"$transformer\":\"\(name)\",\"$base64\":\"…\"}")
    }

    /// Whether it has a transformer that is not registered, so that its values are their bytes.
    package var isOpaque: Bool { type == .transformable && declaration.isOpaque }

    private var transformerName: String? { isPlainJSON ? nil : declaration.valueTransformerName }

    /// Whether stored bytes are JSON that every request can carry.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        (try? JSONDocument(bytes, depth: JSONDocument.valueDepthLimit)) != nil
    }

    private func reads(_ bytes: [UInt8]) -> Bool {
        if isPlainJSON { return Self.isJSON(bytes) }
        return (try? valueTransformer?.value(bytes)) != nil
    }
}

extension TransformationError {
    /// A value that nests too deeply.
    package static var tooDeep: TransformationError {
        TransformationError(
            "nests arrays and objects deeper than \(JSONDocument.valueDepthLimit) levels",
            hint: "store its inner parts as texts, or as objects of their own")
    }
}
