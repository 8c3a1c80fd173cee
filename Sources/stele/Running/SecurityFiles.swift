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
                    throw RightsError("the file \(path) cannot be read")
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
        do {
            if try readCertificate()?.present() ?? false { logger.notice("the certificate is new") }
        } catch {
            logger.error("the previous certificate stays: \(Failure.sentence(error))")
        }
        do {
            if let rights = try readRights(), try service.replace(rights) {
                logger.notice("the rights are new")
            }
        } catch {
            logger.error("the previous rights stay: \(Failure.sentence(error))")
        }
    }

    private static func bytes(_ path: String, _ setting: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            let reason = access(path, R_OK) == 0 ? "" : ": " + String(cString: strerror(errno))
            throw Failure("\(setting): the file \(path) cannot be read\(reason)", setting: setting)
        }
        return [UInt8](data)
    }
}
