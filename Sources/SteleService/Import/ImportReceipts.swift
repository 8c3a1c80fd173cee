/// The files that were imported, remembered in the store.

import Glibc
import SteleCrypto
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The receipts of an import's files, by the hash of their bytes.
///
/// Objects with a key or an `_id` are recognised when they are imported again. For others, the
/// receipt of their file is all that tells that they are in the store.
struct ImportReceipts {
    private let plan: ImportPlan
    /// The hashes of the files that have no receipt yet.
    private var new: Set<String> = []
    /// The errors for records that are not recognised, by file, if the file was imported before.
    private(set) var repeated: [Int: ImportError] = [:]

    init(_ plan: ImportPlan) { self.plan = plan }

    /// The files to be read, by index.
    /// - Throws: `ImportError` if a file was imported before and its objects cannot be recognised.
    mutating func filesToRead(
        _ reader: any StoreReader, _ summary: inout Import.Summary
    ) throws -> [Int] {
        if !plan.seeds.isEmpty { return try seedsToRead(reader, &summary) }
        var read: [Int] = []
        var left: [Int: ImportError] = [:]
        for (index, file) in plan.files.enumerated() {
            // The bytes of a pipe can be read once only, and an empty file has no objects.
            if let size = RecordReader.size(file.path), size > 0 {
                let hash = try Self.hash(file.path)
                if let receipt = try reader.receipt(Self.key(hash)) {
                    let error = again(file, String(decoding: receipt.answer, as: UTF8.self))
                    if try !isRecognised(file) {
                        guard plan.options.onConflict == .skip else { throw error }
                        left[index] = error
                        continue
                    }
                    if !plan.options.isAgain { repeated[index] = error }
                } else if new.insert(hash).inserted {
                    receipts.append(Self.request(Self.key(hash), Array(file.path.utf8)))
                } else {
                    let error = ImportError("the same file is given twice", file: file.path)
                    if try !isRecognised(file) { throw error }
                    if !plan.options.isAgain { repeated[index] = error }
                }
            }
            read.append(index)
        }
        if read.isEmpty {
            summary.filesSkipped = left.keys.sorted().map { plan.files[$0].path }
            return []
        }
        // The others may name objects of these files, and some of their records may have keys.
        repeated.merge(left) { $1 }
        return (read + left.keys).sorted()
    }

    /// The seeds that the store has not loaded yet. Another program may have loaded them since they
    /// were found.
    private mutating func seedsToRead(
        _ reader: any StoreReader, _ summary: inout Import.Summary
    ) throws -> [Int] {
        var read: [Int] = []
        for name in plan.seeds where try reader.receipt(Self.key(ofSeed: name)) == nil {
            let index = plan.files.firstIndex { $0.path.hasSuffix("/\(name)") }
            guard let index else { continue }
            read.append(index)
            receipts.append(Self.request(Self.key(ofSeed: name), Array(name.utf8)))
            summary.seeds.append(name)
        }
        return read.sorted()
    }

    private func again(_ file: ImportPlan.File, _ before: String) -> ImportError {
        ImportError(
            "the file was imported before, as \(before), and its objects have no key by which they "
                + "are recognised: --again imports them once more, --on-conflict skip leaves them "
                + "out, --key ENTITY.ATTRIBUTE names a key",
            file: file.path)
    }

    /// The requests that keep the receipts.
    private(set) var receipts: [SaveRequest] = []

    /// A part of a save that keeps a receipt permanently.
    static func request(_ key: String, _ answer: [UInt8]) -> SaveRequest {
        var request = SaveRequest(readToken: 0)
        request.receipt = ReceiptRequest(key: key, fingerprint: 0, isPermanent: true) { _ in answer
        }
        return request
    }

    /// Whether the objects of a file can have keys or ids, so that the store tells those that it
    /// has.
    private func isRecognised(_ file: ImportPlan.File) throws -> Bool {
        if plan.options.isAgain { return true }
        if let entity = file.entity, plan.key(of: entity) != nil { return true }
        let reader = try RecordReader(file, plan)
        guard let first = try reader.next() else { return false }
        let keepsIDs = !plan.options.givesNewIDs
        if file.format.isCells {
            let form = CellForm(first, declared: reader.declared, file, plan.options)
            let columns = try form.cells(first).map(\.text)
            // The rows tell their entities.
            return columns.contains("_entity") || (keepsIDs && columns.contains("_id"))
        }
        guard let record = (try? JSONDocument(first))?.root else { return false }
        if keepsIDs, record["_id"] != nil { return true }
        let entity = try? ImportLine.entity(record["_entity"], of: file, plan.model)
        return entity.flatMap { plan.key(of: $0) } != nil
    }

    private static func key(_ hash: String) -> String { "stele import \(hash)" }

    /// The key of the receipt of a seed, whatever the form of its file.
    static func key(ofSeed name: String) -> String {
        "stele seed \(name.split(separator: ".").dropLast().joined(separator: "."))"
    }

    /// The SHA-256 of a file's bytes, as hexadecimal digits.
    private static func hash(_ path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ImportError("cannot be read: \(String(cString: strerror(errno)))", file: path)
        }
        defer { close(descriptor) }
        var hash = Digest()
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = read(descriptor, chunk.baseAddress, chunk.count)
            if count <= 0 { break }
            hash.update(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
        return Secret.hexadecimal(hash.finish())
    }
}
