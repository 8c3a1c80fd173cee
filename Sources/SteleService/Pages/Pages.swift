/// Answers about the service itself: index, model, fetch requests, error codes, health.

import SteleAnswers
import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

/// The pages of a service, made once.
struct Pages: Sendable {
    private let index: [UInt8]
    private let modelJSON: [UInt8]
    private let modelXML: [UInt8]
    private let templates: [UInt8]
    /// Made when it is first asked for: the document of a large model takes a while.
    private let openAPI: LazyPage
    /// The page for browsers; nil for none.
    private let browser: BrowserPage?
    private let versions: VersionsPage
    private let limits: Limits

    /// - Parameter openAPI: makes the OpenAPI document.
    init(
        model: Model, storeType: String, _ options: Service.Options,
        openAPI: @escaping @Sendable () -> JSONValue
    ) {
        limits = options.limits
        let basePath = options.basePath
        browser =
            options.page.isEmpty ? nil : BrowserPage(name: options.page, basePath: basePath)
        versions = VersionsPage(options.modelVersions, served: model)
        self.openAPI = LazyPage(openAPI)
        let index = IndexPage(
            model: model, name: options.modelName ?? model.name, storeType: storeType,
            basePath: basePath,
            version: Service.version, build: Service.build)
        self.index = Self.pretty(index.json)
        modelJSON = Self.pretty(model.declaration.json())
        modelXML = model.declaration.xml()
        templates = Self.pretty(TemplatesPage.json(FetchTemplates(model), basePath: basePath))
    }

    private static func pretty(_ json: JSONValue) -> [UInt8] { Array((json.pretty + "\n").utf8) }

    /// The answer of a page's route.
    func response(for call: Call) throws -> Response {
        switch call.route.resource {
        case .options(let allow): Response(status: 204, headers: [("Allow", allow)])
        case .health: Self.status("alive")
        case .model where call.format == .xml: page(modelXML, MediaType.xml.rawValue, call)
        case .model: page(modelJSON, MediaType.json.rawValue, call)
        case .modelVersions: json(versions.list, call)
        case .modelVersion(let name):
            try version(versions.version(name), call)
        case .modelChanges:
            json(try versions.changes(from: call.query[.from], to: call.query[.to]), call)
        case .page(let path): try file(path, call)
        case .index where call.format == .html && browser != nil:
            browser?.index(call) ?? page(index, MediaType.json.rawValue, call)
        case .templates: page(templates, MediaType.json.rawValue, call)
        case .openAPI: page(openAPI.bytes, MediaType.json.rawValue, call)
        case .errorCodes where call.format == .text:
            page(ErrorPage.text, "text/plain; charset=utf-8", call)
        case .errorCodes: page(ErrorPage.json, MediaType.json.rawValue, call)
        default: page(index, MediaType.json.rawValue, call)
        }
    }

    private func json(_ json: JSONValue, _ call: Call) -> Response {
        page(Self.pretty(json), MediaType.json.rawValue, call)
    }

    private func version(_ version: Model, _ call: Call) throws -> Response {
        call.format == .xml
            ? page(version.declaration.xml(), MediaType.xml.rawValue, call)
            : json(version.declaration.json(), call)
    }

    private func file(_ path: String, _ call: Call) throws -> Response {
        guard let browser else { throw Problem(.route, "there is no page") }
        return try browser.file(path, call)
    }

    /// A page loads nothing, is in no frame, and is taken for what its type says, should a browser
    /// show it.
    private static let security: [Answers.Field] = [
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]

    /// An answer of these bytes, compressed where the client takes that.
    func page(_ bytes: [UInt8], _ type: String, _ call: Call) -> Response {
        let (body, isCompressed) = Compression.body(
            bytes, gzip: call.terms.acceptsGzip, limits: limits)
        var headers: [Answers.Field] = [("Content-Type", type)] + Self.security
        if isCompressed { headers.append(("Content-Encoding", "gzip")) }
        return Response(status: 200, headers: headers + Answers.caching, body: body)
    }

    /// `{"status":"alive"}`, which is not to be cached.
    static func status(_ word: StaticString) -> Response {
        var writer = ByteWriter(capacity: 24)
        writer.raw("{\"status\":\"")
        writer.raw(word)
        writer.raw("\"}")
        return Response(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(writer.take()))
    }
}
