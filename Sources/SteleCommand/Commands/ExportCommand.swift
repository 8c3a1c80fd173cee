/// `stele export`: objects of a store into files.

import ArgumentParser
import Glibc
import SteleGraph
import SteleJSON
import SteleModel
import StelePredicates
import SteleService

/// Writes the objects of a store with their relationships, as `stele import` reads them.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the objects of a store as NDJSON, JSON or CSV.",
        discussion: """
            Each object has its _id, _entity and _version, its attributes, and its relationships \
            as ids. stele import reads the file into another store and keeps the ids.

              stele export World.xcdatamodeld --store world.sqlite > world.ndjson
              stele export World.xcdatamodeld --store world.sqlite --entity City \
                --where 'population > 1000000' --output cities.csv

            Without --entity all objects are written, to one file with NDJSON or JSON, or to a \
            file for each entity if the output is a folder.

            A value whose file beside the store is missing, and one that no import could read, such as \
            text with U+0000, is written as null, and named on standard error; the exit status is 3 \
            then, and 1 after an error.
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @OptionGroup var stores: StoreFlags

    @Flag(help: SettingFlags.help("read-only"))
    var readOnly = false

    @Option(
        help: ArgumentHelp("An entity, with its subentities; by default all.", valueName: "name"))
    var entity: [String] = []

    @Option(
        help: ArgumentHelp("The condition on the objects of the entity.", valueName: "predicate"))
    var `where`: String?

    @Option(help: "ndjson, json or csv; by default the output's name tells it.")
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "The file, or a folder that exists; by default standard output.", valueName: "path"))
    var output: String?

    @Flag(help: "Continue the file of an NDJSON export that was interrupted.")
    var `continue` = false

    /// The forms that are written.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case ndjson, json, csv

        fileprivate var ofFile: DataFormat {
            switch self {
            case .ndjson: .ndjson
            case .json: .json
            case .csv: .csv
            }
        }
    }

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let opening = try stores.opening(
                try ModelPackage(model), for: readOnly ? .readOnly : .read)
            let model = try opening.package().model
            for path in opening.paths where access(path, F_OK) != 0 {
                throw Failure("\(path): no such file")
            }
            let plan = try plan(model)
            let store = try opening.open(.refuse)
            defer { store.close() }
            store.findForeignValues()
            let coordinator = PersistentStoreCoordinator(store: store)
            let bar = ProgressBar()
            defer { bar.clear() }
            var isWhole = true
            guard let output, ExportFile.isFolder(output) else {
                try check(plan)
                let file = try ExportFile(output, continuing: `continue`)
                let count = try export(plan, from: coordinator, to: file, bar, &isWhole)
                if let output { printError("\(count.counted("object")) in \(output)") }
                if !isWhole { throw Self.isIncomplete }
                return
            }
            if `continue` { throw Failure("--continue needs a file, and \(output) is a folder") }
            for entity in plan.entities {
                let path = "\(output)/\(entity.name).\(plan.format.rawValue)"
                let one = try ExportPlan(
                    model: model, entities: [entity.name], where: try predicate(),
                    format: plan.format)
                let count = try export(
                    one, from: coordinator, to: ExportFile(path, continuing: false), bar, &isWhole)
                printError("\(count.counted("object")) in \(path)")
            }
            if !isWhole { throw Self.isIncomplete }
        }
    }

    private func plan(_ model: Model) throws -> ExportPlan {
        let told = output.flatMap { ExportFile.isFolder($0) ? nil : DataFormat(ofFile: $0) }
        return try ExportPlan(
            model: model, entities: entity, where: try predicate(),
            format: format?.ofFile ?? told ?? .ndjson)
    }

    private func predicate() throws -> Predicate? {
        guard let text = `where` else { return nil }
        do throws(PredicateError) { return try Predicate(format: text) } catch {
            throw Failure(PredicateCommand.sentence(error, in: text))
        }
    }

    private func check(_ plan: ExportPlan) throws {
        if plan.format == .csv, plan.entities.count > 1 {
            throw Failure(
                "a CSV file has objects of one entity: add --entity NAME, or --output FOLDER for a "
                    + "file for each")
        }
        if `continue`, plan.format != .ndjson || output == nil {
            throw Failure("--continue needs --output FILE and the format ndjson")
        }
    }

    /// The exit status where all objects were written and values were missing.
    private static let isIncomplete = ExitCode(3)

    /// Writes the objects of a plan, and names the values that are written as null.
    /// - Parameter isWhole: false afterwards if there are some.
    private func export(
        _ plan: ExportPlan, from coordinator: PersistentStoreCoordinator, to file: ExportFile,
        _ bar: ProgressBar, _ isWhole: inout Bool
    ) throws -> Int {
        let export = Export(coordinator, plan)
        let count = try export.run(
            after: file.position,
            progress: { done, total in bar.show(done: done, of: total, done.counted("object")) },
            to: { try file.write($0) }
        ).values.reduce(0, +)
        bar.clear()
        if export.missing.count > 0 {
            isWhole = false
            printError(
                "\(export.missing.count.counted("value")) whose file beside the store is missing, "
                    + "written as null: \(export.missing.list)")
        }
        if export.unreadable.count > 0 {
            isWhole = false
            printError(
                "\(export.unreadable.count.counted("value")) that no import could read (text with "
                    + "U+0000, or a date beyond the years), written as null: "
                    + export.unreadable.list)
        }
        return count
    }
}

/// The file of an export.
final class ExportFile {
    private let descriptor: Int32
    private let name: String
    /// The last whole object in the file; nil for a new file.
    private(set) var position: Export.Position?

    private static let chunk = 64 << 10

    /// Opens or creates the file; standard output for nil.
    /// - Throws: `Failure` if it exists and is not continued, or cannot be written.
    init(_ path: String?, continuing: Bool) throws {
        guard let path else {
            descriptor = 1
            name = "standard output"
            return
        }
        name = path
        descriptor = open(
            path, O_RDWR | O_CREAT | O_CLOEXEC | (continuing ? 0 : O_EXCL), 0o666)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? Failure("\(path) exists: remove it, or continue it with --continue")
                : Failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        if continuing { try findEnd() }
    }

    deinit { if descriptor > 2 { close(descriptor) } }

    /// Whether a path is a folder.
    static func isFolder(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else {
                    throw Failure("\(name): \(String(cString: strerror(errno)))")
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Removes the line that the interruption cut, and reads the last whole one.
    private func findEnd() throws {
        var tail: [UInt8] = []
        var start = lseek(descriptor, 0, SEEK_END)
        // The last line and the break before it.
        while start > 0, tail.count(where: { $0 == 0x0A }) < 2 {
            let count = min(Self.chunk, start)
            start -= count
            var piece = [UInt8](repeating: 0, count: count)
            guard pread(descriptor, &piece, count, start) == count else {
                throw Failure("\(name) cannot be read: \(String(cString: strerror(errno)))")
            }
            tail = piece + tail
        }
        let end = tail.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // Checked before anything is removed: it may be another file.
        position = try end > 0 ? position(in: tail[..<(end - 1)]) : nil
        if end == 0, !tail.prefix(Self.head.count).elementsEqual(Self.head.prefix(tail.count)) {
            throw Failure("\(name) is not an NDJSON export: it does not begin with an _id")
        }
        guard ftruncate(descriptor, start + end) == 0,
            lseek(descriptor, start + end, SEEK_SET) >= 0
        else { throw Failure("\(name): \(String(cString: strerror(errno)))") }
    }

    /// The start of each line of an export.
    private static let head = Array("{\"_id\":".utf8)

    /// The object in the last of some lines.
    private func position(in lines: ArraySlice<UInt8>) throws -> Export.Position {
        let begin = lines.lastIndex(of: 0x0A).map { $0 + 1 } ?? lines.startIndex
        guard let root = try? JSONDocument(Array(lines[begin...])).root,
            let entity = root["_entity"]?.string, let id = root["_id"]?.integer
        else {
            throw Failure("\(name) is not an NDJSON export: its last line has no _entity and _id")
        }
        return Export.Position(entity: entity, id: id)
    }
}
