// A model with every kind of attribute that is more than a value in a column.

import SteleModel
import StelePersistence
import SteleTransformers
import TestSupport

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

enum AttributeModels {
    /// A key and one that is another, under names of their own: the registry is the process's.
    static let keys: Void = {
        ValueTransformers.registerStandard()
        for (name, digit) in [("FirstKey", "1"), ("OtherKey", "2")] {
            if let transformer = try? AESGCMTransformer(key: String(repeating: digit, count: 64)) {
                ValueTransformers.setValueTransformer(transformer, forName: name)
            }
        }
    }()

    /// - Parameter key: the transformer of `secret`.
    static func people(key: String = "FirstKey") throws -> Model {
        _ = keys
        let place = CompositeDescription(
            "Place",
            [
                .init(optional: "latitude", .double),
                .init(optional: "longitude", .double) { $0.isOptional = false },
            ])
        let address = CompositeDescription(
            "Address",
            [
                .init(optional: "city", .string) { $0.isOptional = false },
                .init(optional: "place", .composite) { $0.compositeName = "Place" },
                .init(optional: "zip", .integer32) { $0.minimum = .int(1) },
            ])
        let person = EntityMaker("Person")
            .attribute("name", .string)
            .attribute("plain", .string) { $0.derivationExpression = "canonical:(name)" }
            .attribute("home", .composite) { $0.compositeName = "Address" }
            .attribute("draft", .string) {
                $0.isTransient = true
                $0.defaultValue = .string("new")
            }
            .attribute("photo", .binary) { $0.allowsExternalBinaryDataStorage = true }
            .attribute("icon", .binary)
            .attribute("archive", .transformable) {
                $0.valueTransformerName = "NSSecureUnarchiveFromData"
            }
            .attribute("secret", .transformable) { $0.valueTransformerName = key }
            .attribute("friendCount", .integer32) { $0.derivationExpression = "friends.@count" }
            .toMany("friends", "Person", inverse: "fans")
            .toMany("fans", "Person", inverse: "friends")
        return try makeModel(name: "People", [person], composites: [place, address])
    }
}

extension ServiceFixture {
    static func people(inMemory: Bool = false) throws -> ServiceFixture {
        try ServiceFixture(AttributeModels.people(), inMemory: inMemory)
    }
}
