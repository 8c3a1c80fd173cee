/// Tokens and tickets: long random numbers as text.

import SteleCrypto

/// Makes secrets that a client sends.
package enum Secret {
    /// Returns 32 random bytes, in letters that need no escape in a header, an address or a shell.
    package static func make() -> String {
        hexadecimal(randomBytes(32))
    }

    /// The SHA-256 of a secret, by which a file knows it.
    package static func hash(_ secret: some Sequence<UInt8>) -> [UInt8] {
        Digest.sha256(Array(secret))
    }

    /// Two digits for each byte.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
