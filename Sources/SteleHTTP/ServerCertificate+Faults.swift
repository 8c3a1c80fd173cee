// What makes clients refuse a certificate.

import CGnuTLS
import Glibc

extension ServerCertificate {
    /// Why clients refuse the certificate or one of its issuers: it has expired, is not valid yet,
    /// or has a key or a signature that is too weak. One sentence each; none for a good one.
    /// - Parameter now: seconds since 1970.
    public func faults(at now: Int = time(nil)) -> [String] {
        certificates.enumerated().flatMap { place, certificate -> [String] in
            let name = place == 0 ? "the certificate" : "issuer \(place) of the certificate"
            return Self.faults(certificate, isIssuer: place > 0, now).map { "\(name) \($0)" }
        }
    }

    /// Whole days until the certificate or one of its issuers expires; nil where none says when.
    /// - Parameter now: seconds since 1970.
    public func daysLeft(at now: Int = time(nil)) -> Int? {
        certificates.map(\.end).filter { $0 >= 0 }.min().map { ($0 - now) / 86_400 }
    }

    /// A certificate of the chain, as GnuTLS has it parsed.
    private final class Parsed {
        private let pointer: gnutls_x509_crt_t

        init?(_ one: UnsafeMutablePointer<gnutls_pcert_st>) {
            var made: gnutls_x509_crt_t?
            guard gnutls_pcert_export_x509(one, &made) == 0, let made else { return nil }
            pointer = made
        }

        deinit { gnutls_x509_crt_deinit(pointer) }

        /// Seconds since 1970; -1 where it has none.
        var start: Int { gnutls_x509_crt_get_activation_time(pointer) }
        var end: Int { gnutls_x509_crt_get_expiration_time(pointer) }

        /// Whether its own key has signed it: who trusts it does not look at the signature.
        var isSelfSigned: Bool { gnutls_x509_crt_check_issuer(pointer, pointer) != 0 }

        /// The name of its key's algorithm and the bits of the key, where they are too few.
        var weakKey: String? {
            var bits: UInt32 = 0
            let found = gnutls_x509_crt_get_pk_algorithm(pointer, &bits)
            guard found > 0 else { return nil }
            let algorithm = gnutls_pk_algorithm_t(UInt32(found))
            let strength = gnutls_pk_bits_to_sec_param(algorithm, bits)
            guard strength.rawValue < GNUTLS_SEC_PARAM_MEDIUM.rawValue else { return nil }
            let name = gnutls_pk_get_name(algorithm).map { String(cString: $0) } ?? "unknown"
            return "\(name) with \(bits) bits"
        }

        /// The name of the algorithm that it is signed by, where that can be forged.
        var weakSignature: String? {
            let found = gnutls_x509_crt_get_signature_algorithm(pointer)
            guard found > 0 else { return nil }
            let algorithm = gnutls_sign_algorithm_t(UInt32(found))
            let flag = UInt32(GNUTLS_SIGN_FLAG_SECURE_FOR_CERTS)
            guard gnutls_sign_is_secure2(algorithm, flag) == 0 else { return nil }
            return gnutls_sign_get_name(algorithm).map { String(cString: $0) } ?? "unknown"
        }
    }

    private var certificates: [Parsed] {
        (0..<Int(count)).compactMap { Parsed(chain + $0) }
    }

    private static func faults(_ one: Parsed, isIssuer: Bool, _ now: Int) -> [String] {
        var faults: [String] = []
        if one.end >= 0, one.end < now { faults.append("expired on \(date(one.end))") }
        if one.start > now { faults.append("is not valid before \(date(one.start))") }
        if let key = one.weakKey { faults.append("has a weak key, \(key)") }
        if let signature = one.weakSignature, !(isIssuer && one.isSelfSigned) {
            faults.append("has a weak signature, \(signature)")
        }
        return faults
    }

    /// `2026-01-31 09:00 UTC`.
    private static func date(_ seconds: Int) -> String {
        var (seconds, parts) = (seconds, tm())
        guard gmtime_r(&seconds, &parts) != nil else { return "\(seconds) seconds after 1970" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }
}
