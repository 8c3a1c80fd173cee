// Archives that are damaged, or that nobody would make.

import CZlib
import Foundation
import SteleModel
import SteleModelFiles
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct DamagedArchiveTests {
    private static let file = "swiftgen/Model.momd/Model 2.mom"

    private static func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: CompiledModelTests.path(file))))
    }

    /// The sentence of the error for the archive after a change of its objects.
    private static func complaint(
        _ change: (inout [PropertyList]) throws -> Void
    ) throws -> String {
        let list = try PropertyList.read(bytes(), place: "")
        var objects = try #require(list["$objects"]?.array)
        try change(&objects)
        let entries = (list.entries ?? []).map {
            $0.key == "$objects" ? PropertyList.Entry(key: $0.key, value: .array(objects)) : $0
        }
        do {
            let archive = BinaryPropertyListWriter.bytes(.dictionary(entries))
            let (model, _) = try CompiledModelReader.read(archive, name: "M", place: "M.mom")
            _ = try Model(model)
            return ""
        } catch {
            return error.description
        }
    }

    /// Changes a field of the attribute `decimal` of MainEntity, or of another property.
    private static func complaint(
        of name: String = "decimal", _ key: String, _ value: PropertyList
    ) throws -> String {
        try complaint { objects in
            let place = try #require(
                objects.firstIndex { object in
                    guard let uid = object["NSPropertyName"]?.uid, objects.indices.contains(uid),
                        object["NSRenamingIdentifier"] != nil
                    else { return false }
                    return objects[uid].string == name
                })
            objects[place] = objects[place].setting(key, value)
        }
    }

    @Test func eachErrorNamesTheFileTheEntityAndTheProperty() throws {
        let place = "M.mom, MainEntity.decimal: its archive "
        #expect(
            try Self.complaint("NSAttributeType", 999)
                == place + "has the attribute type 999, which is not known")
        #expect(
            try Self.complaint("NSAttributeType", "x")
                == place + "has no number for the type of an attribute")
        #expect(
            try Self.complaint("NSDefaultValue", .uid(99_999))
                == place + "contains a value that cannot be read")
        #expect(
            try Self.complaint("NSUserInfo", .uid(99_999))
                == place + "lacks an object that it needs")
        #expect(
            try Self.complaint("NSValueTransformerName", .uid(1))
                == place + "lacks a text that it needs")
        #expect(
            try Self.complaint("$class", .uid(3))
                == place + "contains an object without a class")
        #expect(
            try Self.complaint(of: "fetchedProperty", "NSFetchRequest", .uid(1))
                == "M.mom, MainEntity.fetchedProperty: its archive contains an object of the class "
                + "NSManagedObjectModel in place of NSFetchRequest")
        #expect(
            try Self.complaint(of: "manyToMany", "NSDeleteRule", 7).hasSuffix(
                ".manyToMany: its archive has the delete rule 7, which is not known"))
    }

    @Test func aPredicateThatContainsItselfIsRefused() throws {
        let complaint = try Self.complaint { objects in
            let place = try #require(
                objects.firstIndex { $0["NSCompoundPredicateType"] != nil })
            let list = try #require(objects[place]["NSSubpredicates"]?.uid)
            objects[list] = objects[list].setting("NS.objects", .array([.uid(place), .uid(place)]))
        }
        #expect(
            complaint == "M.mom, fetch request ObjectIDFetchRequest: its archive contains an "
                + "object that refers to itself")
    }

    @Test func anEntityThatIsItsOwnParentIsRefused() throws {
        let complaint = try Self.complaint { objects in
            let place = try #require(
                objects.firstIndex { object in
                    object["NSEntityName"]?.uid.map { objects[$0].string == "NewEntity" } ?? false
                })
            objects[place] = objects[place].setting("NSSuperentity", .uid(place))
        }
        #expect(complaint.contains("NewEntity: its parent entities form a cycle"))
    }

    @Test func aDictionaryWithoutAsManyValuesIsRefused() throws {
        let complaint = try Self.complaint { objects in
            let entities = try #require(objects[1]["NSEntities"]?.uid)
            objects[entities] = objects[entities].setting("NS.objects", .array([]))
        }
        #expect(complaint == "M.mom: its archive contains a dictionary with 8 keys and 0 values")
    }

    /// The source of the model could not be written.
    @Test func aTextThatXMLCannotHoldIsRefused() throws {
        let complaint = try Self.complaint { objects in
            let place = try #require(objects.firstIndex { $0.string == "decimal" })
            objects[place] = "deci\u{1}mal"
        }
        #expect(complaint.contains("has a text with a control character"))
    }

    @Test func whatIsNoModelSaysWhatItIs() throws {
        let complaint = try Self.complaint { objects in
            let its = try #require(objects[1]["$class"]?.uid)
            objects[its] = objects[its].setting("$classname", "XDPMModel")
        }
        #expect(complaint.contains("is a model of Xcode 3 (elements)"))
        let mapping = try CompiledModelTests.path("sample/Fixtures/V2toV3.cdm")
        let error = #expect(throws: ModelErrors.self) { try ModelFile.read(mapping) }
        #expect(error?.description.contains("is a compiled mapping model") == true)
    }

    /// Bytes all over the archive, in three ways: an error or a model, and never the end of the
    /// process.
    @Test func aFlippedByteIsAnErrorOrAModel() throws {
        let whole = try Self.bytes()
        var outcomes = (models: 0, errors: 0)
        for place in stride(from: 0, to: whole.count, by: 13) {
            var bytes = whole
            bytes[place] ^= [0x01, 0x80, 0xFF][place % 3]
            do {
                _ = try CompiledModelReader.read(bytes, name: "M", place: "M.mom")
                outcomes.models += 1
            } catch {
                #expect(error.description.hasPrefix("M.mom"))
                outcomes.errors += 1
            }
        }
        #expect(outcomes.models > 0)
        #expect(outcomes.errors > 0)
        for size in stride(from: 0, to: whole.count, by: 97) {
            #expect(throws: ModelErrors.self) {
                try CompiledModelReader.read(Array(whole.prefix(size)), name: "M", place: "M.mom")
            }
        }
    }

    // MARK: Model caches

    @Test func aModelCacheIsBounded() throws {
        let whole = try Self.bytes()
        #expect(
            try ModelCache.read(deflated(whole), name: "M", place: "a").0
                == CompiledModelReader.read(whole, name: "M", place: "a").0)
        let bomb = deflated([UInt8](repeating: 0, count: ModelCache.byteLimit + 1))
        #expect(bomb.count < 1 << 20)
        func complaint(_ bytes: [UInt8]) -> String? {
            #expect(throws: ModelErrors.self) {
                try ModelCache.read(bytes, name: "M", place: "App.sqlite")
            }?.description
        }
        #expect(complaint(bomb)?.contains("inflates to more than 64 MiB") == true)
        #expect(complaint(deflated(whole).dropLast(3))?.contains("is damaged") == true)
        #expect(complaint([1, 2, 3])?.contains("is damaged") == true)
        #expect(complaint(deflated([1, 2, 3]))?.contains("App.sqlite, model cache") == true)
    }

    @Test func aStoreWithoutAModelSaysWhatToDo() throws {
        try withFolder { folder in
            let path = folder.appending(path: "a.sqlite").path
            try SQLiteStore.open(path: path, model: sampleModel("League")).close()
            try RawDatabase(path).run("DELETE FROM Z_MODELCACHE")
            let none = #expect(throws: ModelErrors.self) { try SQLiteStore.modelFile(path: path) }
            #expect(
                none?.description
                    == "\(path): the store has no model cache (give the model that the store was "
                    + "made with, and the store by --store)")
            let other = folder.appending(path: "b.sqlite").path
            try RawDatabase(other).run("CREATE TABLE T (a)")
            let foreign = #expect(throws: ModelErrors.self) {
                try SQLiteStore.modelFile(path: other)
            }
            #expect(
                foreign?.description
                    == "\(other): it is an SQLite database, but not a Core Data store")
        }
    }

    /// A store whose data is still in its log: the log and the folder stay as they are.
    @Test func theModelIsReadFromALog() throws {
        try withFolder { folder in
            let path = folder.appending(path: "100% #1?.sqlite").path
            try FileManager.default.copyItem(
                atPath: CompiledModelTests.path("moody/Moody 5.moody"), toPath: path)
            let plain = try SQLiteStore.modelFile(path: path)
            #expect(plain.name == "100% #1?")
            let raw = try RawDatabase(path)
            try raw.run("PRAGMA wal_autocheckpoint = 0; UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
            let before = try CompiledModelTests.files(beside: path)
            #expect(before.contains { $0.hasPrefix("100% #1?.sqlite-wal ") })
            let error = #expect(throws: ModelErrors.self) { try SQLiteStore.modelFile(path: path) }
            #expect(error?.description.contains("has no model cache") == true)
            #expect(try CompiledModelTests.files(beside: path) == before)
            withExtendedLifetime(raw) {}
        }
    }
}

extension PropertyList {
    /// A dictionary with another value for a key.
    fileprivate func setting(_ key: String, _ value: PropertyList) -> PropertyList {
        .dictionary((entries ?? []).filter { $0.key != key } + [.init(key: key, value: value)])
    }
}

/// Bytes as raw DEFLATE.
private func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            deflate(&stream, Z_FINISH)
            return output.count - Int(stream.avail_out)
        }
    }
    return Array(output.prefix(count))
}
