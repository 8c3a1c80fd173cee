/// The command: the comparison, or one part of it.

import Foundation

@main
struct Program {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("GRDBComparison: \(error)\n".utf8))
            exit(1)
        }
    }

    private static let usage = """
        usage: GRDBComparison [ROUNDS]
               GRDBComparison settings stele|grdb FILE
               GRDBComparison PART WAY FILE
        """

    private static func run(_ arguments: [String]) throws {
        switch arguments.count {
        case 0: try Comparison(rounds: 5).run()
        case 1:
            guard let rounds = Int(arguments[0]), rounds > 0 else { throw Failure(usage) }
            try Comparison(rounds: rounds).run()
        case 3:
            guard let way = Way(rawValue: arguments[1]) else { throw Failure(usage) }
            if arguments[0] == "settings" {
                return try printSettings(way, arguments[2])
            }
            guard let part = Part(rawValue: arguments[0]) else { throw Failure(usage) }
            guard part.ways.contains(way) else {
                throw Failure("\(part.rawValue) is not done by \(way.rawValue)")
            }
            let measurement =
                way.isStele
                ? try SteleWork.measure(part, way, arguments[2])
                : try GRDBWork.measure(part, way, arguments[2])
            print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
        default: throw Failure(usage)
        }
    }

    /// Prints the settings of a library's connections to a file with books.
    private static func printSettings(_ way: Way, _ path: String) throws {
        ConnectionSettings.begin()
        if way.isStele {
            let work = try SteleWork(path)
            try work.useConnections()
            for line in ConnectionSettings.read() { print(line) }
            work.close()
        } else {
            let work = try GRDBWork(path)
            try work.useConnections()
            for line in ConnectionSettings.read() { print(line) }
            try work.close()
        }
    }
}
