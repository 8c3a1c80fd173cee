/// Imports objects from files of JSON lines. Each batch of lines is one save.

import SteleGraph
import SteleModel
import StelePersistence

/// Imports NDJSON files. Objects refer to one another by their own keys, in any order.
///
/// All lines are inserted first, batch by batch, with the links that can be made. Links to objects
/// of later lines are made afterwards. A batch is saved as a whole or not at all.
public final class Import {
    /// The progress of an import.
    public struct Summary: Sendable {
        /// The number of objects inserted, by entity name.
        public var objects: [String: Int] = [:]
        /// The bytes read so far.
        public var bytesRead = 0
        /// The size of all files in bytes.
        public var bytesTotal = 0
        /// Whether all lines are inserted and the remaining links are being made.
        public var isLinking = false

        /// The number of objects inserted.
        public var total: Int { objects.values.reduce(0, +) }
    }

    /// Links that wait for their destinations.
    struct Deferred {
        let owner: ObjectID
        let reference: ImportLine.Reference
        let place: LinePlace
    }

    let coordinator: PersistentStoreCoordinator
    let plan: ImportPlan
    var directory: KeyDirectory
    /// The progress, also after an error.
    public internal(set) var summary = Summary()
    var deferred: [Deferred] = []
    /// Lines that must wait for the destination of a relationship that is not optional.
    private var held: [RawLine] = []
    private var progress: (Summary) -> Void = { _ in }

    private static let linesPerBatch = 2_000
    private static let bytesPerBatch = 4 << 20
    static let attempts = 5

    /// An import of a plan's files into the store of a coordinator.
    public init(_ coordinator: PersistentStoreCoordinator, _ plan: ImportPlan) {
        self.coordinator = coordinator
        self.plan = plan
        directory = KeyDirectory(plan)
    }

    /// Imports all files.
    /// - Parameter progress: called after each save.
    /// - Throws: `ImportError` that names file, line and key; `StoreError`. What was saved before
    ///   stays in the store, and `summary` has its extent.
    @discardableResult
    public func run(progress: @escaping (Summary) -> Void = { _ in }) throws -> Summary {
        self.progress = progress
        summary.bytesTotal = plan.files.reduce(0) { $0 + LineReader.size($1.path) }
        var before = 0
        for index in plan.files.indices {
            let reader = try LineReader(plan.files[index].path)
            try read(reader, file: index, before: before)
            before += reader.bytesRead
        }
        summary.isLinking = true
        try insertHeld()
        try linkDeferred()
        return summary
    }

    private func read(_ reader: LineReader, file: Int, before: Int) throws {
        var batch: [RawLine] = []
        var bytes = 0
        while let line = try reader.next() {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            batch.append((line, LinePlace(file: file, number: reader.number)))
            bytes += line.count
            if batch.count == Self.linesPerBatch || bytes >= Self.bytesPerBatch {
                held += try insert(batch)
                summary.bytesRead = before + reader.bytesRead
                progress(summary)
                batch = []
                bytes = 0
            }
        }
        held += try insert(batch)
        summary.bytesRead = before + reader.bytesRead
        progress(summary)
    }

    private func insertHeld() throws {
        while !held.isEmpty {
            var left: [RawLine] = []
            let lines = held
            held = []
            for start in stride(from: 0, to: lines.count, by: Self.linesPerBatch) {
                let end = min(start + Self.linesPerBatch, lines.count)
                left += try insert(Array(lines[start..<end]))
                progress(summary)
            }
            if left.count == lines.count, let first = left.first {
                // No other line can be inserted: the first one tells what is missing.
                let line = try parse(first.bytes, first.place)
                throw missing(in: line)
            }
            held = left
        }
    }

    private func linkDeferred() throws {
        while !deferred.isEmpty {
            let some = Array(deferred.prefix(Self.linesPerBatch))
            try saving { context in try self.link(some, context) }
            deferred.removeFirst(some.count)
            progress(summary)
        }
    }

    /// Runs a batch in a context of its own. It is repeated if another program saves first.
    func saving<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        var attempt = 1
        while true {
            let context = ManagedObjectContext(coordinator, name: "stele import")
            defer { context.close() }
            do {
                return try body(context)
            } catch let error as StoreError {
                switch error {
                case .moved, .conflicts, .busy:
                    guard attempt < Self.attempts else { throw error }
                    attempt += 1
                default: throw error
                }
            }
        }
    }

    func parse(_ bytes: [UInt8], _ place: LinePlace) throws -> ImportLine {
        do {
            return try ImportLine(bytes, place, of: plan.files[place.file].entity, plan)
        } catch {
            throw placed(error, place)
        }
    }

    private func missing(in line: ImportLine) -> ImportError {
        for reference in line.references where !reference.relationship.isOptional {
            for name in reference.keys {
                let destination = plan.model.destination(of: reference.relationship)
                if let found = try? directory.key(name, of: destination), found > 0 { continue }
                return unresolved(reference.relationship, name, line.place)
            }
        }
        return ImportError(
            "the line waits for a line that waits for it",
            file: plan.files[line.place.file].path, line: line.place.number)
    }
}
