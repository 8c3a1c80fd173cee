/// The answer of a write with an `Idempotency-Key`, kept with its save.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The part of a write's answer that is kept, and its key.
///
/// If the body is too large to keep, or must not be kept, the ids of its objects are kept. The
/// answer is then rendered from their state at the time of the repetition.
struct AnswerReceipt: Sendable {
    let key: String
    let fingerprint: Int64
    let model: Model
    /// Makes the answer of an outcome.
    let response: @Sendable (Outcome) -> Response
    /// The maximum size of a kept body that holds values of objects.
    let objectBytes: Int
    /// The maximum size of a kept body without any.
    let bodyBytes: Int

    /// The save of a context's changes with the receipt, even if there are no changes.
    func request(_ applied: Applied, _ context: ManagedObjectContext) throws -> SaveRequest {
        var request = try context.saveRequest() ?? SaveRequest(readToken: context.token())
        request.receipt = ReceiptRequest(key: key, fingerprint: fingerprint) { result in
            bytes(applied.outcome(after: result))
        }
        return request
    }

    /// A part of a save that holds only the receipt.
    func request(_ outcome: Outcome) -> SaveRequest {
        var request = SaveRequest(readToken: 0)
        request.receipt = ReceiptRequest(key: key, fingerprint: fingerprint) { _ in bytes(outcome) }
        return request
    }

    private func bytes(_ outcome: Outcome) -> [UInt8] {
        let response = response(outcome)
        let objects = KeptObjects(outcome, model)
        var headers = response.headers
        var members: [(String, JSONValue)] = [("status", .integer(Int64(response.status)))]
        if case .bytes(let body) = response.body,
            body.count <= (objects == nil ? bodyBytes : objectBytes)
        {
            members.append(("body", .string(String(decoding: body, as: UTF8.self))))
        } else if let objects {
            headers.removeAll { $0.name == "ETag" }
            members.append(("isArray", .bool(objects.isArray)))
            members.append(("objects", objects.json))
        }
        members.append(
            ("headers", .array(headers.map { .array([.string($0.name), .string($0.value)]) })))
        return Array(JSONValue.object(members).compact.utf8)
    }

    /// The outcome that a receipt holds; nil if it cannot be read.
    /// - Throws: `Problem`, 404, if the owner of its members is deleted; `StoreError`.
    static func outcome(
        _ receipt: Receipt, _ deed: WritePlan.Deed, _ context: ManagedObjectContext
    ) throws -> Outcome? {
        guard let root = try? JSONDocument(receipt.answer).root,
            let status = root["status"]?.integer, (100...599).contains(status)
        else { return nil }
        var headers: [(name: String, value: String)] = []
        root["headers"]?.forEachElement { pair in
            guard let name = pair[0]?.string, let value = pair[1]?.string else { return }
            headers.append((name, value))
        }
        var response = Response(status: Int(status), headers: headers)
        if let body = root["body"]?.string {
            response.body = .bytes(Array(body.utf8))
            return .response(response)
        }
        if let node = root["objects"] {
            let objects = KeptObjects(node, isArray: root["isArray"]?.bool ?? true)
            return .again(response, try objects.now(context), isArray: objects.isArray)
        }
        switch deed {
        case .setMembers(let owner, let relationship), .addMembers(let owner, let relationship, _):
            guard let object = try context.object(entity: owner.entity, key: owner.key) else {
                throw Problem(
                    .object,
                    "the request was carried out, but \(owner.entity.name) \(owner.key), whose "
                        + "\(relationship.name) it changed, has since been deleted")
            }
            return .members(try object.memberKeys(relationship))
        default: return .response(response)
        }
    }
}

/// The ids of an answer's objects, in runs of consecutive ids.
private struct KeptObjects {
    private struct Run {
        let entity: String
        /// Nil for an object that was never stored.
        let first: Int64?
        var count: Int64 = 1
        let isDeleted: Bool

        var keys: [Int64] { first.map { Array($0..<$0 + max(count, 0)) } ?? [] }
    }

    let isArray: Bool
    private var runs: [Run] = []

    /// Nil for an outcome without values of objects.
    init?(_ outcome: Outcome, _ model: Model) {
        switch outcome {
        case .created(let objects, let isArray, _, _):
            self.isArray = isArray
            for object in objects { add(model.entities[object.entity].name, object.key) }
        case .changed(let object):
            isArray = false
            add(model.entities[object.entity].name, object.key)
        case .operations(let all):
            isArray = true
            for one in all {
                switch one {
                case .object(let object?): add(model.entities[object.entity].name, object.key)
                case .object(nil): add("", nil)
                case .deleted(let entity, let key):
                    add(model.entities[entity].name, key, isDeleted: true)
                }
            }
        default: return nil
        }
    }

    /// Reads the result of `json`.
    init(_ node: JSONNode, isArray: Bool) {
        self.isArray = isArray
        node.forEachElement { run in
            runs.append(
                Run(
                    entity: run[0]?.string ?? "", first: run[1]?.integer,
                    count: run[2]?.integer ?? 1, isDeleted: run[3]?.bool ?? false))
        }
    }

    private mutating func add(_ entity: String, _ key: Int64?, isDeleted: Bool = false) {
        if let last = runs.last, last.entity == entity, last.isDeleted == isDeleted, let key,
            let first = last.first, first + last.count == key
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(entity: entity, first: key, isDeleted: isDeleted))
        }
    }

    var json: JSONValue {
        .array(
            runs.map { run in
                .array([
                    .string(run.entity), run.first.map { .integer($0) } ?? .null,
                    .integer(run.count), .bool(run.isDeleted),
                ])
            })
    }

    /// The current objects in a context's view. One that no longer exists is reported as deleted.
    /// - Throws: `StoreError`.
    func now(_ context: ManagedObjectContext) throws -> [OperationOutcome] {
        var wanted: [Int: [Int64]] = [:]
        for run in runs where !run.isDeleted {
            guard let entity = context.model.entity(named: run.entity) else { continue }
            wanted[entity.root, default: []] += run.keys
        }
        var found: [Int: [Int64: ManagedObject]] = [:]
        for (root, keys) in wanted {
            found[root] = try context.existingObjects(root: root, keys: keys)
        }
        var all: [OperationOutcome] = []
        for run in runs {
            guard let entity = context.model.entity(named: run.entity) else {
                all.append(.object(nil))
                continue
            }
            if run.first == nil { all.append(.deleted(entity: entity.index, key: nil)) }
            for key in run.keys {
                if let object = found[entity.root]?[key], !run.isDeleted {
                    all.append(.object(object.snapshot))
                } else {
                    all.append(.deleted(entity: entity.index, key: key))
                }
            }
        }
        return all
    }
}
