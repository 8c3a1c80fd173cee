import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

/// A Decimal of more than 15 digits is a blob of digits.
@Suite struct LongDecimalInspectionTests {
    private func inspect(_ value: String, _ change: String? = nil) throws -> [String] {
        let folder = try TemporaryFolder()
        let model = try makeModel(
            name: "Shop", [EntityMaker("Item").attribute("price", .decimal)])
        let store = try SQLiteStore.open(path: folder.store, model: model)
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: 0, key: -1,
                values: [.decimal(try #require(Decimal(string: value)))])
        ]
        _ = try store.save(request)
        store.close()
        if let change { try RawDatabase(folder.store).run(change) }
        return try SQLiteStore.inspect(path: folder.store, among: [model]).differences
    }

    @Test(arguments: [
        "12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678",
        "0.1", "-7", "123456789012345.678",
    ])
    func itIsNoDifference(_ value: String) throws {
        let found = try inspect(value)
        #expect(found == [], "\(value)")
    }

    @Test(arguments: ["31412E", "", "2D", "312E322E33", "312D32"])
    func anotherBlobIsOne(_ bytes: String) throws {
        let found = try inspect("1", "UPDATE ZITEM SET ZPRICE = X'\(bytes)'")
        #expect(found.count == 1 && found[0].contains("not the digits of a decimal"), "\(found)")
    }
}
