/// The files that say who may use a service, and by what connection.

import FoundationEssentials
import Glibc
import Logging
import SteleHTTP
import SteleRequests
import SteleService

/// The rights file with the keys that it names, and the certificate with its key. SIGHUP reads them
/// again.
struct SecurityFiles {
    let rights: String?
    let certificate: String?
    let key: String?

    init(_ settings: Settings) {
        (rights, certificate, key) = (settings.rights, settings.tlsCertificate, settings.tlsKey)
    }

    /// Whether there is none.
    var areNone: Bool { rights == nil && certificate == nil }

    /// Reads the rights file; nil without one.
    func readRights() throws -> RightsFile? {
        guard let rights else { return nil }
        let text = String(decoding: try Self.bytes(rights, "rights"), as: UTF8.self)
        do throws(RightsError) {
            return try RightsFile(text) { other throws(RightsError) in
                let path = URL(filePath: other, relativeTo: URL(filePath: rights)).path
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw RightsError("the file \(path) cannot be read\(Failure.reason(of: path))")
                }
                return String(decoding: data, as: UTF8.self)
            }
        } catch { throw Failure("\(rights): \(error)") }
    }

    /// Reads the certificate; nil without one.
    func readCertificate() throws -> ServerCertificate? {
        guard let certificate, let key else { return nil }
        let (chain, secret) = (
            try Self.bytes(certificate, "tls-certificate"), try Self.bytes(key, "tls-key")
        )
        do throws(HTTPServerError) {
            return try ServerCertificate(certificate: chain, key: secret)
        } catch { throw Failure("\(certificate), \(key): \(error)") }
    }

    /// Reads them again. A file that cannot be used leaves the previous one in force.
    func reload(into service: Service, _ logger: Logger) {
        if areNone { logger.notice("SIGHUP: there is no rights file and no certificate to read") }
        reload("the certificate is", "the previous certificate stays", logger) {
            try readCertificate()?.present()
        }
        reload("the rights are", "the previous rights stay", logger) {
            try readRights().map { try service.replace($0) }
        }
    }

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
            logger.error("\(failure): \(Failure.sentence(error))")
        }
    }

    private static func bytes(_ path: String, _ setting: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(
                "\(setting): the file \(path) cannot be read\(Failure.reason(of: path))",
                setting: setting)
        }
        return [UInt8](data)
    }
}
