// A proxy that Docs/Operations.md has a configuration for, and what it needs beside that to run from
// a folder of its own.

import Foundation
import TestSupport

enum ReverseProxy {
    case nginx, haproxy, apache, caddy

    /// The program, as Debian's package has it.
    var path: String {
        switch self {
        case .nginx: "/usr/sbin/nginx"
        case .haproxy: "/usr/sbin/haproxy"
        case .apache: "/usr/sbin/apache2"
        case .caddy: "/usr/bin/caddy"
        }
    }

    var isHere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// A page that lacks its configuration, or an address in it.
    private struct Missing: Error { let text: String }

    /// Writes the configuration of the page, with the addresses of a test, to a folder. The proxy is
    /// one process, which a signal ends.
    /// - Returns: the arguments that run it until it is stopped.
    func prepare(in folder: String, port: Int, servicePort: Int) throws -> [String] {
        let blocks = try packageText("Docs/Operations.md").components(separatedBy: "```\(self)\n")
        guard blocks.count == 2, let end = blocks[1].range(of: "```") else {
            throw Missing(text: "one block for \(self)")
        }
        var text = String(blocks[1][..<end.lowerBound])
        for (known, own) in [
            ("127.0.0.1:8080", "127.0.0.1:\(servicePort)"), listening(at: "127.0.0.1:\(port)"),
        ] {
            guard text.contains(known) else { throw Missing(text: known) }
            text = text.replacingOccurrences(of: known, with: own)
        }
        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        switch self {
        case .nginx:
            try write(text, "site.conf")
            try write(Self.nginxAround(folder), "nginx.conf")
            return ["-p", folder, "-e", "\(folder)/error.log", "-c", "\(folder)/nginx.conf"]
        case .haproxy:
            try write(text, "haproxy.cfg")
            return ["-db", "-f", "\(folder)/haproxy.cfg"]
        case .apache:
            try write(Self.apacheBefore(folder, port) + text, "apache.conf")
            return ["-X", "-f", "\(folder)/apache.conf"]
        case .caddy:
            try write("{\n\tadmin off\n}\n" + text, "Caddyfile")
            return ["run", "--config", "\(folder)/Caddyfile", "--adapter", "caddyfile"]
        }
    }

    /// Whether it ends a response that broke off as a whole one, as the page says of one version.
    func hidesTornResponses() throws -> Bool {
        guard case .caddy = self else { return false }
        let program = try Program(["version"], file: path)
        _ = program.end()
        return program.text.drop { $0 == "v" }.hasPrefix("2.6.")
    }

    /// The address that it listens at, as the page has it and as the test does.
    private func listening(at address: String) -> (String, String) {
        switch self {
        case .nginx: ("listen 80;", "listen \(address);")
        case .haproxy: ("bind :80\n", "bind \(address)\n")
        case .apache: ("*:80", address)
        // Without the host, for which it would get a certificate.
        case .caddy:
            (
                "api.example.com {",
                "http://:\(address.split(separator: ":")[1]) {\n\tbind 127.0.0.1"
            )
        }
    }

    /// With compression for all that the page's configuration does not exempt.
    private static func nginxAround(_ folder: String) -> String {
        let caches = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
        return """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off;
            pid \(folder)/nginx.pid;
            master_process off;
            events {}
            http {
              \(caches)
              access_log off;
              gzip on;
              gzip_proxied any;
              gzip_min_length 1;
              gzip_types application/json;
              include \(folder)/site.conf;
            }
            """
    }

    /// As `nginxAround`.
    private static func apacheBefore(_ folder: String, _ port: Int) -> String {
        let modules = [
            "mpm_event", "authz_core", "env", "filter", "deflate", "proxy", "proxy_http",
        ]
        .map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n" }.joined()
        return modules + """
            \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
            ServerRoot \(folder)
            DefaultRuntimeDir \(folder)
            ServerName localhost
            PidFile \(folder)/apache.pid
            ErrorLog \(folder)/error.log
            Listen 127.0.0.1:\(port)
            AddOutputFilterByType DEFLATE application/json

            """
    }
}
