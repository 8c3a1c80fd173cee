/// The page for browsers: its files are part of the program.

import CPage
import SteleAnswers
import SteleCrypto
import SteleHTTP
import SteleRequests

/// The files that the page loads, each compressed once.
struct BrowserPage: Sendable {
    /// A file as it is sent.
    private struct File: Sendable {
        let type: String
        let bytes: [UInt8]
        /// Nil where it would not be smaller.
        let packed: [UInt8]?
        /// The entity tag without quotes: the file's hash.
        let tag: String

        init(_ path: String, _ bytes: [UInt8]) {
            type =
                BrowserPage.types[path.split(separator: ".").last ?? ""]
                ?? "application/octet-stream"
            self.bytes = bytes
            packed = gzip(bytes, level: 9).flatMap { $0.count < bytes.count ? $0 : nil }
            tag = Secret.hexadecimal(Digest.sha256(bytes).prefix(16))
        }
    }

    /// Media types by the ends of names.
    private static let types: [Substring: String] = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// What the page loads, by its path; made when the first file is asked for.
    private static let files: [String: File] = {
        let texts = Dictionary(
            uniqueKeysWithValues: contents.map {
                ($0.path, String(decoding: $0.bytes, as: UTF8.self))
            })
        var loaded = texts.filter { path, _ in
            ![".js", ".css", ".html"].contains(where: path.hasSuffix)
        }
        loaded["app.js"] = PageBundle.script("app.js", of: texts)
        loaded["style.css"] = PageBundle.style("style.css", of: texts)
        return Dictionary(
            uniqueKeysWithValues: loaded.map { ($0, File($0, Array($1.utf8))) })
    }()

    private static let indexPath = "index.html"

    /// A hash of all files as they are sent. It is a segment of their addresses in the page, so that a
    /// browser keeps them without asking again, and never mixes files of two programs.
    static let edition: String = {
        var hash = Digest()
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            hash.update(path.utf8)
            hash.update(file.bytes)
        }
        return Secret.hexadecimal(hash.finish().prefix(8))
    }()

    /// The paths and the bytes of all files.
    static var contents: [(path: String, bytes: [UInt8])] {
        (0...).lazy.map(stele_page_file).prefix { $0.path != nil }.map {
            (String(cString: $0.path), Array(String(cString: $0.text).utf8))
        }
    }

    private let name: String
    private let basePath: String

    /// - Parameter name: the first segment of the files' addresses.
    init(name: String, basePath: String) {
        self.name = name
        self.basePath = basePath
    }

    /// The page itself. It is short, and made for each visit: the edition needs all files, which a
    /// service that no browser visits does not make.
    private var index: File {
        let bytes = Self.contents.first { $0.path == Self.indexPath }?.bytes ?? []
        // The page names its files below `page/`, relative to its own address.
        let text = String(decoding: bytes, as: UTF8.self)
            .replacing("\"page/", with: "\"\(name)/\(Self.edition)/")
        return File(Self.indexPath, Array(text.utf8))
    }

    /// The page itself.
    func index(_ call: Call) -> Response {
        // Its links are relative to the folder that the address names.
        guard call.request.path.hasSuffix("/") else {
            return Response(
                status: 308, headers: [("Location", basePath + "/")] + Self.caching)
        }
        return response(index, call)
    }

    /// A file of the page, with or without the edition before its path.
    /// - Throws: `Problem`, 404, for a file that it does not have.
    func file(_ path: String, _ call: Call) throws -> Response {
        let prefix = Self.edition + "/"
        let isKept = path.hasPrefix(prefix)
        guard let file = Self.files[isKept ? String(path.dropFirst(prefix.count)) : path] else {
            throw Problem(.route, "the page has no file \(path.prefix(200))")
        }
        return response(file, call, isKept: isKept)
    }

    /// What a page may do in a browser: load its own files and call its own service.
    private static let security: [Answers.Field] = [
        (
            "Content-Security-Policy",
            "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private static let caching: [Answers.Field] = [
        ("Cache-Control", "no-cache"), ("Vary", "Accept, Accept-Encoding"),
    ]
    /// What has the edition in its address never changes (RFC 8246).
    private static let keeping: [Answers.Field] = [
        ("Cache-Control", "max-age=31536000, immutable"), ("Vary", "Accept-Encoding"),
    ]

    private func response(_ file: File, _ call: Call, isKept: Bool = false) -> Response {
        let packed = call.terms.acceptsGzip ? file.packed : nil
        let tag = "\"\(file.tag)\(packed == nil ? "" : ";gz")\""
        let headers =
            [("ETag", tag)] + Self.security + (isKept ? Self.keeping : Self.caching)
        if call.terms.ifNoneMatch.contains(where: { $0.opaque == file.tag || $0.opaque == "*" }) {
            return Response(status: 304, headers: headers)
        }
        let encoding = packed == nil ? [] : [("Content-Encoding", "gzip")]
        return Response(
            status: 200, headers: [("Content-Type", file.type)] + headers + encoding,
            body: .bytes(packed ?? file.bytes))
    }
}
