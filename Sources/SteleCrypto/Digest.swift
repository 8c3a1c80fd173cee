// Hashes of bytes.

import CGnuTLS

/// A hash of the SHA-2 family (FIPS 180-4) over bytes that come in parts.
package struct Digest: ~Copyable {
    /// The function.
    package enum Function {
        case sha256
        case sha512

        fileprivate var identifier: gnutls_digest_algorithm_t {
            switch self {
            case .sha256: GNUTLS_DIG_SHA256
            case .sha512: GNUTLS_DIG_SHA512
            }
        }

        /// The length of a hash in bytes.
        fileprivate var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    private let handle: gnutls_hash_hd_t
    private let function: Function

    /// Begins a hash of no bytes.
    package init(_ function: Function = .sha256) {
        var made: gnutls_hash_hd_t?
        // Every GnuTLS has both functions, so that this fails only without memory.
        guard gnutls_hash_init(&made, function.identifier) == 0, let made else {
            preconditionFailure("there is no memory for a hash")
        }
        handle = made
        self.function = function
    }

    deinit { gnutls_hash_deinit(handle, nil) }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        gnutls_hash(handle, start, bytes.count)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) != nil {
            return
        }
        Array(bytes).withUnsafeBytes { update($0) }
    }

    /// The hash of all bytes.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: function.length) { hash, count in
            gnutls_hash_output(handle, hash.baseAddress)
            count = function.length
        }
    }

    /// The SHA-256 of bytes.
    package static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digest = Digest()
        digest.update(bytes)
        return digest.finish()
    }
}
