// Authenticated encryption.

import CGnuTLS

/// AES-GCM (NIST SP 800-38D) with a key of 256 bits. What is sealed begins with a nonce of 12 bytes,
/// which is drawn for each, and ends with a tag of 16 bytes.
package enum SealedBytes {
    private static let nonceLength = 12
    private static let tagLength = 16
    /// The length of a key in bytes.
    package static let keyLength = 32

    /// Encrypts bytes; nil for a key of another length.
    package static func seal(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        let nonce = randomBytes(nonceLength)
        let sealed = run(key, capacity: bytes.count + tagLength) { cipher, output, length in
            gnutls_aead_cipher_encrypt(
                cipher, nonce, nonce.count, nil, 0, tagLength, bytes, bytes.count, output, length)
        }
        return sealed.map { nonce + $0 }
    }

    /// Decrypts what `seal` made; nil for another key and for bytes that were changed.
    package static func open(_ sealed: some Sequence<UInt8>, key: [UInt8]) -> [UInt8]? {
        let sealed = Array(sealed)
        guard isPlausible(sealed) else { return nil }
        let nonce = Array(sealed.prefix(nonceLength))
        let text = Array(sealed.dropFirst(nonceLength))
        return run(key, capacity: text.count - tagLength) { cipher, output, length in
            gnutls_aead_cipher_decrypt(
                cipher, nonce, nonce.count, nil, 0, tagLength, text, text.count, output, length)
        }
    }

    /// Whether bytes are long enough for a nonce and a tag.
    package static func isPlausible(_ sealed: some Collection<UInt8>) -> Bool {
        sealed.count >= nonceLength + tagLength
    }

    /// Runs a cipher into a buffer. A cipher keeps the nonce of its last use, so that each use has
    /// one of its own.
    private static func run(
        _ key: [UInt8], capacity: Int,
        _ body:
            (gnutls_aead_cipher_hd_t, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) ->
            Int32
    ) -> [UInt8]? {
        guard key.count == keyLength else { return nil }
        var made: gnutls_aead_cipher_hd_t?
        let isMade = withDatum(key) {
            gnutls_aead_cipher_init(&made, GNUTLS_CIPHER_AES_256_GCM, $0)
        }
        guard isMade == 0, let cipher = made else { return nil }
        defer { gnutls_aead_cipher_deinit(cipher) }
        var code: Int32 = -1
        // An empty text needs an address as well.
        let output = [UInt8](unsafeUninitializedCapacity: max(capacity, 1)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            var length = capacity
            code = body(cipher, start, &length)
            count = code == 0 ? length : 0
        }
        return code == 0 ? output : nil
    }
}
