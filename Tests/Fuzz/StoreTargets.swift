/// Files of whole-file stores that are damaged or made by hand.

import SteleFiles
import SteleModel
import StelePersistence

/// A format with the file of a filled store.
private struct StoreFormatCase {
    let format: any FileFormat
    let model: Model
    let seed: [UInt8]

    init(_ format: any FileFormat) throws {
        self.format = format
        let store = try FuzzStore(inMemory: true)
        model = store.model
        guard let memory = store.coordinator.store as? InMemoryStore else {
            throw FuzzFinding("the store is not in memory")
        }
        seed = try format.bytes(of: memory.wholeContents(), model)
    }

    /// Reads a file, and checks that what is read is written and read as the same.
    func attempt(_ input: [UInt8]) throws {
        guard let objects = try read(input) else { return }
        let written = try format.bytes(of: objects, model)
        guard let again = try read(written) else {
            throw FuzzFinding("what is written cannot be read")
        }
        try require(again.objects == objects.objects, "what is written is read as something else")
    }

    /// The objects of a file; nil where it is refused.
    private func read(_ bytes: [UInt8]) throws -> StoreContents? {
        do throws(StoreError) {
            let contents = try format.contents(of: bytes, model)
            let store = try InMemoryStore(
                model: model, contents: contents, type: format.name,
                keep: { _ in })
            return try store.wholeContents()
        } catch {
            guard case .incompatible(_, let text) = error, !text.isEmpty else {
                throw FuzzFinding("a damaged file is \(error)")
            }
            return nil
        }
    }
}

/// Delimited text.
struct TextStoreTarget: FuzzTarget {
    private let stage: StoreFormatCase
    let words = [
        "Item|1|", "Item|", "Tag|", "|name=", "|tags=1,2", "|whole=1", "|parts=2,3", "\\", "\\n",
        "=", ",", "#next|Item|", "#objects|", "#uuid|", "_version=", "9223372036854775807",
    ]

    init() throws { stage = try StoreFormatCase(TextFormat()) }

    var seeds: [[UInt8]] {
        let lines = stage.seed.split(separator: UInt8(ascii: "\n"))
        // Without the metadata, which are most of the bytes and of little use.
        let bare = lines.filter { $0.first != UInt8(ascii: "#") }.joined(separator: [10])
        return [stage.seed, Array(bare)]
            + FuzzText.bytes(["Item|1|parts=2\nItem|2", "Tag|1|name=a\\|b\nItem|3|tags=1"])
    }

    func attempt(_ input: [UInt8]) throws { try stage.attempt(input) }
}

/// The binary form, as it is and with the checksum made right.
struct BinaryStoreTarget: FuzzTarget {
    private let stage: StoreFormatCase
    let words: [String] = []
    var seeds: [[UInt8]] { [stage.seed] }

    init() throws { stage = try StoreFormatCase(BinaryFormat()) }

    func attempt(_ input: [UInt8]) throws {
        try stage.attempt(input)
        try stage.attempt(BinaryFormat.sealed(Array(input.dropFirst(BinaryFormat.headCount))))
    }
}

/// Core Data's XML form.
struct XMLStoreTarget: FuzzTarget {
    private let stage: StoreFormatCase
    let words = [
        "<object type=\"ITEM\" id=\"z9\">", "</object>", "idrefs=\"z1 z2\"", "<attribute ",
        "name=\"small\"", "type=\"int16\"", "</database>", "\\u3c00", "<nextObjectID>", "z1",
    ]

    init() throws { stage = try StoreFormatCase(XMLFormat()) }

    var seeds: [[UInt8]] {
        // Without the metadata, which are most of the bytes and of little use.
        let text = String(decoding: stage.seed, as: UTF8.self)
        let start = text.firstRange(of: "<metadata>")
        let end = text.firstRange(of: "</metadata>")
        guard let start, let end else { return [stage.seed] }
        return [stage.seed, Array((text[..<start.lowerBound] + text[end.upperBound...]).utf8)]
    }

    func attempt(_ input: [UInt8]) throws { try stage.attempt(input) }
}
