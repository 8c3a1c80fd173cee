/// Value transformers: what makes bytes of a Transformable attribute's values, by name.

internal import SteleJSON
import SteleSystem

/// Makes the bytes that a store keeps of a value, and the value of the bytes (NSValueTransformer).
///
/// A value is JSON, for that is what it is to clients; the bytes are the transformer's own. What is
/// to be stored comes in one form, `JSONNode.canonical`: a transformer that makes the same bytes of
/// the same text has equal values compare and group as one.
public protocol ValueTransformer: Sendable {
    /// The bytes to store for a value.
    /// - Parameter json: the value as a JSON text.
    /// - Throws: `TransformationError` for a value that it cannot take.
    func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8]

    /// The value of stored bytes, as a JSON text.
    /// - Throws: `TransformationError` for bytes that it has not made.
    func value(_ stored: [UInt8]) throws(TransformationError) -> [UInt8]

    /// Whether bytes that it cannot read are a sign that it is set up wrongly, as with another key:
    /// then it must not write over them.
    var guardsWhatItCannotRead: Bool { get }

    /// Whether its values must nowhere be kept but as the bytes that it makes.
    var isSecret: Bool { get }
}

extension ValueTransformer {
    /// False: what cannot be read may be replaced.
    public var guardsWhatItCannotRead: Bool { false }

    /// False: its values are no secret.
    public var isSecret: Bool { false }
}

/// Why a value or its bytes cannot be transformed.
public struct TransformationError: Error, Sendable, Hashable {
    /// What is wrong, to follow the attribute's name: "cannot be decrypted: the key does not fit".
    /// It never holds the value, nor any key.
    public var reason: String
    /// The way out, where there is one.
    public var hint: String?

    /// An error of that reason.
    public init(_ reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }
}

/// The transformers that models can name. They are the whole process's, as NSValueTransformer's:
/// register them before the first service is made.
public enum ValueTransformers {
    /// The names that stand for JSON as it is, which needs no transformer: none, and this one.
    public static let json = "JSONTransformer"
    /// The name of the transformer that encrypts; registered once there is a key.
    public static let encrypted = "AESGCMTransformer"

    private static let registered = Mutex<[String: any ValueTransformer]>([:])

    /// Makes a transformer known by a name (`setValueTransformer(_:forName:)`); the later one wins.
    public static func setValueTransformer(
        _ transformer: any ValueTransformer, forName name: String
    ) {
        registered.withLock { $0[name] = transformer }
    }

    /// The transformer of that name, or nil.
    public static func named(_ name: String) -> (any ValueTransformer)? {
        registered.withLock { $0[name] }
    }

    /// The names that are known, in their order.
    public static var names: [String] {
        ([json] + registered.withLock { Array($0.keys) }).sorted()
    }
}

extension Attribute {
    /// Whether its values are JSON in the store as they are to clients.
    public var isPlainJSON: Bool {
        type == .transformable && declaration.namesJSON
    }

    /// What makes bytes of its values; nil for plain JSON, for other types than Transformable, and
    /// for a name that nobody has registered.
    public var valueTransformer: (any ValueTransformer)? {
        guard type == .transformable, !isPlainJSON else { return nil }
        return declaration.valueTransformerName.flatMap { ValueTransformers.named($0) }
    }

    /// Whether a transformer encrypts its values (`ValueTransformer.isSecret`).
    public var isEncrypted: Bool { valueTransformer?.isSecret == true }
}

extension Attribute {
    /// Whether two values of it are the same. Those of a Transformable attribute are where their
    /// JSON is, but for the order of members: their bytes differ where one is encrypted, or was
    /// stored by an older version or another program.
    public func isSame(_ value: Value, as other: Value) -> Bool {
        if value == other { return true }
        guard type == .transformable, case .data(let one) = value, case .data(let two) = other,
            let json = canonicalJSON(one)
        else { return false }
        return json == canonicalJSON(two)
    }

    private func canonicalJSON(_ stored: [UInt8]) -> [UInt8]? {
        guard let json = isPlainJSON ? stored : try? valueTransformer?.value(stored) else {
            return nil
        }
        return (try? JSONDocument(json))?.root.canonical
    }
}

extension Model {
    /// Whether any attribute's values must nowhere be kept but as its transformer's bytes.
    public var hasSecrets: Bool {
        entities.contains { entity in
            entity.properties.contains { property in
                guard case .attribute(let it) = property else { return false }
                return it.nested.contains(where: \.isEncrypted)
            }
        }
    }
}

extension AttributeDescription {
    /// Whether its transformer is none, or the one that leaves JSON as it is.
    var namesJSON: Bool {
        switch valueTransformerName {
        case nil, "", ValueTransformers.json: true
        default: false
        }
    }
}
