// A page with its validator.

import SteleCrypto
import SteleRequests

/// The bytes of an answer that are the same until the service has another model or program.
struct Page: Sendable {
    let bytes: [UInt8]
    /// The entity tag without quotes: a hash of the bytes.
    let tag: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tag = Secret.hexadecimal(Digest.sha256(bytes).prefix(16))
    }
}
