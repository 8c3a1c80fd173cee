// A model with every kind of attribute that is more than a value in a column.

import SteleModel
import StelePersistence
import SteleTransformers

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

    static func optional(
        _ name: String, _ type: AttributeType,
        _ more: (inout AttributeDescription) -> Void = { _ in }
    ) -> AttributeDescription {
        var made = AttributeDescription(name: name, type: type)
        made.isOptional = true
        more(&made)
        return made
    }

    /// - Parameter key: the transformer of `secret`.
    static func people(key: String = "FirstKey") throws -> Model {
        _ = keys
        var place = CompositeDescription(name: "Place")
        place.attributes = [
            optional("latitude", .double), optional("longitude", .double) { $0.isOptional = false },
        ]
        var address = CompositeDescription(name: "Address")
        address.attributes = [
            optional("city", .string) { $0.isOptional = false },
            optional("place", .composite) { $0.compositeName = "Place" },
            optional("zip", .integer32) { $0.minimum = .int(1) },
        ]
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
        var declared = ManagedObjectModel(name: "People")
        declared.composites = [place, address]
        declared.entities = [person.entity]
        return try Model(declared)
    }
}

extension ServiceFixture {
    static func people(inMemory: Bool = false) throws -> ServiceFixture {
        try ServiceFixture(AttributeModels.people(), inMemory: inMemory)
    }
}
