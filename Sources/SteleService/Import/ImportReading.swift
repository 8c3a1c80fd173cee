/// Reads the records of files on a thread of its own, ahead of the thread that saves them.

import SteleModel
import SteleSystem

/// The records of an import's files, in batches.
final class ImportReading: Sendable {
    /// Some records, and the bytes of all files that are read.
    struct Batch: Sendable {
        var lines: [ImportLine] = []
        var bytesRead = 0
    }

    private struct State: Sendable {
        var batches: [Batch] = []
        var isEnded = false
        var failure: (any Error)?
        var isStopped = false
    }

    private let state: Monitor<State>
    private let thread: SystemThread

    private static let batchesAhead = 2
    private static let bytesPerBatch = 4 << 20

    /// Starts to read.
    /// - Throws: `StoreError.failed` if there is no thread.
    init(_ plan: ImportPlan, _ files: [Int]) throws {
        let state = Monitor(State())
        let thread = SystemThread(name: "stele-import") {
            var failure: (any Error)?
            do { try Self.read(plan, files, state) } catch { failure = error }
            state.withLock {
                $0.isEnded = true
                $0.failure = failure
            }
            state.broadcast()
        }
        guard let thread else { throw ImportError("no thread can be started") }
        self.state = state
        self.thread = thread
    }

    /// The next records; nil at the end.
    /// - Throws: the error that ended the reading, after the records before it.
    func next() throws -> Batch? {
        let batch = try state.withLock(when: { !$0.batches.isEmpty || $0.isEnded }) {
            state, _ throws -> Batch? in
            if !state.batches.isEmpty { return state.batches.removeFirst() }
            if let failure = state.failure { throw failure }
            return nil
        }
        state.broadcast()
        return batch
    }

    /// Ends the reading.
    func stop() {
        state.withLock { $0.isStopped = true }
        state.broadcast()
        thread.join()
    }

    private static func read(
        _ plan: ImportPlan, _ files: [Int], _ state: Monitor<State>
    ) throws {
        var before = 0
        var errors: [ImportError] = []
        /// Keeps the error of a record. The records after it are only looked at for more.
        func note(_ error: any Error) throws {
            guard let error = error as? ImportError else { throw error }
            errors.append(error)
            try check(errors, plan.options.mostErrors)
        }
        for index in files {
            var batch = Batch()
            var bytes = 0
            var isWanted = true
            do {
                let all = try read(index, of: plan, failing: note) { line, size, bytesRead in
                    guard errors.isEmpty else { return true }
                    batch.lines.append(line)
                    bytes += size
                    guard batch.lines.count == plan.recordsPerBatch || bytes >= bytesPerBatch else {
                        return true
                    }
                    batch.bytesRead = before + bytesRead
                    isWanted = give(batch, state)
                    batch = Batch()
                    bytes = 0
                    return isWanted
                }
                before += all
            } catch let error as ImportError where !error.hasMore {
                // The rest of the file cannot be read.
                try note(error)
            }
            if !errors.isEmpty { continue }
            batch.bytesRead = before
            guard isWanted, give(batch, state) else { return }
        }
        if let error = ImportError(errors) { throw error }
    }

    /// - Throws: the errors, if there are as many as are listed.
    private static func check(_ errors: [ImportError], _ most: Int) throws {
        guard var error = ImportError(errors), error.count >= most else { return }
        error.others = Array(error.others.prefix(most - 1))
        error.hasMore = true
        throw error
    }

    /// Reads the records of a file, until they are not wanted.
    /// - Parameters:
    ///   - fail: takes the error of a record, with file and line; reading goes on if it does not
    ///     throw.
    ///   - take: takes a record, its size, and the bytes of the file read so far; false if no more
    ///     are wanted.
    /// - Returns: the bytes read.
    /// - Throws: `ImportError` with file and line.
    @discardableResult
    static func read(
        _ index: Int, of plan: ImportPlan, failing fail: (any Error) throws -> Void = { throw $0 },
        _ take: (ImportLine, Int, Int) throws -> Bool
    ) throws -> Int {
        let file = plan.files[index]
        let reader = try RecordReader(file, plan)
        var shapes = ImportShapes()
        var table: (form: CellForm, header: ImportHeader)?
        while let record = try reader.next() {
            let place = LinePlace(file: index, number: reader.number)
            var cells: [Cell] = []
            if file.format.isCells {
                // After an error in the quotes of a row it is not known where the next one begins.
                try plan.placing(place) {
                    let form =
                        table?.form
                        ?? CellForm(record, declared: reader.declared, file, plan.options)
                    cells = try form.cells(record)
                    guard table == nil else { return }
                    table = (form, try ImportHeader(cells, plan.options))
                    reader.separator = form.separator
                    reader.keepsBlankLines = cells.count == 1
                    cells = []
                }
                if cells.isEmpty { continue }
            }
            let line: ImportLine
            do {
                line = try plan.placing(place) {
                    try table?.header.line(cells, place, plan)
                        ?? ImportLine(record, place, plan, &shapes)
                }
            } catch {
                try fail(error)
                continue
            }
            if try !take(line, record.count, reader.bytesRead) { break }
        }
        return reader.bytesRead
    }

    /// Passes a batch on when there is room; false if no more are wanted.
    private static func give(_ batch: Batch, _ state: Monitor<State>) -> Bool {
        let isWanted = state.withLock(when: { $0.batches.count < batchesAhead || $0.isStopped }) {
            state, _ in
            if !state.isStopped { state.batches.append(batch) }
            return !state.isStopped
        }
        state.broadcast()
        return isWanted
    }
}
