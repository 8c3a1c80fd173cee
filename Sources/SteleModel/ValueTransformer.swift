internal import SteleJSON
import SteleSystem

/// Converts the values of a Transformable attribute to and from stored bytes (NSValueTransformer).
///
/// A value is JSON text, as clients see it; the bytes have the transformer's own format. The JSON
/// to store is always in the form of `JSONNode.canonical`, so that a transformer that makes the
/// same bytes of the same text lets stores compare and group values.
public protocol ValueTransformer: Sendable {
    /// The bytes to store.
    /// - Parameter json: the value as JSON text.
    /// - Throws: `TransformationError` for a value that it does not accept.
    func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8]

    /// The value as JSON text.
    /// - Throws: `TransformationError` for bytes that it has not made.
    func value(_ stored: [UInt8]) throws(TransformationError) -> [UInt8]

    /// Whether unreadable bytes indicate a wrong setup, such as a different key. If so, they must
    /// not be overwritten.
    var guardsWhatItCannotRead: Bool { get }

    /// Whether values must not be kept anywhere except as the transformer's bytes.
    var isSecret: Bool { get }

    /// The keys, such as `$date`, of which an object with only one is a value that JSON does not
    /// have. If there are any, `{"$dictionary":{…}}` is an object whose one key begins with `$`.
    var tags: [String] { get }
}

extension ValueTransformer {
    /// False: unreadable bytes may be overwritten.
    public var guardsWhatItCannotRead: Bool { false }

    /// False: the values are not secret.
    public var isSecret: Bool { false }

    /// None: every object is one.
    public var tags: [String] { [] }
}

/// The error of a value transformer.
public struct TransformationError: Error, Sendable, Hashable {
    /// What is wrong, as a predicate of the attribute's name: "cannot be decrypted: the key does
    /// not fit". It never contains the value or a key.
    public var reason: String
    /// How to correct it; nil if that is not known.
    public var hint: String?

    /// Creates an error.
    public init(_ reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }
}

extension TransformationError: CustomStringConvertible {
    /// The error as a sentence, whose subject is "the value".
    public var description: String {
        "the value \(reason)" + (hint.map { " (\($0))" } ?? "")
    }
}

/// The registry of value transformers. It is global to the process, as for NSValueTransformer:
/// register transformers before the first store is opened.
public enum ValueTransformers {
    /// The name of the transformer that leaves JSON unchanged. It is the default and needs no
    /// registration.
    public static let json = "JSONTransformer"
    /// The name of the transformer that encrypts, which is registered if there is a key.
    public static let encrypted = "AESGCMTransformer"

    private static let strict = Mutex(false)

    /// Whether stores refuse a model with a transformer that is not registered. Otherwise the
    /// values of its attribute are their bytes.
    public static var isStrict: Bool {
        get { strict.withLock { $0 } }
        set { strict.withLock { $0 = newValue } }
    }

    private static let registered = Mutex<[String: any ValueTransformer]>([:])

    /// Registers a transformer by name (`setValueTransformer(_:forName:)`), replacing an earlier
    /// one.
    public static func setValueTransformer(
        _ transformer: any ValueTransformer, forName name: String
    ) {
        registered.withLock { $0[name] = transformer }
    }

    /// The transformer of that name; nil if there is none.
    public static func named(_ name: String) -> (any ValueTransformer)? {
        registered.withLock { $0[name] }
    }

    /// The registered names, sorted.
    public static var names: [String] {
        ([json] + registered.withLock { Array($0.keys) }).sorted()
    }
}

extension Attribute {
    /// Whether stored values are JSON text.
    public var isPlainJSON: Bool {
        type == .transformable && declaration.namesJSON
    }

    /// The transformer of its values; nil for JSON text, for other types than Transformable, and
    /// for a name that is not registered (`json(of:)`).
    public var valueTransformer: (any ValueTransformer)? {
        guard type == .transformable, !isPlainJSON else { return nil }
        return declaration.valueTransformerName.flatMap { ValueTransformers.named($0) }
    }

    /// Whether its values are encrypted (`ValueTransformer.isSecret`).
    public var isEncrypted: Bool { valueTransformer?.isSecret == true }
}

extension Attribute {
    /// Whether two of its values are the same. Values of a Transformable attribute are if their
    /// JSON is, ignoring the order of members: their bytes may differ if they are encrypted, or
    /// were written by an older version or another program.
    public func isSame(_ value: Value, as other: Value) -> Bool {
        if value == other { return true }
        guard type == .transformable, case .data(let one) = value, case .data(let two) = other,
            let json = canonicalJSON(one)
        else { return false }
        return json == canonicalJSON(two)
    }

    private func canonicalJSON(_ stored: [UInt8]) -> [UInt8]? {
        guard let json = try? json(of: stored) else { return nil }
        return (try? JSONDocument(json))?.root.canonical
    }
}

extension Model {
    /// Whether any attribute is encrypted.
    package var hasSecrets: Bool {
        entities.contains { entity in
            entity.properties.contains { property in
                guard case .attribute(let it) = property else { return false }
                return it.nested.contains(where: \.isEncrypted)
            }
        }
    }
}

extension AttributeDescription {
    /// Whether it has a transformer that is not registered, so that its values are their bytes.
    var isOpaque: Bool {
        guard type == .transformable, !namesJSON, let name = valueTransformerName else {
            return false
        }
        return name != ValueTransformers.encrypted && ValueTransformers.named(name) == nil
    }

    /// Whether values are JSON text, because the attribute has no transformer or the one for JSON.
    var namesJSON: Bool {
        switch valueTransformerName {
        case nil, "", ValueTransformers.json: true
        default: false
        }
    }
}
