// `stele migrate --plan` of random changes of a model, with random objects: it ends as migrating does.

import Foundation
import SteleModelFiles
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RandomPlanTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["STELE_PLANS"].flatMap { Int($0) } ?? 20

    private static let kinds =
        ["s.sqlite", "s.xml", "several steps", "store of an app"]
        + (PostgreSQLServer.shared == nil ? [] : ["database"])

    /// `--plan` ends with 0 exactly if migrating goes through, and else with the same sentence. It
    /// changes nothing.
    @Test(arguments: kinds)
    func aPlanEndsAsTheMigrationDoes(_ kind: String) throws {
        var numbers = SeededNumbers(seed: drawSeed("aPlanEndsAsTheMigrationDoes(\(kind))"))
        var refused = 0
        for round in 0..<Self.rounds {
            let folder = try TemporaryFolder()
            func run(_ arguments: String...) throws -> (
                status: Int32, output: String, errors: String
            ) { try Program.run(arguments, folder: folder.path) }
            var model = ChangingModel(&numbers)
            let hasSteps = kind == "several steps"
            let store =
                kind == "database"
                ? try #require(PostgreSQLServer.shared).url(path: UUID().uuidString)
                : kind == "s.xml" ? kind : "s.sqlite"
            try folder.write(model.text(step: hasSteps ? 1 : nil), to: "M/v1.json")
            let rows = model.rows(&numbers)
            try folder.write(rows, to: "rows.ndjson")
            let made = try run("import", "M", "--store", store, "rows.ndjson")
            try #require(made.status == 0, "round \(round): \(made.errors)\n\(rows)")
            if kind == "store of an app" {
                try makeBareStore(
                    try ModelFile.read(folder.path + "/M/v1.json").model(),
                    at: folder.path + "/" + store)
            }
            // A rename between versions keeps them from being passed over.
            if hasSteps { try folder.write(model.text(step: 2), to: "M/v2.json") }
            let changes = model.change(&numbers)
            try folder.write(model.text(step: hasSteps ? 3 : nil), to: "M/v3.json")
            let before = try FolderState(folder.path)
            let plan = try run("migrate", "M", "--store", store, "--plan")
            let isSame = try FolderState(folder.path) == before
            let done = try run("migrate", "M", "--store", store)
            let comment = Comment(
                rawValue: "round \(round), \(changes)\n\(rows)\nplan: \(plan)\nmigrate: \(done)")
            #expect(isSame, comment)
            #expect(plan.status == done.status && plan.errors == done.errors, comment)
            if plan.status != 0 { refused += 1 }
            if !isSame || plan.status != done.status || plan.errors != done.errors { return }
        }
        print("aPlanEndsAsTheMigrationDoes(\(kind)): \(refused) of \(Self.rounds) were refused")
    }
}

/// A model of boxes with items, and how it changes.
private struct ChangingModel {
    private typealias Property = [String: Any]

    private static let numberTypes = [
        "Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Decimal", "Boolean",
    ]

    private var attributes: [String: [Property]]
    private var relationships: [String: [Property]]
    private var others: [String: [String: Any]] = [
        "Box": [:], "Big": ["parent": "Box"], "Item": [:],
    ]

    init(_ numbers: inout SeededNumbers) {
        let type = numbers.pick(Self.numberTypes, or: "Double")
        attributes = [
            "Box": [
                ["name": "w", "type": type], ["name": "s", "type": "String"],
                ["name": "file", "type": "Binary", "externalStorage": true],
            ],
            "Big": [["name": "extra", "type": "String"]],
            "Item": [["name": "label", "type": "String"], ["name": "v", "type": "Double"]],
        ]
        relationships = [
            "Box": [
                ["name": "items", "destination": "Item", "inverse": "box", "toMany": true]
            ],
            "Big": [],
            "Item": [["name": "box", "destination": "Box", "inverse": "items"]],
        ]
    }

    /// The model as JSON.
    /// - Parameter step: the number of a version of which each renames an attribute; nil for none.
    func text(step: Int?) throws -> String {
        let entities = ["Box", "Big", "Item"].map { name -> [String: Any] in
            var entity = others[name] ?? [:]
            entity["name"] = name
            var own = attributes[name] ?? []
            if let step, name == "Item" {
                var renamed: Property = ["name": "step\(step)", "type": "String"]
                if step > 1 { renamed["renamingIdentifier"] = "step\(step - 1)" }
                own.append(renamed)
            }
            entity["attributes"] = own
            entity["relationships"] = relationships[name]
            return entity
        }
        let data = try JSONSerialization.data(
            withJSONObject: ["entities": entities], options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    private var type: String { attributes["Box"]?[0]["type"] as? String ?? "" }

    /// Some objects as NDJSON.
    func rows(_ numbers: inout SeededNumbers) -> String {
        let boxes = numbers.below(4)
        func number(_ numbers: inout SeededNumbers) -> String {
            if numbers.one(in: 3) { return "null" }
            switch type {
            case "Boolean": return numbers.pick(["true", "false"], or: "true")
            case "Integer 16": return numbers.pick(["0", "1", "7", "-300"], or: "0")
            case "Integer 32", "Integer 64":
                return numbers.pick(["0", "1", "7", "70000", "33554433"], or: "0")
            case "Decimal":
                return numbers.pick(["\"0\"", "\"1\"", "\"0.5\"", "\"70000.25\""], or: "\"0\"")
            default: return numbers.pick(["0", "1", "0.5", "70000", "16777217"], or: "0")
            }
        }
        let texts = ["\"a\"", "\"b\"", "\"long text\"", "null"]
        var lines: [String] = []
        for key in 1..<(boxes + 1) {
            let isBig = numbers.one(in: 3)
            let w = number(&numbers)
            let s = numbers.pick(texts, or: "null")
            lines.append(
                "{\"_entity\":\"\(isBig ? "Big" : "Box")\",\"_id\":\(key),\"w\":\(w),\"s\":\(s)"
                    + (isBig ? ",\"extra\":\"e\"" : "")
                    + (numbers.one(in: 3) ? ",\"file\":\"\(Self.bytes)\"" : "") + "}")
        }
        for key in 1..<(numbers.below(5) + 1) {
            let box = numbers.one(in: 3) || boxes == 0 ? "null" : "\(1 + numbers.below(boxes))"
            let label = numbers.pick(texts, or: "null")
            let v = numbers.pick(["0", "3", "9.5", "null"], or: "0")
            lines.append(
                "{\"_entity\":\"Item\",\"_id\":\(key),\"label\":\(label),\"v\":\(v),\"box\":\(box)}"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// A value that is too large for its row.
    private static let bytes = Data(repeating: 65, count: 150_000).base64EncodedString()

    /// Changes the model once or twice.
    /// - Returns: the changes, for messages.
    mutating func change(_ numbers: inout SeededNumbers) -> [String] {
        (0..<1 + numbers.below(2)).map { _ in changeOnce(&numbers) }
    }

    private mutating func changeOnce(_ numbers: inout SeededNumbers) -> String {
        let entity = numbers.pick(["Box", "Big", "Item"], or: "Box")
        switch numbers.below(18) {
        case 0, 1:
            let new = numbers.pick(Self.numberTypes, or: "Double")
            attributes["Box"]?[0]["type"] = new
            attributes["Box"]?[0]["default"] = nil
            return "w becomes \(new)"
        case 2:
            attributes["Box"]?[1]["optional"] = false
            return "s mandatory"
        case 3:
            attributes["Box"]?[1]["optional"] = false
            attributes["Box"]?[1]["default"] = "a"
            return "s mandatory with a default"
        case 4:
            attributes[entity]?.append(["name": "k", "type": "String", "optional": false])
            return "new mandatory \(entity).k"
        case 5:
            attributes[entity]?.append(
                ["name": "k", "type": "String", "optional": false, "default": "d"])
            return "new mandatory \(entity).k with a default"
        case 6, 7:
            let names = numbers.pick([["s"], ["w"], ["s", "w"]], or: ["s"])
            others["Box"]?["uniquenessConstraints"] = [names]
            return "unique \(names) of Box"
        case 8:
            let names = numbers.pick([["label"], ["v"], ["label", "v"], ["box"]], or: ["v"])
            others["Item"]?["uniquenessConstraints"] = [names]
            return "unique \(names) of Item"
        case 9:
            others[entity]?["abstract"] = true
            return "\(entity) abstract"
        case 10:
            guard relationships["Item"]?.isEmpty == false else { return "nothing" }
            relationships["Item"]?[0]["optional"] = false
            return "box mandatory"
        case 11:
            relationships["Box"]?[0]["optional"] = false
            relationships["Box"]?[0]["minimumCount"] = 1 + numbers.below(2)
            return "items mandatory"
        case 12:
            relationships["Box"]?[0]["maximumCount"] = 2
            return "at most two items"
        case 13:
            attributes["Item"]?[1]["minimum"] = 0
            attributes["Item"]?[1]["maximum"] = 5
            attributes["Item"]?[0]["maximum"] = 2
            return "bounds of label and v"
        case 14:
            others["Big"]?["parent"] = numbers.one(in: 2) ? "Item" : nil
            return "Big has the parent \(others["Big"]?["parent"] ?? "none")"
        case 15:
            attributes["Box"]?.append(
                ["name": "total", "type": "Integer 16", "derivation": "items.v.@sum"])
            return "derived Box.total"
        case 16:
            relationships["Item"] = []
            relationships["Box"]?[0]["inverse"] = nil
            return "Item.box removed"
        default:
            attributes["Box"]?[2]["externalStorage"] = nil
            relationships["Item"]?.append(
                ["name": "home", "destination": "Box", "inverse": "guests", "optional": false])
            relationships["Box"]?.append(
                ["name": "guests", "destination": "Item", "inverse": "home", "toMany": true])
            return "file in its row, and a new mandatory home"
        }
    }
}
