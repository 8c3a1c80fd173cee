// A model with an attribute of every type, and computed ones.

import Foundation
import SteleModel
import SteleTransformers
import TestSupport

enum SeamModel {
    /// - Parameter added: the name of an attribute that a later version has in addition.
    static func model(adding added: String? = nil) throws -> Model {
        ValueTransformers.registerStandard()
        let part = CompositeDescription(
            "Part", [.init(optional: "title", .string), .init(optional: "amount", .double)])
        var thing = EntityMaker("Thing")
            .attribute("mark", .integer64)
            .attribute("small", .integer16).attribute("medium", .integer32)
            .attribute("large", .integer64)
            .attribute("double", .double).attribute("float", .float)
            .attribute("decimal", .decimal).attribute("flag", .boolean).attribute("date", .date)
            .attribute("text", .string).attribute("link", .uri).attribute("unique", .uuid)
            .attribute("bytes", .binary)
            .attribute("file", .binary) { $0.allowsExternalBinaryDataStorage = true }
            .attribute("json", .transformable) {
                $0.valueTransformerName = "NSSecureUnarchiveFromData"
            }
            .attribute("part", .composite) { $0.compositeName = "Part" }
            .attribute("echo", .double) { $0.derivationExpression = "double" }
            .attribute("shout", .string) { $0.derivationExpression = "uppercase:(text)" }
            .toOne("box", "Box", inverse: "things")
        if let added { thing = thing.attribute(added, .string) { $0.defaultValue = .string("") } }
        let box = EntityMaker("Box").toMany("things", "Thing", inverse: "box")
            .attribute("floats", .double) { $0.derivationExpression = "things.float.@sum" }
            .attribute("decimals", .decimal) { $0.derivationExpression = "things.decimal.@sum" }
            .attribute("smalls", .integer64) { $0.derivationExpression = "things.small.@sum" }
            .attribute("count", .integer64) { $0.derivationExpression = "things.@count" }
        return try makeModel(name: "Seams", [thing, box], composites: [part])
    }

    /// The attributes that hold a value of their own, in the model's order.
    static let names = [
        "small", "medium", "large", "double", "float", "decimal", "flag", "date", "text", "link",
        "unique", "bytes", "file", "json", "part",
    ]
    /// Those that the store computes.
    static let derived = ["echo", "shout"]
    /// Those that a condition compares, and that objects are sorted by.
    static let comparable = names.filter { !["bytes", "file", "json", "part"].contains($0) }
    static let integers = ["small": Int64(Int16.max), "medium": Int64(Int32.max), "large": .max]
}
