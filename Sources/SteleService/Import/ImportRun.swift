/// One attempt of an import: reads the files, and saves their records in parts.

import SteleGraph
import SteleModel
import StelePersistence

/// The state of an import within its save.
final class ImportRun {
    /// A link that waits for its destinations.
    struct Deferred {
        let owner: ObjectID
        let reference: ImportLine.Reference
        let place: LinePlace
        /// Whether the members are set in place of stored ones.
        let replaces: Bool
    }

    let coordinator: PersistentStoreCoordinator
    let plan: ImportPlan
    let save: any PartedSave
    var directory: KeyDirectory
    var identities: ImportIdentities
    var summary = Import.Summary()
    var deferred: [Deferred] = []
    /// Lines that must wait for the destination of a link that they need.
    private var held: [ImportLine] = []
    private let progress: (Import.Summary) -> Void

    init(
        _ coordinator: PersistentStoreCoordinator, _ plan: ImportPlan, _ save: any PartedSave,
        _ progress: @escaping (Import.Summary) -> Void
    ) {
        self.coordinator = coordinator
        self.plan = plan
        self.save = save
        self.progress = progress
        directory = KeyDirectory(plan)
        identities = ImportIdentities(plan)
    }

    /// Imports all files.
    func run() throws {
        summary.bytesTotal = plan.files.reduce(0) { $0 + (RecordReader.size($1.path) ?? 0) }
        var receipts = ImportReceipts(plan)
        let files = try inContext { try receipts.filesToRead($0.reader(), &summary) }
        let reading = try ImportReading(plan, files)
        defer { reading.stop() }
        while let batch = try reading.next() {
            held += try insert(batch.lines)
            summary.bytesRead = batch.bytesRead
            progress(summary)
        }
        summary.isLinking = true
        try insertHeld()
        try linkDeferred()
        try summary.missing.check(plan)
        for request in receipts.receipts { _ = try save.save(request) }
    }

    /// Inserts the lines that wait for others, until the rest waits for lines that do not exist.
    private func insertHeld() throws {
        var size = plan.recordsPerBatch
        while !held.isEmpty {
            var left: [ImportLine] = []
            let lines = held
            for start in stride(from: 0, to: lines.count, by: size) {
                left += try insert(Array(lines[start..<min(start + size, lines.count)]))
                progress(summary)
            }
            held = left
            guard left.count == lines.count else { continue }
            if size >= left.count { break }
            // Lines that wait for one another are inserted together.
            size = left.count
        }
        if held.isEmpty { return }
        let reader = try save.reader()
        defer { reader.close() }
        for line in held {
            try noteMissing(in: line, reader)
            summary.skipped += 1
        }
        held = []
    }

    private func linkDeferred() throws {
        var place = 0
        while place < deferred.count {
            let end = min(place + plan.recordsPerBatch, deferred.count)
            try link(deferred[place..<end])
            place = end
            progress(summary)
        }
        deferred = []
    }

    /// Runs a part in a context of its own, which sees all earlier parts.
    func inContext<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        let reader = try save.reader()
        defer { reader.close() }
        let context = ManagedObjectContext(coordinator, reader: reader, name: "stele import")
        defer { context.close() }
        return try body(context)
    }
}
