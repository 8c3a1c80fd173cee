import CSQLite
import Glibc
import StelePersistence

/// Compares a database's write-ahead log with its index.
///
/// SQLite does not look at what is in the log before it appends to it. A log that was cut or written
/// over takes further commits, and is read from the index, but the next recovery ends where the log
/// is damaged, and all later commits are lost.
///
/// What is committed does not change until the log restarts, and a restart changes the salt in the
/// index before it changes the log. So what differs from the index is damaged if the salt is still
/// the same afterwards. No lock is needed, and other programs may commit and checkpoint meanwhile.
struct LogCheck {
    typealias State = stele_wal_state

    static let headerBytes = 32
    private static let frameHeaderBytes = 24
    /// The frames that are read at a time: few enough to stay in the processor's cache.
    private static let framesAtATime = 16

    private let connection: OpaquePointer
    private let database: String
    private let index: UnsafePointer<UInt32>
    /// The path of the log.
    let path: String

    /// - Parameters:
    ///   - connection: the handle of a connection that has read something, and outlives this.
    ///   - database: `main`, or the name of an attached one.
    /// - Returns: nil where there is no log, or its index is not mapped.
    init?(_ connection: OpaquePointer, _ database: String) {
        // Asking for the index makes one where there is none.
        guard stele_file(connection, database, 1) != nil,
            let file = sqlite3_db_filename(connection, database),
            access(String(cString: file) + "-shm", F_OK) == 0,
            let index = stele_wal_index(connection, database)
        else { return nil }
        self.connection = connection
        self.database = database
        self.index = index
        path = String(cString: file) + "-wal"
    }

    /// What the index says; nil where it cannot be read, and the next transaction makes it again.
    var state: State? {
        var state = State()
        for _ in 0..<100 where stele_wal_read(index, &state) != 0 { return state }
        return nil
    }

    /// Finds out whether the log's length, its header and its last frame's are as the index says.
    /// - Parameter former: an earlier state, whose last frame has to be there still.
    /// - Returns: what is wrong.
    func fault(since former: State? = nil) -> String? {
        while let state, state.frames > 0 {
            guard let fault = endFault(of: state, former) else { return nil }
            if isSame(state) { return fault }
        }
        return nil
    }

    /// Finds out whether frames are as they were written.
    /// - Parameters:
    ///   - first: the number of the first frame, from 1 on.
    ///   - last: that of the last, at most the one that the state ends with.
    /// - Returns: what is wrong.
    func fault(inFrames first: UInt32, through last: UInt32, of state: State) -> String? {
        first <= last ? fault(in: [first...last], of: state) : nil
    }

    /// Finds out whether the frames that a checkpoint would copy are as they were written.
    /// - Returns: what is wrong.
    func fault(inFramesToCopyOf state: State) -> String? {
        fault(in: framesToCopy(state), of: state)
    }

    private func fault(in runs: [ClosedRange<UInt32>], of state: State) -> String? {
        guard let damaged = damagedFrame(runs, state), isSame(state) else { return nil }
        return
            "\(path) is damaged: page \(damaged) of \(state.frames) in it is not as it was written"
    }

    /// Whether the log has not restarted since a state.
    private func isSame(_ state: State) -> Bool {
        self.state.map { $0.salt == state.salt } ?? false
    }

    private func endFault(of state: State, _ former: State?) -> String? {
        guard let log = stele_file(connection, database, 1) else { return nil }
        let (size, end) = (stele_file_size(log), Self.place(after: state.frames, state))
        guard size >= end else {
            return "\(path) is damaged: it has \(max(size, 0)) bytes, and \(end) were written"
        }
        var header = [UInt8](repeating: 0, count: Self.headerBytes)
        var state = state
        guard read(log, &header, at: 0), stele_wal_header_fits(header, &state) != 0 else {
            return "\(path) is damaged: its header is not as it was written"
        }
        var last = [UInt8](repeating: 0, count: Self.frameHeaderBytes)
        guard read(log, &last, at: Self.place(after: state.frames - 1, state)),
            stele_wal_is_last(last, &state) != 0
        else { return "\(path) is damaged: its end is not as it was written" }
        // Where the log was cut and then appended to, it has nothing at the cut.
        if let former, former.salt == state.salt, 0 < former.frames, former.frames < state.frames,
            damagedFrame([former.frames...former.frames], state) != nil
        {
            return "\(path) is damaged: it was cut, and written to again after that"
        }
        return nil
    }

    /// The byte after so many frames.
    private static func place(after frames: UInt32, _ state: State) -> Int64 {
        Int64(headerBytes) + Int64(frames) * Int64(frameHeaderBytes + Int(state.page_bytes))
    }

    /// The frames that a checkpoint would copy: of those after the ones that are copied, the last of
    /// each page, by the index. Where most saves change the same pages, they are few. Where a view
    /// of an older state is in the way of the last frame, the page is not copied.
    private func framesToCopy(_ state: State) -> [ClosedRange<UInt32>] {
        guard state.copied < state.frames else { return [] }
        var runs: [ClosedRange<UInt32>] = []
        var pages: Set<UInt32> = []
        var (block, number) = (index, Int32(0))
        for frame in (state.copied + 1...state.frames).reversed() {
            let its = stele_wal_block_of(frame)
            if its != number || runs.isEmpty {
                guard let mapped = stele_wal_block(connection, database, its) else {
                    return [state.copied + 1...state.frames]
                }
                (block, number) = (mapped, its)
            }
            guard pages.insert(stele_wal_page(block, frame)).inserted else { continue }
            if let run = runs.last, run.lowerBound == frame + 1 {
                runs[runs.count - 1] = frame...run.upperBound
            } else {
                runs.append(frame...frame)
            }
        }
        return runs.reversed()
    }

    /// The first of the frames that is not as it was written.
    private func damagedFrame(_ runs: [ClosedRange<UInt32>], _ state: State) -> UInt32? {
        guard let first = runs.first, let log = stele_file(connection, database, 1) else {
            return nil
        }
        var header = [UInt8](repeating: 0, count: Self.headerBytes)
        guard read(log, &header, at: 0) else { return first.lowerBound }
        let swaps = stele_wal_swaps(header)
        let most = min(runs.map(\.count).max() ?? 1, Self.framesAtATime)
        var frames = [UInt8](
            repeating: 0, count: most * (Self.frameHeaderBytes + Int(state.page_bytes)))
        for run in runs {
            if let damaged = damagedFrame(run, state, log, swaps, &frames) { return damaged }
        }
        return nil
    }

    /// - Parameter frames: room for those that are read at a time.
    private func damagedFrame(
        _ run: ClosedRange<UInt32>, _ state: State, _ log: UnsafeMutablePointer<sqlite3_file>,
        _ swaps: Int32, _ frames: inout [UInt8]
    ) -> UInt32? {
        var state = state
        var before = [UInt8](repeating: 0, count: 8)
        // The check sum of each frame continues that of the frame before, or of the header.
        let first = run.lowerBound
        let place = first == 1 ? 24 : Self.place(after: first - 2, state) + 16
        guard read(log, &before, at: place) else { return first }
        var sum: (UInt32, UInt32) = before.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return (0, 0) }
            return (stele_wal_number(start), stele_wal_number(start + 4))
        }
        let frameBytes = Self.frameHeaderBytes + Int(state.page_bytes)
        var next = first
        while next <= run.upperBound {
            let count = min(Int(run.upperBound - next) + 1, frames.count / frameBytes)
            guard read(log, &frames, count * frameBytes, at: Self.place(after: next - 1, state))
            else { return next }
            let good = withUnsafeMutableBytes(of: &sum) { sum in
                stele_wal_good(
                    frames, Int32(count), &state, swaps,
                    sum.baseAddress?.assumingMemoryBound(to: UInt32.self))
            }
            guard good == count else { return next + UInt32(good) }
            next += UInt32(count)
        }
        return run.upperBound == state.frames && sum != state.sum ? run.upperBound : nil
    }

    private func read(
        _ log: UnsafeMutablePointer<sqlite3_file>, _ bytes: inout [UInt8], _ count: Int? = nil,
        at place: Int64
    ) -> Bool {
        stele_file_read(log, &bytes, Int32(count ?? bytes.count), place) == SQLITE_OK
    }
}
