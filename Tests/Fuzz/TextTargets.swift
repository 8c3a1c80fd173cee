/// Texts that are read by themselves: dates and numbers, models, archives.

import FoundationEssentials
import SteleJSON
import SteleModel
import SteleModelFiles
import SteleTransformers

/// Dates in ISO 8601, decimals, and base64.
struct DateTarget: FuzzTarget {
    let seeds = FuzzText.bytes([
        "2024-05-01", "2024-05-01T09:00:00Z", "2024-02-29T23:59:59.123456789+02:00",
        "-000001-01-01T00:00:00.5-23:59", "+99999999999-12-31T23:59:59.999Z", "0000-01-01T00:00Z",
        "1999-12-31t23:59:59,25z", "2001-01-01T00:00:00.000000000000000000001Z", "12.50", "-0.001",
        "1e3", "25e-4", "99999999999999999999999999999999999999", "YWJjZA==", "700000000.125",
    ])
    let words = ["T", "Z", "+02:00", "-23:59", ".", "-", ":", "+", "e", "99999999999", "000000"]

    init() {}

    func attempt(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        do {
            let seconds = try ISO8601.secondsSinceReferenceDate(text)
            try readsAgain(seconds)
        } catch let error as ISO8601.Failure {
            try require(
                (0...text.utf8.count).contains(error.position), "\(error) is beyond the text")
        }
        if let number = Double(text) {
            try readsAgain(number)
            var writer = ByteWriter()
            writer.double(number)
            writer.date(secondsSince2001: number)
        }
        if let decimal = DecimalText.parse(input) {
            let written = DecimalText.text(decimal)
            try require(
                DecimalText.parse(written.utf8) == decimal, "\(text) is written as \(written)")
            _ = DecimalText.product(decimal, decimal)
        }
        if let bytes = Base64.decode(text, urlSafe: true) {
            let written = Base64.encodeURLSafe(bytes)
            try require(
                Base64.decode(written, urlSafe: true) == bytes, "\(text) is encoded as \(written)")
        }
    }

    private func readsAgain(_ seconds: Double) throws {
        guard let written = ISO8601.text(secondsSinceReferenceDate: seconds) else { return }
        let again = try? ISO8601.secondsSinceReferenceDate(written)
        guard again == seconds else {
            throw FuzzFinding("\(seconds) is written as \(written), which is \(again ?? .nan)")
        }
    }
}

/// Models in JSON and in XML.
struct ModelTarget: FuzzTarget {
    let seeds: [[UInt8]]
    let words = [
        "\"name\"", "\"type\"", "\"Integer 16\"", "\"Decimal\"", "\"Transformable\"",
        "\"Composite\"",
        "\"minimum\"", "\"maximum\"", "\"default\"", "\"entities\"", "\"attributes\"",
        "\"relationships\"", "\"derivation\"", "\"parts.@count\"", "\"fetchLimit\"", "\"parent\"",
        "\"inverse\"", "\"toMany\"", "\"maximumCount\"", "null", "true", "{", "}", "[", "]", ",",
        ":",
        "<entity", "</entity>", "<attribute", "/>", "attributeType=\"Integer 64\"",
        "minValueString=\"", "maxValueString=\"", "maxCount=\"", "defaultValueString=\"",
        "defaultDateTimeInterval=\"", "toMany=\"YES\"", "parentEntity=\"Item\"", "&#0;", "&amp;",
        "<!DOCTYPE x [<!ENTITY a 'b'>]>", "&a;",
    ]
    private let path: String

    init() throws {
        var seeds = FuzzText.bytes([FuzzStore.declaration])
        for name in ["League", "Shapes", "Movies", "World"] {
            let file = "Config/Models/\(name).xcdatamodeld/\(name).xcdatamodel/contents"
            seeds.append(try FuzzRun.file(file))
        }
        self.seeds = seeds
        let name = "stele-fuzz-model-\(String(UInt64.random(in: 0...(.max)), radix: 36))"
        path = FileManager.default.temporaryDirectory.appending(path: name).path
    }

    func attempt(_ input: [UInt8]) throws {
        try Data(input).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let file = try ModelFile.read(path)
            let model = try file.model()
            _ = (model.notes(), model.unsupported(), file.summary)
            try Self.writesAgain(file.current)
        } catch let error as ModelErrors {
            try require(
                !error.errors.isEmpty && error.errors.allSatisfy { !$0.message.isEmpty },
                "a model is refused without a word")
        }
    }

    /// What is written reads as the same model.
    static func writesAgain(_ model: ManagedObjectModel) throws {
        var writer = ByteWriter()
        model.json().write(to: &writer)
        let bytes = writer.take()
        do {
            let again = try ManagedObjectModel(json: bytes, name: model.name)
            var second = ByteWriter()
            again.json().write(to: &second)
            try require(second.take() == bytes, "the model's JSON reads as another")
        } catch let error as ModelErrors {
            throw FuzzFinding("the model's JSON is not read: \(error)")
        }
        _ = model.xml()
    }
}

/// Keyed archives, and the JSON that is made of them.
struct ArchiveTarget: FuzzTarget {
    let seeds: [[UInt8]]
    let words = ["bplist00", "$class", "$objects", "$top", "NS.objects", "NS.keys", "{\"$date\":"]
    private let transformer = KeyedArchiveTransformer()

    init() throws {
        let texts = [
            "null", "[1,-2,2.5,true,\"x\",\"é\"]", "{\"a\":{\"b\":[]},\"c\":\"d\"}",
            "{\"$set\":[1,2]}", "{\"$data\":\"YWJj\"}", "{\"$date\":\"2024-05-01T09:00:00Z\"}",
            "{\"$url\":\"https://example.org\"}", "{\"$dictionary\":{\"$x\":1}}",
            "{\"$uuid\":\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"}", "9223372036854775807",
        ]
        seeds =
            FuzzText.bytes(texts)
            + (try texts.map { try KeyedArchiveTransformer().stored(Array($0.utf8)) })
    }

    func attempt(_ input: [UInt8]) throws {
        for archive in [input, (try? transformer.stored(input)) ?? []] {
            guard let json = try? transformer.value(archive) else { continue }
            do { _ = try JSONDocument(json) } catch {
                // An archive may hold a text that no body can: with U+0000.
                guard error.kind == .nulCharacter else { throw error }
                continue
            }
            guard let again = try? transformer.stored(json) else {
                throw FuzzFinding("an archive's JSON cannot be archived")
            }
            try require(
                (try? transformer.value(again)) == json, "an archive's JSON is archived as another")
        }
    }
}
