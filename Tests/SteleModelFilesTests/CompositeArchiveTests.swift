// Composite attributes in archives.

import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct CompositeArchiveTests {
    private static let json = """
        {"composites": [
           {"name": "Trip_home", "attributes": [
              {"name": "city", "type": "String", "optional": false},
              {"name": "place", "type": "Composite", "composite": "Trip_home_place"}]},
           {"name": "Trip_home_place", "attributes": [
              {"name": "latitude", "type": "Double"}, {"name": "longitude", "type": "Double"}]}],
         "entities": [{"name": "Trip", "attributes": [
            {"name": "home", "type": "Composite", "composite": "Trip_home", "optional": false},
            {"name": "name", "type": "String"}]}]}
        """

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(json: Array(json.utf8), name: "M")
    }

    private static func read(_ archive: [UInt8]) throws -> ManagedObjectModel {
        let (model, notes) = try CompiledModelReader.read(archive, name: "M", place: "M.mom")
        #expect(notes == [])
        return model
    }

    /// The elements are found by what they are, whatever their key is.
    @Test(arguments: ["NSElements", "_elements"])
    func aCompositeIsReadWithItsElements(_ key: String) throws {
        let model = try Self.model()
        let read = try Self.read(compositeArchive(model, key: key))
        #expect(read.entities == model.entities)
        #expect(read.composites == model.composites)
        _ = try Model(read)
    }

    /// An archive has no names of composites. Those that are made of other names differ.
    @Test func compositesOfAttributesWithLikeNamesAreKeptApart() throws {
        let json = """
            {"composites": [
               {"name": "A", "attributes": [
                  {"name": "x", "type": "Composite", "composite": "B"}]},
               {"name": "B", "attributes": [{"name": "inner", "type": "Double"}]},
               {"name": "C", "attributes": [{"name": "other", "type": "String"}]}],
             "entities": [
               {"name": "Trip", "attributes": [
                  {"name": "home", "type": "Composite", "composite": "A"},
                  {"name": "home_x", "type": "Composite", "composite": "C"}]},
               {"name": "Trip_home", "attributes": [
                  {"name": "x", "type": "Composite", "composite": "C"}]}]}
            """
        let model = try ManagedObjectModel(json: Array(json.utf8), name: "M")
        let read = try Self.read(compositeArchive(model, key: "NSElements"))
        let columns = { (model: Model) in model.entities.map { $0.slots.map(\.name) } }
        #expect(try columns(Model(read)) == columns(Model(model)))
        #expect(try columns(Model(read)) == [["home.x.inner", "home_x.other"], ["x.other"]])
        #expect(Set(read.composites.map(\.name)).count == 4)
    }

    @Test func aCompositeWithoutElementsIsAnErrorThatNamesIt() throws {
        var model = try Self.model()
        model.composites[1].attributes = []
        let archive = try compositeArchive(model, key: "NSElements")
        let error = #expect(throws: ModelErrors.self) {
            try CompiledModelReader.read(archive, name: "M", place: "M.mom")
        }
        #expect(
            error?.description
                == "M.mom, Trip.home.place: its archive contains a composite attribute without a "
                + "list of its elements: give the model in another form, such as the "
                + ".xcdatamodeld that it was made from")
    }

    /// No list is made of an endless one.
    @Test func aCompositeInItselfIsAnError() throws {
        let archive = try compositeArchive(Self.model(), key: "NSElements")
        let list = try PropertyList.read(archive, place: "")
        var objects = try #require(list["$objects"]?.array)
        let lists = objects.indices.filter { objects[$0]["NS.objects"] != nil }
        let home = try #require(
            objects.firstIndex { object in
                object["NSElements"] != nil
                    && object["NSPropertyName"]?.uid.flatMap { objects[$0].string } == "home"
            })
        let own = try #require(objects[home]["NSElements"]?.uid)
        #expect(lists.contains(own))
        objects[own] = .dictionary(
            (objects[own].entries ?? []).map {
                $0.key == "NS.objects" ? .init(key: $0.key, value: [.uid(home)]) : $0
            })
        let bytes = BinaryPropertyListWriter.bytes(
            .dictionary(
                (list.entries ?? []).map {
                    $0.key == "$objects" ? .init(key: $0.key, value: .array(objects)) : $0
                }))
        let error = #expect(throws: ModelErrors.self) {
            try CompiledModelReader.read(bytes, name: "M", place: "M.mom")
        }
        #expect(
            error?.description.hasSuffix("its archive nests composites more than 16 deep") == true)
    }
}
