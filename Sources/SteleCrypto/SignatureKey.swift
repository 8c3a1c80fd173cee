// Verification of signatures.

import CGnuTLS

/// A key that verifies signatures by one of the algorithms of RFC 7518.
package struct SignatureKey: Sendable {
    private enum Material: Sendable {
        case secret([UInt8])
        case rsa(PublicKey)
        case p256(PublicKey)
    }

    private let material: Material

    /// A secret for HMAC with SHA-256 (HS256).
    package init(secret: [UInt8]) { material = .secret(secret) }

    /// A public key for RSA with SHA-256 and the padding of PKCS 1, version 1.5 (RS256).
    ///
    /// Nil for numbers that are no RSA key, or one of less than 2048 or more than 16384 bits.
    package init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
        let read = PublicKey { key in
            withDatum(modulus) { n in
                withDatum(exponent) { e in gnutls_pubkey_import_rsa_raw(key, n, e) }
            }
        }
        guard let key = read, (2_048...16_384).contains(key.bits),
            exponent.last.map({ $0 & 1 == 1 }) == true,
            modulus.last.map({ $0 & 1 == 1 }) == true, exponent.drop(while: { $0 == 0 }) != [1],
            // A larger one only makes each verification slower.
            exponent.drop(while: { $0 == 0 }).count <= 8
        else { return nil }
        material = .rsa(key)
    }

    /// A point of the curve P-256 for ECDSA with SHA-256 (ES256).
    ///
    /// Nil for coordinates that are no point of it.
    package init?(p256X x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        let read = PublicKey { key in
            withDatum(x) { x in
                withDatum(y) { y in
                    gnutls_pubkey_import_ecc_raw(key, GNUTLS_ECC_CURVE_SECP256R1, x, y)
                }
            }
        }
        guard let key = read, key.isValid else { return nil }
        material = .p256(key)
    }

    /// Whether the key, or the private key that belongs to it, has signed these bytes.
    package func verifies(_ signature: [UInt8], of signed: [UInt8]) -> Bool {
        switch material {
        case .secret(let secret):
            var code = [UInt8](repeating: 0, count: 32)
            guard
                gnutls_hmac_fast(
                    GNUTLS_MAC_SHA256, secret, secret.count, signed, signed.count, &code) == 0,
                signature.count == code.count
            else { return false }
            return gnutls_memcmp(signature, code, code.count) == 0
        case .rsa(let key):
            return key.verifies(signature, of: signed, GNUTLS_SIGN_RSA_SHA256)
        case .p256(let key):
            // The two numbers one after the other (RFC 7518, 3.4), which GnuTLS takes in DER.
            guard signature.count == 64, let encoded = Self.der(signature) else { return false }
            return key.verifies(encoded, of: signed, GNUTLS_SIGN_ECDSA_SHA256)
        }
    }

    private static func der(_ signature: [UInt8]) -> [UInt8]? {
        var encoded = gnutls_datum_t()
        let code = withDatum(Array(signature.prefix(32))) { r in
            withDatum(Array(signature.suffix(32))) { s in
                gnutls_encode_rs_value(&encoded, r, s)
            }
        }
        guard code == 0, let bytes = encoded.data else { return nil }
        defer { stele_gnutls_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(encoded.size)))
    }
}

// @unchecked: GnuTLS only reads the key after it is made.
/// A public key of GnuTLS.
private final class PublicKey: @unchecked Sendable {
    private let key: gnutls_pubkey_t

    /// Nil where `read` returns an error code of GnuTLS.
    init?(_ read: (gnutls_pubkey_t) -> Int32) {
        var made: gnutls_pubkey_t?
        guard gnutls_pubkey_init(&made) == 0, let made else { return nil }
        key = made
        guard read(made) == 0 else { return nil }
    }

    deinit { gnutls_pubkey_deinit(key) }

    /// The length of the modulus or of the curve's field.
    var bits: Int {
        var bits: UInt32 = 0
        return gnutls_pubkey_get_pk_algorithm(key, &bits) >= 0 ? Int(bits) : 0
    }

    /// Whether the parameters are those of a key.
    var isValid: Bool { gnutls_pubkey_verify_params(key) == 0 }

    func verifies(
        _ signature: [UInt8], of signed: [UInt8], _ algorithm: gnutls_sign_algorithm_t
    ) -> Bool {
        withDatum(signed) { signed in
            withDatum(signature) { signature in
                gnutls_pubkey_verify_data2(key, algorithm, 0, signed, signature)
            }
        } >= 0
    }
}
