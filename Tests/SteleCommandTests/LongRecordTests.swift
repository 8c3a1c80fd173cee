// Export and import: how long a record may be.

import SteleGraph
import SteleModel
import TestSupport
import Testing

@testable import SteleService

@Suite struct LongRecordTests {
    private func model(isExternal: Bool) throws -> Model {
        try makeModel([
            EntityMaker("Photo").attribute("name", .string)
                .attribute("data", .binary) { $0.allowsExternalBinaryDataStorage = isExternal }
        ])
    }

    @Test func aRecordHasRoomForTheLongestUpload() throws {
        let external = try model(isExternal: true)
        let upload = (1 << 30) / 3 * 4
        #expect(try ExportPlan(model: external).longestRecord > upload)
        #expect(try ImportPlan(model: external, files: []).longestRecord > upload)
        let other = try model(isExternal: false)
        #expect(try ImportPlan(model: other, files: []).longestRecord == 64 << 20)
    }

    @Test(arguments: [DataFormat.ndjson, .json, .csv])
    func anObjectThatNoImportReadsIsNamed(_ format: DataFormat) throws {
        let house = try House(model(isExternal: false))
        try house.change { context in
            let photo = try house.entity("Photo")
            try context.insert(photo)["name"] = .string("short")
            try context.insert(photo)["name"] = .string(String(repeating: "a", count: 600_000))
        }
        var exported = try ExportPlan(model: house.model, entities: ["Photo"], format: format)
        exported.longestRecord = 600_100
        var bytes: [UInt8] = []
        _ = try Export(house.coordinator, exported).run { bytes += $0 }
        exported.longestRecord = 600_000
        let unread = #expect(throws: ExportError.self) {
            try Export(house.coordinator, exported).run { _ in }
        }
        #expect(
            unread?.description.hasPrefix("Photo 2 is longer than") == true, "\(unread as Any)")

        let folder = try TemporaryFolder()
        let text = String(decoding: bytes, as: UTF8.self)
        let path = try folder.write(text, to: "Photo.\(format.rawValue)")
        let other = try House(house.model)
        var imported = try ImportPlan(model: house.model, files: [(path: path, entity: nil)])
        imported.longestRecord = 300_000
        let long = #expect(throws: ImportError.self) {
            try Import(other.coordinator, imported).run()
        }
        #expect(long?.message.contains("is longer than") == true, "\(long as Any)")
        imported.longestRecord = 600_100
        _ = try Import(other.coordinator, imported).run()
        #expect(try other.values("Photo.name") == house.values("Photo.name"))
    }
}
