// Values that each kind of store keeps in the same form.

import SteleGraph
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleService

@Suite struct StoredValueTests {
    /// SQLite drops the sign of zero.
    @Test(arguments: StoreKind.allCases)
    func zeroHasNoSign(_ kind: StoreKind) throws {
        let stage = try SeamStage(kind)
        let body =
            #"{"double":-0.0,"float":-1e-300,"json":[-0,-0.0,{"a":-0e5}],"part":{"amount":-0.0}}"#
        let zeros = #""double":0,"float":0,"#
        let posted = try stage.must("POST", "/Thing", body)
        #expect(posted.text.contains(zeros) && posted.text.contains(#""amount":0"#), "\(posted)")
        #expect(posted.text.contains(#""json":[0,0,{"a":0}]"#), "\(posted)")
        #expect(try stage.must("GET", "/Thing/1").text == posted.text)
        #expect(try stage.must("PATCH", "/Thing/1", body).text == posted.text, "no change")
        for column in ["a:-1*double", "a:-1*part.amount", "a:min(double)", "a:sum(double)"] {
            let computed = try stage.must("GET", "/Thing?select=\(column)")
            #expect(computed.text == #"[{"a":0}]"#, "\(column)")
        }
        try stage.load(body + "\n", as: "ndjson")
        for values in try stage.stored().values {
            guard case .double(let double)? = values["double"] else {
                Issue.record("\(values)")
                continue
            }
            #expect(double.sign == .plus)
        }
        #expect(try !stage.export(.csv).contains("-0"))
    }

    /// A Double that the library sets is the nearest Float, as in every other road.
    @Test(arguments: StoreKind.allCases)
    func theLibraryStoresFloats(_ kind: StoreKind) throws {
        let stage = try SeamStage(kind)
        let key = try stage.insert(["float": .double(0.1)])
        let stored = try stage.stored()[key]?["float"]
        #expect(stored == .double(Double(Float(0.1))))
        let found = try stage.must("GET", "/Thing?where=float%20==%200.1&select=_id,float")
        #expect(found.text == "[{\"_id\":\(key),\"float\":0.1}]")
        // The same again is no change, and the object has what will be stored.
        let saves = try stage.history().count
        let context = stage.context()
        defer { context.close() }
        let id = ObjectID(root: try stage.entity("Thing").root, key: key)
        let thing = try context.get(id)
        let version = thing.version
        thing["float"] = .double(0.1)
        #expect(!thing.isUpdated && !context.hasChanges)
        try context.save()
        #expect(try stage.history().count == saves)
        #expect(try stage.stored(id)?.version == version)
        thing["float"] = .double(0.2)
        #expect(thing["float"] == .double(Double(Float(0.2))))
        if let it = thing.entity.attribute(named: "float") {
            thing.setPrimitiveValue(.double(0.3), for: it)
        }
        #expect(thing["float"] == .double(Double(Float(0.3))))
    }

    /// Also where the store has them in a file beside it.
    @Test(arguments: StoreKind.allCases)
    func theSameBytesAreNoChange(_ kind: StoreKind) throws {
        let stage = try SeamStage(kind)
        let bytes = [UInt8](repeating: 7, count: 120_000)
        let key = try stage.insert(["file": .data(bytes), "bytes": .data(bytes)])
        let selected = "/Thing/\(key)?select=_version,file,bytes"
        let before = try stage.must("GET", selected).text
        let values = RawJSON.members(before)
        for name in ["file", "bytes"] {
            try stage.must("PATCH", "/Thing/\(key)", "{\"\(name)\":\(values[name] ?? "-")}")
        }
        let isSame = try stage.must("GET", selected).text == before
        #expect(isSame)
        try stage.must("PATCH", "/Thing/\(key)", "{\"file\":\"AAEC\"}")
        let changed = RawJSON.members(try stage.must("GET", selected).text)
        #expect(changed["_version"] == "2" && changed["file"] == "\"AAEC\"")
    }
}
