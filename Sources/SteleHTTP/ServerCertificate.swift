// The certificate of TLS connections.

import CGnuTLS
import SteleSystem

// @unchecked: what GnuTLS made is not changed afterwards.
/// A certificate with its chain and its private key, as a server presents it.
///
/// GnuTLS asks for it in each handshake, by a function without a context, so a process has one.
public final class ServerCertificate: @unchecked Sendable {
    let chain: UnsafeMutablePointer<gnutls_pcert_st>
    let count: UInt32
    fileprivate let key: gnutls_privkey_t
    /// What it was read from.
    private let source: [[UInt8]]

    /// The most certificates of a chain.
    private static let longestChain = 16
    /// All that were presented, the present one last. Handshakes may still use the others, and
    /// there are as many as renewals, so they are kept.
    private static let presented = Mutex<[ServerCertificate]>([])

    /// Reads a certificate and its key.
    /// - Parameters:
    ///   - certificate: the certificate in PEM, followed by those of its issuers, in any order.
    ///   - key: the private key in PEM, without a password.
    /// - Throws: `HTTPServerError.certificate` for text that is neither, and for a key of another
    ///   certificate.
    public init(certificate: [UInt8], key: [UInt8]) throws(HTTPServerError) {
        var count = UInt32(Self.longestChain)
        let chain = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Self.longestChain)
        var made: gnutls_privkey_t?
        do throws(HTTPServerError) {
            try Self.check("the certificate") {
                Self.withDatum(certificate) { pem in
                    gnutls_pcert_list_import_x509_raw(
                        chain, &count, pem, GNUTLS_X509_FMT_PEM, stele_gnutls_sorted)
                }
            }
        } catch {
            chain.deallocate()
            throw error
        }
        (self.chain, self.count) = (chain, count)
        // GnuTLS reads up to the last whole one.
        let begun =
            String(decoding: certificate, as: UTF8.self).split(
                separator: "-----BEGIN", omittingEmptySubsequences: false
            ).count - 1
        let isWhole = begun == Int(count)
        try Self.check("the key") { gnutls_privkey_init(&made) }
        guard let made else { throw .certificate(reason: "the key: no memory") }
        self.key = made
        source = [certificate, key]
        try Self.check("the key") {
            Self.withDatum(key) { pem in
                gnutls_privkey_import_x509_raw(made, pem, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard isWhole else {
            throw .certificate(
                reason: "the certificate: the file has more than whole certificates, or ends "
                    + "within one")
        }
        guard try keyOfCertificate() == keyOfKey() else {
            throw .certificate(reason: "the key is not that of the certificate")
        }
    }

    deinit {
        for index in 0..<Int(count) { gnutls_pcert_deinit(chain + index) }
        chain.deallocate()
        gnutls_privkey_deinit(key)
    }

    /// Presents it in all handshakes from now on. Connections that are open stay as they are.
    /// - Returns: false where the same is presented already.
    @discardableResult
    public func present() -> Bool {
        Self.presented.withLock { presented in
            if presented.last?.source == source { return false }
            presented.append(self)
            return true
        }
    }

    /// The one that is presented.
    fileprivate static var present: ServerCertificate? { presented.withLock { $0.last } }

    private func keyOfCertificate() throws(HTTPServerError) -> [UInt8] {
        try Self.identifier(of: chain.pointee.pubkey)
    }

    private func keyOfKey() throws(HTTPServerError) -> [UInt8] {
        var made: gnutls_pubkey_t?
        try Self.check("the key") { gnutls_pubkey_init(&made) }
        defer { gnutls_pubkey_deinit(made) }
        try Self.check("the key") { gnutls_pubkey_import_privkey(made, key, 0, 0) }
        return try Self.identifier(of: made)
    }

    private static func identifier(of key: gnutls_pubkey_t?) throws(HTTPServerError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var size = bytes.count
        try check("the key") { gnutls_pubkey_get_key_id(key, 0, &bytes, &size) }
        return Array(bytes.prefix(size))
    }

    private static func check(
        _ what: String, _ call: () -> Int32
    ) throws(HTTPServerError) {
        let status = call()
        guard status < 0 else { return }
        let reason =
            switch status {
            case GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, GNUTLS_E_BASE64_DECODING_ERROR,
                GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR:
                "it is not in the file in PEM"
            case GNUTLS_E_DECRYPTION_FAILED: "it must not have a password"
            default: String(cString: gnutls_strerror(status))
            }
        throw .certificate(reason: "\(what): \(reason)")
    }

    private static func withDatum<R>(
        _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> R
    ) -> R {
        var bytes = bytes
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            return body(&datum)
        }
    }
}

/// GnuTLS's `gnutls_certificate_retrieve_function2`.
func presentCertificate(
    _ session: gnutls_session_t?, _ authorities: UnsafePointer<gnutls_datum_t>?, _ many: Int32,
    _ algorithms: UnsafePointer<gnutls_pk_algorithm_t>?, _ number: Int32,
    _ chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
    _ count: UnsafeMutablePointer<UInt32>?, _ key: UnsafeMutablePointer<gnutls_privkey_t?>?
) -> Int32 {
    guard let present = ServerCertificate.present, let chain, let count, let key else { return -1 }
    chain.pointee = present.chain
    count.pointee = present.count
    key.pointee = present.key
    return 0
}
