// What befalls the files of a store that a service has open.

import Foundation
import TestSupport
import Testing

/// A fault of one of a store's files.
enum StoreFault: CaseIterable, CustomTestStringConvertible {
    case logCutToNothing, logCut, logHeader, logSalt, logFrame, logEnd
    case storeHeader, storeCutToNothing
    case storePages, storeCut, indexCutToNothing
    case storeMiddle, storeHalved, storeOlder

    var testDescription: String { "\(self)" }

    /// Those after which no save may be answered.
    static let endingSaves: [StoreFault] = [
        .logCutToNothing, .logCut, .logHeader, .logSalt, .logFrame, .logEnd, .storeHeader,
        .storeCutToNothing,
    ]

    /// Those that a save notices at any moment. A change within the log is noticed at once where no
    /// save goes on, and else within a second or so; what was its end may be within it by then.
    static let noticedByEachSave = endingSaves.filter { $0 != .logFrame && $0 != .logEnd }

    /// Those that change the store's file while its log has saves.
    static let underLog: [StoreFault] = [.storeMiddle, .storeHalved, .storeOlder]

    private var ending: String {
        switch self {
        case .logCutToNothing, .logCut, .logHeader, .logSalt, .logFrame, .logEnd: "-wal"
        case .storeHeader, .storeCutToNothing, .storePages, .storeCut, .storeMiddle, .storeHalved,
            .storeOlder:
            ""
        case .indexCutToNothing: "-shm"
        }
    }

    /// Does it to a store.
    /// - Parameter store: the path of the store's file.
    func strike(_ store: String, _ numbers: inout SeededNumbers) throws {
        // The file system's clock has steps, and a change within that of the last save is noticed
        // later.
        if self == .logFrame { usleep(20_000) }
        let path = store + ending
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let size = Int(try file.seekToEnd())
        func write(_ range: Range<Int>) throws {
            try file.seek(toOffset: UInt64(range.lowerBound))
            // Two in a row do not give the same byte.
            let byte = UInt8(1 + numbers.below(255))
            try file.write(contentsOf: Data(repeating: byte, count: range.count))
        }
        switch self {
        case .logCutToNothing, .storeCutToNothing, .indexCutToNothing:
            try file.truncate(atOffset: 0)
        case .logCut: try file.truncate(atOffset: UInt64(32 + numbers.below(size - 64)))
        case .storeCut: try file.truncate(atOffset: 4_096)
        case .logHeader, .storeHeader: try write(0..<32)
        case .logSalt: try write(16..<24)
        // Not the first frames, which a recovery can do without.
        case .logFrame: try write(100..<(100 + 4_096))
        case .logEnd: try write((size - 4_000)..<(size - 100))
        case .storePages: try write(4_096..<size)
        case .storeMiddle: try write((size / 4)..<(size / 2))
        case .storeHalved: try file.truncate(atOffset: UInt64(size / 8_192 * 4_096))
        // A copy is put back in place, as by cp.
        case .storeOlder:
            let older = try Data(contentsOf: URL(fileURLWithPath: store + ".older"))
            try file.seek(toOffset: 0)
            try file.write(contentsOf: older)
            try file.truncate(atOffset: UInt64(older.count))
        }
    }
}
