/// `stele health`: whether a service is ready.

import ArgumentParser

/// Requests a service's `/readyz`. The exit status is 0 where it is ready, else 1.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Ask whether a running service is ready.",
        discussion: """
            Without a URL it asks the service on this machine that the settings describe: in a \
            container that is the container's own.
            """)

    @Argument(help: ArgumentHelp("The service, such as http://127.0.0.1:8080.", valueName: "url"))
    var url: String?

    @OptionGroup var flags: SettingFlags

    func run() throws {
        try Failure.reporting {
            let (place, token) = try flags.read { source in
                let certificate = source.text("tls-certificate")
                let place = try url.map { try HealthCheck.Place($0, trusting: certificate) }
                return (try place ?? here(source), source.text("token"))
            }
            let status = try HealthCheck.status(of: place, token: token, seconds: 4)
            guard status == 200 else { throw Failure("not ready: \(place.path) answers \(status)") }
            write("ready\n", to: 1)
        }
    }

    private func here(_ source: SettingSource) throws -> HealthCheck.Place {
        let reading = SettingReading(source: source)
        return HealthCheck.Place(
            host: Serving.reachable(source.text("host") ?? ""),
            port: try reading.integer("port", 0...65_535),
            path: "\(try reading.basePath())/readyz",
            trust: source.text("tls-certificate") == nil ? nil : .any)
    }
}
