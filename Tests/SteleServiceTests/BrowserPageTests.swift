// The page for browsers, as it is sent: which requests get it, and what its answers say.

import FoundationEssentials
import SteleHTTP
import SteleJSON
import TestSupport
import Testing

@testable import SteleService

@Suite struct BrowserPageTests {
    /// What a browser sends when an address is opened.
    private static let browser = [
        (
            name: "Accept",
            value: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
        )
    ]

    private static let gzip = [(name: "Accept-Encoding", value: "gzip")]

    @Test func aBrowserGetsThePageAndOthersTheIndex() throws {
        let league = try ServiceFixture.league()
        let page = league.get("/", Self.browser)
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
        let edition = BrowserPage.edition
        #expect(page.text.contains("<script type=\"module\" src=\"page/\(edition)/app.js\">"))
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.9", "text/*"] {
            let index = league.get("/", [(name: "Accept", value: accept)])
            #expect(index["Content-Type"] == "application/json", "\(accept)")
            #expect(try index.json["model"] == "League", "\(accept)")
        }
        #expect(league.get("/")["Content-Type"] == "application/json")
    }

    @Test func whatThePageMayLoadIsItsOwn() throws {
        let league = try ServiceFixture.league()
        for answer in [league.get("/", Self.browser), league.get("/page/app.js")] {
            #expect(answer["Content-Security-Policy"]?.hasPrefix("default-src 'self';") == true)
            #expect(answer["Content-Security-Policy"]?.contains("unsafe") == false)
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Referrer-Policy"] == "no-referrer")
        }
    }

    @Test func aFileHasItsTypeAndItsTag() throws {
        let league = try ServiceFixture.league()
        let types = [
            "app.js": "text/javascript; charset=utf-8", "style.css": "text/css; charset=utf-8",
            "icon.svg": "image/svg+xml",
        ]
        for (path, type) in types {
            let file = league.get("/page/\(path)")
            #expect(file.status == 200 && file["Content-Type"] == type, "\(path)")
            let tag = try #require(file["ETag"])
            let again = league.get("/page/\(path)", [(name: "If-None-Match", value: tag)])
            #expect(again.status == 304 && again.bytes.isEmpty && again["ETag"] == tag)
            let packed = league.get("/page/\(path)", [(name: "Accept-Encoding", value: "gzip")])
            if packed["Content-Encoding"] == "gzip" {
                #expect(packed.bytes.count < file.bytes.count && packed["ETag"] != tag)
            }
            #expect(packed["Vary"] == "Accept, Accept-Encoding")
        }
    }

    @Test func aFileOfThisEditionIsKeptByBrowsers() throws {
        let league = try ServiceFixture.league()
        #expect(league.get("/page/app.js")["Cache-Control"] == "no-cache")
        let kept = league.get("/page/\(BrowserPage.edition)/app.js")
        #expect(kept["Cache-Control"] == "max-age=31536000, immutable")
        #expect(kept.text == league.get("/page/app.js").text)
        #expect(league.get("/page/0123456789abcdef/app.js").status == 404)
        #expect(league.get("/", Self.browser)["Cache-Control"] == "no-cache")
    }

    @Test func whatIsNoFileIsRefused() throws {
        let league = try ServiceFixture.league()
        for path in [
            "none.js", "index.html", "views/rows/rows.js", "base.css", "../Package.swift",
            "%2e%2e/Package.swift", "views", "views/",
            "app.js/x", "", "app.js%00", "%00",
        ] {
            let answer = league.get("/page/\(path)")
            #expect(answer.status == 404 || answer.status == 400, "\(path): \(answer.status)")
        }
        #expect(league.ask("POST", "/page/app.js", "{}").status == 405)
    }

    @Test func thePageNeedsNoToken() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.token = "secret" }
        #expect(league.get("/", Self.browser).status == 200)
        #expect(league.get("/page/app.js").status == 200)
        #expect(league.get("/").status == 401)
        #expect(league.get("/rights", Self.browser).status == 401)
        #expect(league.get("/Team", Self.browser).status == 401)
        // A page of another site does not reach it either.
        let other = [(name: "Host", value: "evil.example")]
        #expect(league.get("/", Self.browser + other).status == 403)
        #expect(league.get("/page/app.js", other).status == 403)
    }

    @Test func itMovesWithTheBasePathAndTheSetting() throws {
        let moved = try ServiceFixture(TestModels.league()) {
            $0.basePath = "/api"
            $0.page = "explorer"
        }
        let page = moved.get("/api/", Self.browser)
        #expect(
            page.text.contains("src=\"explorer/\(BrowserPage.edition)/app.js\"")
                && !page.text.contains("\"page/"))
        #expect(moved.get("/api/explorer/app.js").status == 200)
        #expect(moved.get("/api/page/app.js").status == 404)
        // Relative addresses need the slash.
        let without = moved.get("/api", Self.browser)
        #expect(without.status == 308 && without["Location"] == "/api/")
        #expect(moved.get("/api").status == 200)
    }

    @Test func itCanBeTurnedOff() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.page = "" }
        #expect(league.get("/", Self.browser)["Content-Type"] == "application/json")
        #expect(league.get("/page/app.js").status == 404)
    }

    /// The list in `page.c` is written by hand.
    @Test func everyFileIsInTheProgram() throws {
        let folder = packageRoot.appendingPathComponent("Sources/CPage/Files").path
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.contains(".") }
        let built = Dictionary(
            uniqueKeysWithValues: BrowserPage.contents.map { ($0.path, $0.bytes) })
        #expect(Set(files) == Set(built.keys))
        for (path, bytes) in built {
            let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(path)"))
            let isSame = data.elementsEqual(bytes)
            #expect(isSame, "\(path) is another")
        }
    }

    /// The bound of the page, with every view.
    @Test func allFilesTogetherAreSmall() throws {
        let league = try ServiceFixture.league()
        var sum = league.get("/", Self.browser + Self.gzip).bytes.count
        for path in ["app.js", "style.css", "icon.svg"] {
            sum += league.get("/page/\(path)", Self.gzip).bytes.count
        }
        print("the page: \(sum) bytes compressed")
        #expect(sum > 50 << 10 && sum < 250 << 10)
    }

    @Test func theModulesAreOneScript() throws {
        let script = PageBundle.script(
            "app.js",
            of: [
                "app.js": """
                import {value, Thing} from './parts/thing.js'
                import './side.js'
                const view = () => import('./views/view.js')
                """,
                "parts/thing.js": """
                import '../side.js'
                export const value = 1
                export class Thing {
                }
                """,
                "side.js": "// import nothing",
                "views/view.js": """
                import {value} from '../parts/thing.js'
                export async function* show() { yield value }
                """,
                "unused.js": "export const none = 0",
            ])
        #expect(
            script == """
                const $modules = {
                'side.js'() {
                // import nothing
                return {}
                },
                'parts/thing.js'() {
                $import('side.js')
                const value = 1
                class Thing {
                }
                return {value, Thing}
                },
                'app.js'() {
                const {value, Thing} = $import('parts/thing.js')
                $import('side.js')
                const view = () => $later('views/view.js')
                return {}
                },
                'views/view.js'() {
                const {value} = $import('parts/thing.js')
                async function* show() { yield value }
                return {show}
                }
                }
                const $made = {}
                const $import = path => $made[path] ??= $modules[path]()
                const $later = async path => $import(path)
                $import('app.js')

                """)
    }

    /// Nothing that was written is left out: all modules are reached, and all styles.
    @Test func theScriptAndTheStyleHaveAllFiles() throws {
        let league = try ServiceFixture.league()
        let script = league.get("/page/app.js").text
        let style = league.get("/page/style.css").text
        for (path, bytes) in BrowserPage.contents {
            if path.hasSuffix(".js") { #expect(script.contains("'\(path)'() {"), "\(path)") }
            guard path.hasSuffix(".css"), path != "style.css" else { continue }
            #expect(style.contains(String(decoding: bytes, as: UTF8.self)), "\(path)")
        }
        #expect(!style.contains("@import"))
    }
}
