import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

/// A date that another program has stored and that no answer can have is read as null, and named.
@Suite struct FarDateInspectionTests {
    @Test(arguments: [
        ("1.7976931348623157e308", true), ("-3e18", true), ("4000000000000000000", true),
        ("9e999", true), ("2.9e18", false), ("-9.0", false), ("NULL", false),
    ])
    func itIsNamed(_ content: String, _ isFar: Bool) throws {
        let folder = try TemporaryFolder()
        let model = try makeModel(name: "Shop", [EntityMaker("Item").attribute("soldAt", .date)])
        let store = try SQLiteStore.open(path: folder.store, model: model)
        var request = SaveRequest(readToken: 0)
        request.changes = [ObjectChange(.insert, entity: 0, key: -1, values: [.date(1)])]
        _ = try store.save(request)
        store.close()
        try RawDatabase(folder.store).run("UPDATE ZITEM SET ZSOLDAT = \(content)")
        let found = try SQLiteStore.inspect(path: folder.store, among: [model]).differences
        #expect(found.count == (isFar ? 1 : 0), "\(found)")
        if isFar { #expect(found.first?.contains("beyond the years") == true, "\(found)") }
    }
}
