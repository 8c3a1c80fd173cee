// Values that another program stored and that the attribute's type does not have: an update that does
// not change them is valid.

import Foundation
import SteleModel
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

@Suite struct ForeignWritingTests {
    private func fixture() throws -> ServiceFixture {
        let service = try ServiceFixture(
            makeModel([
                EntityMaker("E").attribute("s", .string).attribute("u", .uri)
                    .attribute("n", .integer16).attribute("f", .float).attribute("t", .date)
                    .attribute("m", .integer32) { $0.maximum = .int(100) }
                    .attribute("must", .double) { $0.isOptional = false }
            ]))
        #expect(service.post("/E", #"{"u":"a:b","n":1,"f":1,"m":1,"must":1}"#).status == 201)
        return service
    }

    private func leave(_ value: String, in column: String, _ service: ServiceFixture) throws {
        try RawDatabase(service.path).run("UPDATE ZE SET \(column) = \(value)")
    }

    @Test(arguments: [
        ("ZU", "CAST(X'61FF' AS TEXT)"), ("ZU", "'a b'"), ("ZN", "70000"), ("ZF", "1e300"),
        ("ZM", "1000000000000"), ("ZT", "1.7976931348623157e308"), ("ZMUST", "9e999"),
        ("ZMUST", "NULL"), ("Z_OPT", "NULL"),
    ])
    func anUpdateOfAnotherAttributeIsValid(_ column: String, _ value: String) throws {
        let service = try fixture()
        try leave(value, in: column, service)
        let raw = try RawDatabase(service.path)
        let before = try raw.texts("SELECT quote(\(column)) FROM ZE")
        let patched = service.patch("/E/1", #"{"s":"x"}"#)
        #expect(patched.status == 200, "\(patched.text)")
        let got = service.get("/E/1")
        let put = service.ask("PUT", "/E/1", got.text)
        #expect(put.status == 200 && put.text == got.text, "\(put.text)")
        guard column != "Z_OPT" else { return }
        #expect(try raw.texts("SELECT quote(\(column)) FROM ZE") == before)
    }

    /// A version is read, compared and shown as what SQLite converts it to.
    @Test(arguments: ["'x'", "1.5", "X'FF'", "9e999", "-9e999", "1e19", "-5", "'3'", "NULL"])
    func anObjectOfAnyVersionIsChangedAndDeleted(_ version: String) throws {
        let service = try fixture()
        let raw = try RawDatabase(service.path)
        try leave(version, in: "Z_OPT", service)
        let patched = service.patch("/E/1", #"{"s":"x"}"#)
        #expect(patched.status == 200, "\(patched.text)")
        #expect(try raw.texts("SELECT typeof(Z_OPT) FROM ZE") == ["integer"])
        try leave(version, in: "Z_OPT", service)
        let tag = try #require(service.get("/E/1")["ETag"])
        let named = service.ask("PATCH", "/E/1", #"{"s":"y"}"#, [("If-Match", tag)])
        #expect(named.status == 200, "\(named.text)")
        try leave(version, in: "Z_OPT", service)
        let last = try #require(service.get("/E/1")["ETag"])
        let deleted = service.ask("DELETE", "/E/1", nil, [("If-Match", last)])
        #expect(deleted.status == 204, "\(deleted.text)")
    }

    @Test func newValuesAreValidatedBesideInvalidStoredOnes() throws {
        let service = try fixture()
        try leave("'a b'", in: "ZU", service)
        try leave("70000", in: "ZN", service)
        for (body, code) in [
            (#"{"u":"c d"}"#, "1690"), (#"{"n":70001}"#, "1610"), (#"{"must":null}"#, "1570"),
        ] {
            let refused = service.patch("/E/1", body)
            #expect(refused.status == 422 && refused.text.contains(code), "\(refused.text)")
        }
        // The model's own bounds hold for what is in the store, as in Core Data.
        try leave("101", in: "ZM", service)
        #expect(service.patch("/E/1", #"{"s":"x"}"#).status == 422)
    }
}
