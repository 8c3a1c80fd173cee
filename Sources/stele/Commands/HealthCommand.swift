/// `stele health`: whether a service can serve.

import ArgumentParser

/// Asks a service's `/readyz`; the exit status is 0 where it can serve and 1 where not.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Ask a running service whether it can serve.",
        discussion: """
            Without a URL it asks the service that the settings describe, on this machine: in a \
            container that is the one that runs in it.
            """)

    @Argument(help: ArgumentHelp("The service, such as http://127.0.0.1:8080.", valueName: "url"))
    var url: String?

    @OptionGroup var flags: SettingFlags

    func run() throws {
        try Failure.reporting {
            let source = try SettingSource(flags: flags.given, file: flags.config)
            let place = try url.map { try HealthCheck.Place($0) } ?? here(source)
            let status = try HealthCheck.status(
                of: place, token: source.text("token"), seconds: 4)
            guard status == 200 else { throw Failure("not ready: \(place.path) answers \(status)") }
            write("ready\n", to: 1)
        }
    }

    private func here(_ source: SettingSource) throws -> HealthCheck.Place {
        let reading = SettingReading(source: source)
        return HealthCheck.Place(
            host: Serving.reachable(source.text("host") ?? ""),
            port: try reading.integer("port", 0...65_535),
            path: "\(try reading.basePath())/readyz")
    }
}
