/// nginx with nchan, the peer that the fan-out is held against, where it is installed.

import Foundation

/// One channel, published to by POST and read as an EventSource; a worker a core.
final class Nchan {
    let port = Int.random(in: 30_000..<32_000)
    private let process = Process()

    private static let nginx = "/usr/sbin/nginx"
    private static let module = "/usr/lib/nginx/modules/ngx_nchan_module.so"

    /// Starts it in a folder of its own.
    /// - Returns: nil where it is not installed.
    static func start(_ folder: String) throws -> Nchan? {
        let files = FileManager.default
        guard files.isExecutableFile(atPath: nginx), files.fileExists(atPath: module) else {
            return nil
        }
        return try Nchan(folder)
    }

    static let advice =
        "nginx with nchan is not installed, so the fan-out has nothing to be held against "
        + "(apt-get install libnginx-mod-nchan nginx-light)"

    private init(_ folder: String) throws {
        let workers = ProcessInfo.processInfo.activeProcessorCount
        let bodies = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/nginx-\($0);"
        }.joined(separator: " ")
        // Memory and messages enough for all to be kept; `reuseport` shares the subscribers evenly.
        let text = """
            load_module \(Self.module);
            daemon off;
            \(geteuid() == 0 ? "user root;" : "")
            pid \(folder)/nginx.pid;
            error_log \(folder)/nginx.log error;
            worker_processes \(workers);
            worker_rlimit_nofile 16384;
            events { worker_connections 16000; }
            http {
              access_log off;
              \(bodies)
              keepalive_requests 1000000000;
              nchan_shared_memory_size 256m;
              server {
                listen 127.0.0.1:\(port) reuseport backlog=4096;
                location = /publish {
                  nchan_publisher;
                  nchan_channel_id feed;
                  nchan_message_buffer_length 1000;
                }
                location = /subscribe {
                  nchan_subscriber eventsource;
                  nchan_channel_id feed;
                  nchan_subscriber_first_message newest;
                }
              }
            }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/nginx.conf"))
        process.executableURL = URL(fileURLWithPath: Self.nginx)
        process.arguments = ["-p", folder, "-c", folder + "/nginx.conf"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 {
            if (try? PlainConnection(port: port)) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        process.terminate()
        throw ServedStore.Failure(text: "nginx does not answer on port \(port)")
    }

    /// A body that makes an event of so many bytes of what is around it.
    func message(ofEventBytes count: Int) throws -> String {
        let one = Subscribers(port: port, path: "/subscribe", capacity: 1)
        defer { one.close() }
        try one.open(1)
        one.settle()
        let (bytes, events) = (one.bytes, one.events)
        let text = String(repeating: "x", count: 100)
        try PlainConnection(port: port).must("POST", "/publish", text)
        try one.wait(for: events + 1)
        one.settle()
        let around = one.bytes - bytes - text.utf8.count
        return String(repeating: "x", count: max(count - around, 1))
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
