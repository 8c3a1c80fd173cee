/// Compiled models and model caches.

import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport

/// Archived models: what is read can be checked, printed and written.
struct CompiledModelTarget: FuzzTarget {
    let seeds: [[UInt8]]
    let words = [
        "bplist00", "$class", "$null", "NSEntities", "NSProperties", "NSSuperentity", "NS.keys",
        "NS.objects", "NSAttributeDescription", "NSRelationshipDescription", "NSDefaultValue",
        "NSInverseRelationship", "NSMaxCount", "NSValidationPredicates", "NSFetchRequestFlags",
        "NSDerivationExpression", "NSFetchIndexDescriptions", "NSKnownKeysDictionary1", "\u{10}",
    ]

    init() throws {
        var archive = PredicateArchive()
        let name = archive.add(.string("name"))
        let bound = try archive.add(try Predicate(format: "length >= 1"))
        let pattern = try archive.add(try Predicate(format: "SELF MATCHES \"a+\""))
        let bounds = archive.list([bound, pattern])
        let attribute = archive.object(
            "NSAttributeDescription",
            [
                "NSPropertyName": name, "NSAttributeType": 700, "NSFlagsKey": 20,
                "NSDefaultValue": archive.add(.string("x")), "NSValidationPredicates": bounds,
            ])
        let properties = archive.dictionary([("name", attribute)])
        let entity = archive.object(
            "NSEntityDescription",
            ["NSEntityName": archive.add(.string("A")), "NSProperties": properties])
        let entities = archive.dictionary([("A", entity)])
        let root = archive.object("NSManagedObjectModel", ["NSEntities": entities])
        var seeds = [archive.bytes(root: root)]
        let shared = sharedFolder?.appending(path: "data/coredata").path ?? ""
        for file in [
            "swiftgen/Model.momd/Model 2.mom", "sample/Fixtures/SampleModel.momd/SampleModel2.mom",
        ] where ModelPath("\(shared)/\(file)").kind == .file {
            seeds.append(try ModelPath("\(shared)/\(file)").bytes())
        }
        self.seeds = seeds
    }

    func attempt(_ input: [UInt8]) throws {
        try attempt { () throws(ModelErrors) in
            try CompiledModelReader.read(input, name: "M", place: "m").0
        }
        // Most bytes do not inflate, and so the archive is also given compressed.
        for cache in [input, ModelCache.deflate(input) ?? []] {
            try attempt { () throws(ModelErrors) in
                try ModelCache.read(cache, name: "M", place: "m").0
            }
        }
    }

    private func attempt(_ read: () throws(ModelErrors) -> ManagedObjectModel) throws {
        do {
            let declared = try read()
            let file = ModelFile(declared)
            _ = file.summary
            try ModelTarget.writesAgain(declared)
            let model = try file.model()
            try model.checkRequests()
            _ = ModelCache.bytes(of: model)
        } catch let error as ModelErrors {
            try require(
                !error.errors.isEmpty && error.errors.allSatisfy { !$0.message.isEmpty },
                "a model is refused without a word")
        }
    }
}
