// The files that say who may use a service, and by what connection.

import FoundationEssentials
import SteleRequests
import SteleSystem

/// The rights file with the keys that it names, and the certificate with its key. A server reads
/// them at its start, and again after SIGHUP.
public struct SecurityFiles: Sendable {
    /// The path of the roles and tokens in JSON (Docs/Rights.md); nil for none.
    public var rights: String?
    /// The path of the certificate for TLS in PEM, followed by those of its issuers; nil for
    /// connections without TLS. A process presents one certificate, whatever servers it has.
    public var certificate: String?
    /// The path of the certificate's private key in PEM, without a password. It is given if the
    /// certificate is.
    public var key: String?

    /// Names the files. None is read yet.
    public init(rights: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.rights, self.certificate, self.key) = (rights, certificate, key)
    }

    /// Whether there is none.
    package var areNone: Bool { rights == nil && certificate == nil }

    /// Reads the rights file; nil without one.
    /// - Throws: `HTTPServerError.setting` with the path of a file that cannot be used.
    package func readRights() throws(HTTPServerError) -> RightsFile? {
        guard let rights else { return nil }
        let text = String(decoding: try Self.bytes(rights, "rights"), as: UTF8.self)
        do throws(RightsError) {
            return try RightsFile(text) { other throws(RightsError) in
                let path = URL(filePath: other, relativeTo: URL(filePath: rights)).path
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw RightsError(
                        "the file \(path) cannot be read\(FileKind.reason(ofUnreadable: path))")
                }
                return String(decoding: data, as: UTF8.self)
            }
        } catch { throw .setting(name: rights, reason: "\(error)") }
    }

    /// Reads the certificate; nil without one.
    /// - Throws: `HTTPServerError.setting` with the path of a file that cannot be used, and for one
    ///   of the two files without the other.
    package func readCertificate() throws(HTTPServerError) -> ServerCertificate? {
        if certificate == nil, key == nil { return nil }
        guard let certificate, let key else {
            let (given, other) = key == nil ? ("certificate", "key") : ("key", "certificate")
            throw .setting(name: "tls-\(other)", reason: "the \(given) needs the \(other)")
        }
        let (chain, secret) = (
            try Self.bytes(certificate, "tls-certificate"), try Self.bytes(key, "tls-key")
        )
        do throws(HTTPServerError) {
            return try ServerCertificate(certificate: chain, key: secret)
        } catch { throw .setting(name: "\(certificate), \(key)", reason: "\(error)") }
    }

    /// Reads them again. A file that cannot be used leaves the previous one in force.
    package func reload(into service: Service, _ logger: Logger) {
        if areNone { logger.notice("SIGHUP: there is no rights file and no certificate to read") }
        reload("the certificate is", "the previous certificate stays", logger) {
            let certificate = try readCertificate()
            certificate.map { warn(of: $0, logger) }
            return certificate?.present()
        }
        reload("the rights are", "the previous rights stay", logger) {
            try readRights().map { try service.replace($0) }
        }
    }

    /// Logs why clients will refuse a certificate, or that it must be renewed soon. It is presented
    /// all the same: some clients take it, and without it none could connect.
    package func warn(of certificate: ServerCertificate, _ logger: Logger) {
        let file: Logger.Metadata = ["file": "\(self.certificate ?? "")"]
        let faults = certificate.faults()
        for fault in faults { logger.warning("clients refuse it: \(fault)", metadata: file) }
        if faults.isEmpty, let days = certificate.daysLeft(), days < Self.daysForRenewal {
            logger.warning("the certificate expires in \(days) days", metadata: file)
        }
    }

    /// ACME clients renew a certificate 30 days before its end.
    private static let daysForRenewal = 14

    /// Reads one again.
    /// - Parameters:
    ///   - replace: puts it in force, and returns whether it is another; nil where there is none.
    private func reload(
        _ subject: String, _ failure: String, _ logger: Logger, _ replace: () throws -> Bool?
    ) {
        do {
            guard let isNew = try replace() else { return }
            logger.notice("\(subject) \(isNew ? "new" : "as before")")
        } catch {
            logger.error("\(failure): \(error)")
        }
    }

    private static func bytes(
        _ path: String, _ setting: String
    ) throws(HTTPServerError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .setting(
                name: setting,
                reason: "the file \(path) cannot be read\(FileKind.reason(ofUnreadable: path))")
        }
        return [UInt8](data)
    }
}
