import CGnuTLS

/// Gives bytes to GnuTLS, which does not change them.
func withDatum(
    _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Int32
) -> Int32 {
    bytes.withUnsafeBufferPointer { buffer in
        var datum = gnutls_datum_t(
            data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(buffer.count))
        return body(&datum)
    }
}
