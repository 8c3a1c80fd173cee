/// One attempt of an import: reads the files, and saves their records in parts.

import SteleGraph
import SteleModel
import StelePersistence

/// The state of an import within its save.
final class ImportRun {
    /// A relationship of an object.
    struct LinkID: Hashable {
        let owner: ObjectID
        let relationship: Int

        init(_ owner: ObjectID, _ relationship: Relationship) {
            self.owner = owner
            self.relationship = relationship.index
        }
    }

    /// A link that waits for its destinations.
    struct Deferred {
        let owner: ObjectID
        let reference: ImportLine.Reference
        let place: LinePlace
        /// The keys of the members that the reference replaces. Others, which records have linked
        /// from the other end in the meantime, stay.
        let former: Set<Int64>
    }

    let coordinator: PersistentStoreCoordinator
    let plan: ImportPlan
    let save: any PartedSave
    let directory: KeyDirectory
    var identities: ImportIdentities
    var summary = Import.Summary()
    /// The links that wait, nil for one that a later record has replaced.
    var deferred: [Deferred?] = []
    /// The places of links in `deferred`, if later records can replace them.
    var deferredPlaces: [LinkID: Int] = [:]
    /// The relationships that had too few members when they were saved, with the line of their
    /// object.
    var lackingMembers: [LinkID: LinePlace] = [:]
    /// The files that were read.
    private(set) var files: [Int] = []
    /// The errors for records without key in files that were imported before, by file.
    private(set) var repeated: [Int: ImportError] = [:]
    /// Lines that must wait for the destination of a link that they need.
    private var held: [ImportLine] = []
    /// The names of the objects of lines that wait. Later records of these objects wait, too.
    var heldNames: Set<LocalName> = []
    private let progress: (Import.Summary) -> Void

    init(
        _ coordinator: PersistentStoreCoordinator, _ plan: ImportPlan, _ save: any PartedSave,
        _ progress: @escaping (Import.Summary) -> Void
    ) {
        self.coordinator = coordinator
        self.plan = plan
        self.save = save
        self.progress = progress
        directory = KeyDirectory(plan, coordinator.store)
        identities = ImportIdentities(plan, coordinator.store)
    }

    /// Imports all files.
    func run() throws {
        summary.bytesTotal = plan.files.reduce(0) { $0 + (RecordReader.size($1.path) ?? 0) }
        var receipts = ImportReceipts(plan)
        files = try inContext { try receipts.filesToRead($0.reader(), &summary) }
        repeated = receipts.repeated
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
        try checkMembers()
        for request in receipts.receipts { _ = try save.save(request) }
    }

    /// Inserts the lines that wait for others, until the rest waits for lines that do not exist.
    private func insertHeld() throws {
        var size = plan.recordsPerBatch
        while !held.isEmpty {
            let lines = held
            held = []
            heldNames = []
            for start in stride(from: 0, to: lines.count, by: size) {
                held += try insert(Array(lines[start..<min(start + size, lines.count)]))
                progress(summary)
            }
            if held.count < lines.count { continue }
            if size >= held.count { try leaveOut() }
            // Lines that wait for one another are inserted together.
            size = max(size, held.count)
        }
    }

    /// Leaves out the lines with missing links. Others wait only because of these, as later records
    /// of the same objects.
    private func leaveOut() throws {
        let reader = try save.reader()
        defer { reader.close() }
        let others = try held.filter { try !noteMissing(in: $0, reader) }
        guard others.count < held.count else {
            throw ImportError("\(held.count.counted("record")) cannot be imported")
        }
        summary.skipped += held.count - others.count
        held = others
    }

    private func linkDeferred() throws {
        var place = 0
        while place < deferred.count {
            let end = min(place + plan.recordsPerBatch, deferred.count)
            try link(deferred[place..<end].compactMap(\.self))
            place = end
            progress(summary)
        }
        deferred = []
        deferredPlaces = [:]
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
