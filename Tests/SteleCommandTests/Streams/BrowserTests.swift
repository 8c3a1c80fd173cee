// A page in a real browser stays equal to its query, over a restart of the server.

import Foundation
import SteleDifferential
import TestSupport
import Testing

/// Chromium without a window; `apt-get install chromium` brings it.
private let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite struct BrowserTests {
    /// Shows the page in a frame, and reports ten times a second what stands in its table.
    private static let watcher = """
        <!doctype html><iframe src="/live.html"></iframe>
        <script>
          setInterval(() => {
            const lines = [...frames[0].document.querySelectorAll('tbody:last-child tr')]
            const cells = lines.map(line => [...line.cells].map(cell => cell.textContent))
            fetch('/report', { method: 'POST', body: JSON.stringify(cells) })
          }, 100)
        </script>
        """

    @Test(.enabled(if: chromium != nil, "no Chromium is here"))
    func thePageStaysEqualToItsQuery() throws {
        let league = samplePath("League")
        let folder = String(try temporaryFile("").dropLast("/file".count))
        let arguments = ["serve", league, "--port", "0", "--base-path", "/api"]
        var numbers = SeededNumbers(seed: drawSeed("thePageStaysEqualToItsQuery"))
        let page = try String(
            contentsOf: packageRoot.appendingPathComponent("Docs/Examples/live.html"),
            encoding: .utf8)
        let front = try #require(
            PageServer(pages: ["/live.html": page, "/watcher.html": Self.watcher]))
        defer { front.stop() }
        var server = try Program(arguments, folder: folder)
        defer {
            server.signal(SIGKILL)
            _ = server.end()
        }
        // As a browser has it: the service has no base of its own beside the page's.
        func serve() throws -> Caller {
            let line = try #require(server.lines(3).dropFirst().first)
            let caller = try Caller(["", line.replacingOccurrences(of: "/api", with: "")])
            front.servicePort = caller.port
            return caller
        }
        var caller = try serve()
        try write(caller, "POST", "/api/Team", #"[{"name":"Crew"},{"name":"Ants"}]"#)
        let browser = Process()
        browser.executableURL = URL(fileURLWithPath: try #require(chromium))
        browser.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-dev-shm-usage",
            "--user-data-dir=\(folder)/profile", "http://127.0.0.1:\(front.port)/watcher.html",
        ]
        browser.standardOutput = FileHandle.nullDevice
        browser.standardError = FileHandle.nullDevice
        try browser.run()
        defer {
            browser.terminate()
            browser.waitUntilExit()
        }
        for change in 0..<60 {
            if change % 20 == 15 {
                // What is saved while the page is away is not lost on it.
                front.servicePort = nil
                server.signal(SIGKILL)
                _ = server.end()
                server = try Program(arguments, folder: folder)
                caller = try serve()
            }
            try writeSomething(caller, &numbers)
            if change % 3 == 0 || change == 59 {
                let wanted = try wanted(caller)
                #expect(wait { rows(front.report) == wanted }, "\(front.report) for \(wanted)")
            }
        }
        #expect(try wanted(caller).count > 3)
    }

    private func write(_ caller: Caller, _ method: String, _ path: String, _ body: String?) throws {
        let answer = try #require(caller.ask(method, path, body))
        try #require(answer.status < 300 || answer.status == 404, "\(method) \(path): \(answer)")
    }

    private func writeSomething(_ caller: Caller, _ numbers: inout SeededNumbers) throws {
        let player = 1 + numbers.below(20)
        switch numbers.below(8) {
        case 0..<3:
            let body =
                #"{"name":"Player <b>\#(numbers.below(99))</b>","goals":\#(numbers.below(20)),"team":1}"#
            try write(caller, "POST", "/api/Player", body)
        case 3..<6:
            let body = #"{"goals":\#(numbers.below(20)),"team":\#(numbers.pick("1", "2", "null"))}"#
            try write(caller, "PATCH", "/api/Player/\(player)", body)
        case 6: try write(caller, "DELETE", "/api/Player/\(player)", nil)
        default:
            try write(caller, "PATCH", "/api/Team/1", #"{"name":"Crew \#(numbers.below(99))"}"#)
        }
    }

    /// What the page asks for, as a table's text.
    private func wanted(_ caller: Caller) throws -> [[String]] {
        let path =
            "/api/Player?where=goals%20%3E%200&sort=-goals,name&limit=10&select=name,goals,team.name"
        let rows = try #require(caller.ask("GET", path)?.json as? [[String: Any]])
        return rows.map { row in
            ["name", "goals", "team.name"].map { key in
                if let number = row[key] as? NSNumber { return number.stringValue }
                return row[key] as? String ?? ""
            }
        }
    }

    private func rows(_ report: String) -> [[String]] {
        (try? JSONDecoder().decode([[String]].self, from: Data(report.utf8))) ?? []
    }

    /// Twenty seconds at most: a browser takes some to start, and two to come back.
    private func wait(_ holds: () -> Bool) -> Bool {
        for _ in 0..<400 {
            if holds() { return true }
            usleep(50_000)
        }
        return false
    }
}
