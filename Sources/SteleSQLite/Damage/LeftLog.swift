import CSQLite
import Glibc
import StelePersistence

/// Compares the write-ahead log of a store that no program has open with the index (`-shm`) that a
/// program has left: one that was killed, or that has found damage.
///
/// SQLite writes a commit to the log before it counts it in the index, and restarts the index before
/// the log. So an index of the log's own salt never counts more than the log has. SQLite itself does
/// not look at the index that it finds.
///
/// The last program that closes a store copies the log into the file, removes the index, and then the
/// log. So an index is not left without a log whose pages are not in the file, unless somebody has
/// removed the log, or a program that had the store for itself, and needed no index, has copied it.
enum LeftLog {
    private typealias State = stele_wal_state

    private static let headerBytes = 32
    private static let framesAtATime = 64
    /// The index's header, and what checkpoints have copied.
    private static let indexBytes = 136

    /// - Parameter file: the store's file.
    /// - Returns: what is wrong with its log; nil also without an index, and where the index is older
    ///   than the start of the machine: it may be ahead of what a disk has kept.
    static func fault(of file: String) -> String? {
        let path = file + "-wal"
        guard let state = index(of: file), state.copied < state.frames,
            [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536].contains(state.page_bytes)
        else { return nil }
        let log = open(path, O_RDONLY | O_CLOEXEC)
        guard log >= 0 else {
            guard errno == ENOENT, !isYounger(file),
                // Another program may have closed the store meanwhile.
                let now = index(of: file), now.salt == state.salt, now.copied < now.frames
            else { return nil }
            return "\(path) is missing: \(now.frames - now.copied) pages that were saved in it are "
                + "not in \(file)"
        }
        defer { close(log) }
        guard let good = goodFrames(log, state), good < state.frames,
            // Another program may have restarted it meanwhile.
            let now = index(of: file), now.salt == state.salt
        else { return nil }
        return "\(path) is damaged: of \(state.frames) pages in it, \(good) can be read"
    }

    /// What an index of this start of the machine says.
    private static func index(of file: String) -> State? {
        let index = open(file + "-shm", O_RDONLY | O_CLOEXEC)
        guard index >= 0 else { return nil }
        defer { close(index) }
        var found = stat()
        guard fstat(index, &found) == 0, found.st_mtim.tv_sec >= startOfMachine else { return nil }
        var words = [UInt32](repeating: 0, count: indexBytes / 4)
        let count = words.withUnsafeMutableBytes { pread(index, $0.baseAddress, $0.count, 0) }
        var state = State()
        guard count == indexBytes, stele_wal_read(&words, &state) != 0 else { return nil }
        return state
    }

    /// Dates the index of a log after the store's file, which a checkpoint has written to: a write to
    /// the mapped index itself does not always change its time.
    /// - Parameter file: the store's file.
    static func dateIndex(of file: String) { utimensat(AT_FDCWD, file + "-shm", nil, 0) }

    /// Whether a store's file was changed after the index of its log: by a program that has copied
    /// the log without an index, or that has put another file there, which needs no log. True also
    /// where there is no file.
    private static func isYounger(_ file: String) -> Bool {
        var (store, index) = (stat(), stat())
        guard stat(file, &store) == 0, stat(file + "-shm", &index) == 0 else { return true }
        // A move sets no other time.
        let (changed, used) = (store.st_ctim, index.st_mtim)
        return (changed.tv_sec, changed.tv_nsec) > (used.tv_sec, used.tv_nsec)
    }

    /// When the machine was started, in seconds since 1970.
    private static var startOfMachine: Int {
        var (now, since) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &since)
        return now.tv_sec - since.tv_sec
    }

    /// How many frames at the beginning of a log are as they were written; nil for a log of another
    /// salt.
    private static func goodFrames(_ log: Int32, _ state: State) -> UInt32? {
        var state = state
        var header = [UInt8](repeating: 0, count: headerBytes)
        guard pread(log, &header, headerBytes, 0) == headerBytes else { return 0 }
        var other = state
        memcpy(&other.salt, Array(header[16..<24]), 8)
        if other.salt != state.salt, stele_wal_header_fits(header, &other) != 0 { return nil }
        guard stele_wal_header_fits(header, &state) != 0 else { return 0 }
        var sum = [header[24..<28], header[28..<32]].map { stele_wal_number(Array($0)) }
        let frameBytes = 24 + Int(state.page_bytes)
        var frames = [UInt8](repeating: 0, count: framesAtATime * frameBytes)
        var good: UInt32 = 0
        while good < state.frames {
            let wanted = min(Int(state.frames - good), framesAtATime)
            let read = pread(
                log, &frames, wanted * frameBytes, off_t(headerBytes + Int(good) * frameBytes))
            let count = stele_wal_good(
                frames, Int32(max(read, 0) / frameBytes), &state, stele_wal_swaps(header), &sum)
            good += UInt32(count)
            if count < wanted { break }
        }
        return good
    }
}
