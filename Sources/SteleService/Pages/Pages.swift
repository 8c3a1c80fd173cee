/// Answers about the service itself: index, model, fetch requests, error codes, health.

import SteleAnswers
import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

/// The pages of a service, made once.
struct Pages: Sendable {
    private let index: Page
    private let modelJSON: Page
    private let modelXML: Page
    private let templates: Page
    /// Made when it is first asked for: the document of a large model takes a while.
    private let openAPI, contextsOpenAPI: LazyPage
    /// The page for browsers; nil for none.
    private let browser: BrowserPage?
    private let versions: VersionsPage
    private let limits: Limits

    /// - Parameters:
    ///   - openAPI: makes the OpenAPI document.
    ///   - contextsOpenAPI: makes that of editing contexts.
    init(
        model: Model, storeType: String, _ options: Service.Options,
        openAPI: @escaping @Sendable () -> JSONValue,
        contextsOpenAPI: @escaping @Sendable () -> JSONValue
    ) {
        limits = options.limits
        let basePath = options.basePath
        browser =
            options.page.isEmpty ? nil : BrowserPage(name: options.page, basePath: basePath)
        versions = VersionsPage(options.modelVersions, served: model)
        self.openAPI = LazyPage(openAPI)
        self.contextsOpenAPI = LazyPage(contextsOpenAPI)
        let index = IndexPage(
            model: model, name: options.modelName ?? model.name, storeType: storeType,
            basePath: basePath,
            version: Service.version, build: Service.build)
        self.index = Self.pretty(index.json)
        modelJSON = Self.pretty(model.declaration.json())
        modelXML = Page(model.declaration.xml())
        templates = Self.pretty(TemplatesPage.json(FetchTemplates(model), basePath: basePath))
    }

    private static func pretty(_ json: JSONValue) -> Page { Page(Array((json.pretty + "\n").utf8)) }

    /// The answer of a page's route.
    func response(for call: Call) throws -> Response {
        switch call.route.resource {
        case .options(let allow): Response(status: 204, headers: [("Allow", allow)])
        case .health: Self.status("alive")
        case .model where call.format == .xml: try page(modelXML, MediaType.xml.rawValue, call)
        case .model: try page(modelJSON, MediaType.json.rawValue, call)
        case .modelVersions: try json(versions.list, call)
        case .modelVersion(let name):
            try version(versions.version(name), call)
        case .modelChanges:
            try json(versions.changes(from: call.query[.from], to: call.query[.to]), call)
        case .page(let path): try file(path, call)
        case .index where call.format == .html && browser != nil:
            try browser?.index(call) ?? page(index, MediaType.json.rawValue, call)
        case .templates: try page(templates, MediaType.json.rawValue, call)
        case .openAPI where call.route.pattern == .contextsOpenAPI:
            try page(contextsOpenAPI.page, MediaType.json.rawValue, call)
        case .openAPI: try page(openAPI.page, MediaType.json.rawValue, call)
        case .errorCodes where call.format == .text:
            try page(Self.errorText, "text/plain; charset=utf-8", call)
        case .errorCodes: try page(Self.errors, MediaType.json.rawValue, call)
        default: try page(index, MediaType.json.rawValue, call)
        }
    }

    private static let errors = Page(ErrorPage.json)
    private static let errorText = Page(ErrorPage.text)

    private func json(_ json: JSONValue, _ call: Call) throws -> Response {
        try page(Self.pretty(json), MediaType.json.rawValue, call)
    }

    private func version(_ version: Model, _ call: Call) throws -> Response {
        call.format == .xml
            ? try page(Page(version.declaration.xml()), MediaType.xml.rawValue, call)
            : try json(version.declaration.json(), call)
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

    /// A page, unless the client has it.
    /// - Throws: `Problem`, 412, if `If-Match` names another one.
    private func page(_ page: Page, _ type: String, _ call: Call) throws -> Response {
        if case .notModified(let tag)? = try call.terms.unchanged(page.tag) {
            return Response(status: 304, headers: [("ETag", "\"\(tag)\"")] + Answers.caching)
        }
        return answer(page.bytes, type, call, tag: page.tag)
    }

    /// An answer of these bytes, compressed where the client takes that.
    /// - Parameter tag: the entity tag without quotes; nil for what is another at each request.
    func answer(_ bytes: [UInt8], _ type: String, _ call: Call, tag: String? = nil) -> Response {
        let (body, isCompressed) = Compression.body(
            bytes, gzip: call.terms.acceptsGzip, limits: limits)
        var headers: [Answers.Field] = [("Content-Type", type)] + Self.security
        if let tag { headers.append(("ETag", isCompressed ? "\"\(tag);gz\"" : "\"\(tag)\"")) }
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
