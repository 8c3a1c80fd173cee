// What the formats write and read.

import FoundationEssentials
import SteleFiles
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@Suite struct FormatTests {
    private let folder: TemporaryFolder
    private let model: Model
    private static let formats: [any FileFormat] = [TextFormat(), BinaryFormat()]

    init() throws {
        folder = try TemporaryFolder()
        model = try allTypesModel()
    }

    private func file() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: folder.store)))
    }

    /// The message of the refusal of a file.
    private func refusal(_ text: String) throws -> String {
        try folder.write(text, to: "store.sqlite")
        let (code, message) = SteleFilesTests.refusal {
            try AtomicStore.open(path: folder.store, model: model, format: TextFormat()).close()
        }
        #expect(code == 134080)
        return message.replacing(folder.store + ": ", with: "")
    }

    /// Damage makes any part of a file as long as the file.
    @Test(arguments: [StoreKind.text, .xml])
    func theRefusalOfADamagedFileIsShort(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        try stage.fill()
        stage.close()
        let whole = try file()
        let seed = drawSeed("long damage")
        var numbers = SeededNumbers(seed: seed)
        let format: any FileFormat = kind == .xml ? XMLFormat() : TextFormat()
        var refusals = 0
        for _ in 0..<60 {
            let piece = numbers.pick("x", "1", "é", "x|", "x=", "<x>", "\\q", "z9,", "x\n")
            let long = Array(String(repeating: piece, count: 132_000 / piece.utf8.count).utf8)
            let place = numbers.below(whole.count)
            let damaged = whole[..<place] + long + whole[place...]
            try Data(damaged).write(to: URL(filePath: folder.store))
            do throws(StoreError) {
                // Some values may be long.
                try AtomicStore.open(path: folder.store, model: model, format: format).close()
            } catch {
                refusals += 1
                let sentence = error.sentence
                #expect(sentence.utf8.count < 1_000, "seed \(seed): \(sentence.prefix(300))")
            }
        }
        #expect(refusals > 20)
    }

    @Test func theRefusalOfALongEntityNameIsShort() throws {
        let stage = try Stage(.xml, model, at: folder.store)
        stage.close()
        let long = String(repeating: "A", count: 132_000)
        let text = String(decoding: try file(), as: UTF8.self)
            .replacing("<key>Tag</key>", with: "<key>\(long)</key>")
        try folder.write(text, to: "store.sqlite")
        let (code, message) = SteleFilesTests.refusal {
            try AtomicStore.open(path: folder.store, model: model, format: XMLFormat()).close()
        }
        #expect(code == 134100 || code == 134080)
        #expect(message.contains("AAA…") && message.utf8.count < 1_000)
    }

    @Test(arguments: StoreKind.files)
    func aStoreIsTheSameAfterItIsOpenedAgain(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        try stage.fill()
        var objects = try stage.objects()
        let identifier = stage.coordinator.store.identifier
        #expect(objects.count == 2 * Stage.texts.count + 7)
        #expect(objects.contains { $0.snapshot.version == 2 })
        // Core Data's form has no versions.
        if kind == .xml { for index in objects.indices { objects[index].snapshot.version = 1 } }
        stage.close()
        let written = try file()

        let again = try Stage(kind, model, at: folder.store)
        defer { again.close() }
        #expect(try again.objects() == objects)
        #expect(again.coordinator.store.identifier == identifier)
        #expect(again.coordinator.store.type == kind.rawValue)
        #expect(try again.history().isEmpty)
        // The same objects make the same file.
        try again.insert("Note").forEach { _ in }
        try again.change { context in
            for note in try context.fetch(FetchRequest(entity: try again.entity("Note"))).suffix(1)
            {
                try context.delete(note)
            }
        }
        #expect(try again.objects() == objects)
        #expect(try file() != written, "the key of the deleted note is given to no other")
    }

    /// Only another program writes such a date.
    @Test(arguments: StoreKind.files)
    func aDateWithoutATextIsNullAndStaysInTheFile(_ kind: StoreKind) throws {
        let first = try Stage(kind, model, at: folder.store)
        let id = try first.insert("Box")[0]
        first.close()
        let format = try #require(try FileFormats.format(ofFile: folder.store))
        let box = try model.named("Box")
        let slot = try #require(box.attribute(named: "madeAt")).slot
        var contents = try format.contents(of: file(), model)
        contents.objects[0].snapshot.values[slot] = .date(1e19)
        try Data(format.bytes(of: contents, model)).write(to: URL(filePath: folder.store))

        let stage = try Stage(kind, model, at: folder.store)
        defer { stage.close() }
        for (key, value, shown, kept) in [
            ("name", Value.string("x"), Value.null, Value.date(1e19)),
            ("madeAt", .date(1), .date(1), .date(1)), ("madeAt", .null, .null, .null),
        ] {
            try stage.change { try $0.get(id)[key] = value }
            let read = try stage.stored(id)?.value("madeAt", in: model)
            #expect(read == shown)
            let written = try format.contents(of: file(), model).objects[0].snapshot.values[slot]
            #expect(written == kept)
        }
    }

    @Test(arguments: StoreKind.files)
    func keysAreNotGivenAgain(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        let id = try stage.insert("Tag", count: 3)[2]
        try stage.change { try $0.delete(try $0.get(id)) }
        stage.close()
        let again = try Stage(kind, model, at: folder.store)
        defer { again.close() }
        #expect(try again.insert("Tag")[0].key > id.key)
    }

    @Test func aLineIsAnObject() throws {
        let stage = try Stage(.text, model, at: folder.store)
        try stage.change { context in
            let box = try context.insert(try stage.entity("Box"))
            box["name"] = .string("a|b=c,d\\e\nf")
            box["label"] = .string("")
            box["price"] = .decimal(try #require(DecimalText.parse("12.50".utf8)))
            box["isOpen"] = .bool(true)
            box["madeAt"] = .date(0.25)
            box["picture"] = .data([1, 2, 255])
            box["place.city"] = .string("Rome")
            let notes = try (0..<2).map { _ in try context.insert(try stage.entity("Note")) }
            try box.replace("notes", [notes[1], notes[0]])
        }
        stage.close()
        let lines = String(decoding: try file(), as: UTF8.self).split(separator: "\n")
        #expect(lines[0] == "#stele text 1")
        let notes = lines.filter { $0.hasPrefix("Note|") }
        #expect(notes == ["Note|1|thing=1", "Note|2|thing=1"])
        let box = try #require(lines.first { $0.hasPrefix("Box|1|") })
        #expect(
            box == """
                Box|1|name=a\\|b\\=c\\,d\\\\e\\nf|price=12.5|isOpen=YES\
                |madeAt=2001-01-01T00:00:00.250Z|picture=AQL/|place.city=Rome|label=|notes=2,1
                """)
    }

    @Test func aFileIsWrittenByHand() throws {
        try folder.write(
            "Box|7|name=Big|friends=9\r\nBox|9|_version=0|twin=7\n\n# a remark\nNote|1|thing=7\n"
                + "Tag|2|name=\n",
            to: "store.sqlite")
        let stage = try Stage(.text, model, at: folder.store)
        defer { stage.close() }
        let root = try stage.entity("Thing").index
        let twin = try stage.stored(ObjectID(root: root, key: 7))?.value("twin", in: model)
        #expect(twin == .key(9))
        let version = try stage.stored(ObjectID(root: root, key: 9))?.version
        #expect(version == 0)
        #expect(try stage.storedMembers("Box.friends", of: 9) == [7])
        #expect(try stage.storedMembers("Thing.notes", of: 7) == [1])
        #expect(try stage.insert("Box")[0].key == 10)
    }

    @Test func aRefusalNamesTheLine() throws {
        #expect(try refusal("Box|1\nBx|2") == "line 2: there is no entity Bx (did you mean Box?)")
        #expect(
            try refusal("Box|1|nam=x")
                == "line 1: Box has no property nam (did you mean name?)")
        #expect(try refusal("Box|x").hasPrefix("line 1: x is not a key"))
        #expect(
            try refusal("Box|1|_version=-1")
                == "line 1: -1 is not a version, which is a whole number from 0")
        #expect(try refusal("Box").hasPrefix("line 1: a line is"))
        #expect(try refusal("Box|1|name").hasPrefix("line 1: name has no ="))
        #expect(try refusal("Box|1|name=a|name=b") == "line 1: name is there twice")
        #expect(try refusal("Box|1|name=a\\b").hasPrefix("line 1: a \\ in a value"))
        #expect(try refusal("Box|1|twin=2,3") == "line 1: twin can have one destination only")
        #expect(
            try refusal("Box|1|small=70000")
                == "line 1: 70000 is not a value of small, whose type is Integer 16")
        for digit in [".1", "-5"] {
            let damaged = "1" + String(repeating: digit, count: 22)
            let message = try refusal("Box|1|price=\(damaged)")
            #expect(message.contains("is not a value of price"), "\(message)")
        }
        #expect(try refusal("#objects|2\nBox|1").hasPrefix("the file has 1 objects"))
        #expect(try refusal("#stele text 2\nBox|1").contains("newer form"))
    }

    @Test func aGraphThatTheModelCannotHaveIsRefused() throws {
        #expect(try refusal("Box|1\nBox|1") == "Box 1 is there twice")
        #expect(try refusal("Thing|1") == "Thing 1: the entity Thing is abstract")
        #expect(try refusal("Box|1|twin=2") == "Box 1: twin refers to Box 2, which is missing")
        #expect(
            try refusal("Tag|1\nNote|1|about=1\nBox|3|notes=2")
                == "Box 3: notes refers to Note 2, which is missing")
        #expect(
            try refusal("Box|1|twin=2\nBox|2|twin=2")
                == "Box 2: twin contradicts its inverse in Box 1")
        #expect(
            try refusal("Box|1|notes=1\nBox|2|notes=1\nNote|1")
                == "Note 1: thing contradicts its inverse in Box 2")
        #expect(
            try refusal("Box|1|line=3\nBox|2|line=3\nBox|3")
                == "Box 3 is in line of Box 1 and of Box 2")
        #expect(try refusal("Box|9223372036854775807").contains("keys are from 1"))
    }

    @Test(arguments: StoreKind.files)
    func aFileOfAnotherModelIsRefused(_ kind: StoreKind) throws {
        try Stage(kind, model, at: folder.store).close()
        let other = try makeModel([EntityMaker("Box").attribute("name", .string)])
        let (code, message) = SteleFilesTests.refusal {
            try kind.open(other, at: folder.store).close()
        }
        #expect(code == 134100 && message.contains("belongs to another model"), "\(message)")
        #expect(message.contains(folder.store))
    }

    @Test func eachFlippedByteOfABinaryFileIsFound() throws {
        let stage = try Stage(.binary, model, at: folder.store)
        try stage.insert("Tag").forEach { _ in }
        stage.close()
        let bytes = try file()
        let format = BinaryFormat()
        #expect(throws: Never.self) { try format.contents(of: bytes, model) }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8(1 << (index % 8))
            #expect(throws: StoreError.self, "byte \(index)") {
                try format.contents(of: damaged, model)
            }
        }
        for count in bytes.indices {
            #expect(throws: StoreError.self, "\(count) bytes") {
                try format.contents(of: Array(bytes.prefix(count)), model)
            }
        }
    }

    @Test func formatsAreFoundByNameAndFirstBytes() throws {
        #expect(FileFormats.format(forName: "a.b/notes.TXT")?.name == "text")
        #expect(FileFormats.format(forName: "notes.bin")?.name == "binary")
        #expect(FileFormats.format(forName: "a.txt/notes") == nil)
        for kind in StoreKind.files {
            let path = folder.path + "/" + kind.rawValue
            try Stage(kind, model, at: path).close()
            #expect(try FileFormats.format(ofFile: path)?.name == kind.rawValue)
        }
        #expect(try FileFormats.format(ofFile: folder.path + "/none") == nil)
    }
}
