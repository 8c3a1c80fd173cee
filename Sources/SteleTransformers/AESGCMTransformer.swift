/// Encryption of Transformable values.

import FoundationEssentials
import SteleCrypto
import SteleModel

/// Encrypts JSON by AES-GCM with a key of 256 bits. The stored bytes are a 1, a nonce of 12 bytes
/// that is drawn for each value, the encrypted text, and a tag of 16 bytes.
public struct AESGCMTransformer: ValueTransformer, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    private let key: [UInt8]
    private static let version: UInt8 = 1

    /// A transformer with a key.
    /// - Parameter text: 32 bytes in base64 or as 64 hexadecimal digits; white space is ignored.
    /// - Throws: `TransformationError` for any other text. The error does not contain the text.
    public init(key text: String) throws(TransformationError) {
        let digits = text.filter { !$0.isWhitespace }
        guard
            let bytes = Self.hexadecimal(digits)
                ?? Data(base64Encoded: digits).map({ [UInt8]($0) }),
            bytes.count == SealedBytes.keyLength
        else {
            throw TransformationError(
                "is not a key of 256 bits",
                hint: "make one with: openssl rand -base64 32")
        }
        key = bytes
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: 64, by: 2) {
            guard
                let byte = UInt8(
                    String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Encrypts JSON.
    /// - Throws: `TransformationError` where the encryption fails.
    public func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8] {
        guard let sealed = SealedBytes.seal(json, key: key) else {
            throw TransformationError("cannot be encrypted")
        }
        return [Self.version] + sealed
    }

    /// Decrypts to JSON.
    /// - Throws: `TransformationError` for bytes that were encrypted with another key or changed.
    public func value(_ stored: [UInt8]) throws(TransformationError) -> [UInt8] {
        let sealed = stored.dropFirst()
        guard stored.first == Self.version, SealedBytes.isPlausible(sealed) else {
            throw TransformationError("cannot be decrypted: it was not encrypted by Stele")
        }
        guard let opened = SealedBytes.open(sealed, key: key) else {
            throw TransformationError(
                "cannot be decrypted: the key does not fit, or the bytes were changed",
                hint: "start the service with the key that it was written with")
        }
        return opened
    }

    /// A value that cannot be decrypted is not overwritten.
    public var guardsWhatItCannotRead: Bool { true }
    /// The value does not appear in errors or logs.
    public var isSecret: Bool { true }

    /// The type's name, without the key.
    public var description: String { "AESGCMTransformer" }
    /// The type's name, without the key.
    public var debugDescription: String { description }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
