/// Base64 text to bytes.

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// RFC 4648's base64.
enum Base64 {
    /// The bytes, or nil where the text is none.
    static func bytes(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { [UInt8]($0) }
    }
}
