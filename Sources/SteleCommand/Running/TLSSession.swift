/// TLS for commands that send requests.

import CGnuTLS
import Glibc

/// A client's session over a socket, which it does not close.
final class TLSSession {
    /// Which certificates are trusted.
    enum Trust: Equatable {
        /// Those of the system and of a file in PEM, if one is given, for the host that is called.
        case system(and: String?)
        /// Any: for a service on this machine, whose certificate names another host.
        case any
    }

    private var session: gnutls_session_t?
    /// GnuTLS keeps the address of the name, not the name.
    private let host: UnsafeMutablePointer<CChar>?
    private var credentials: gnutls_certificate_credentials_t?

    /// Makes the handshake.
    /// - Parameter host: the name or address that the certificate must have.
    /// - Throws: `Failure` where it fails, or the certificate is not trusted.
    init(on socket: Int32, to host: String, _ trust: Trust) throws {
        self.host = strdup(host)
        gnutls_certificate_allocate_credentials(&credentials)
        // Not GNUTLS_NONBLOCK: the socket waits for a bounded time.
        gnutls_init(&session, UInt32(GNUTLS_CLIENT))
        gnutls_set_default_priority(session)
        if case .system(let file) = trust {
            gnutls_certificate_set_x509_system_trust(credentials)
            if let file {
                let count = gnutls_certificate_set_x509_trust_file(
                    credentials, file, GNUTLS_X509_FMT_PEM)
                guard count > 0 else { throw Failure("\(file) has no certificate in PEM") }
            }
            gnutls_session_set_verify_cert(session, self.host, 0)
        }
        gnutls_credentials_set(
            session, GNUTLS_CRD_CERTIFICATE, credentials.map { UnsafeMutableRawPointer($0) })
        let isName = host.contains { $0.isLetter } && !host.contains(":")
        if isName {
            gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, host.utf8.count)
        }
        gnutls_transport_set_int2(session, socket, socket)
        var status = gnutls_handshake(session)
        // Warnings, and signals. GNUTLS_E_AGAIN is the end of the socket's patience.
        while status < 0, status != GNUTLS_E_AGAIN, gnutls_error_is_fatal(status) == 0 {
            status = gnutls_handshake(session)
        }
        guard status == 0 else { throw Failure("no TLS with \(host): \(reason(status))") }
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
        free(host)
    }

    private func reason(_ status: Int32) -> String {
        guard status == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR else {
            return String(cString: gnutls_strerror(status))
        }
        var text = gnutls_datum_t()
        let found = gnutls_session_get_verify_cert_status(session)
        gnutls_certificate_verification_status_print(found, GNUTLS_CRT_X509, &text, 0)
        defer { stele_gnutls_free(text.data) }
        guard let bytes = text.data else { return "the certificate is not trusted" }
        let sentence = String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(text.size)), as: UTF8.self)
        return String(sentence.reversed().drop { $0 == " " || $0 == "." }.reversed())
    }

    /// Sends bytes, and returns how many; 0 or less for an error.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        gnutls_record_send(session, bytes.baseAddress, bytes.count)
    }

    /// Receives bytes, and returns how many; 0 or less where the connection has ended, or none have
    /// come in time.
    func receive(_ room: UnsafeMutableRawBufferPointer) -> Int {
        var count = gnutls_record_recv(session, room.baseAddress, room.count)
        while count == Int(GNUTLS_E_INTERRUPTED) {
            count = gnutls_record_recv(session, room.baseAddress, room.count)
        }
        return count
    }
}
