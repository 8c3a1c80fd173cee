// Writes in both services, and what the feed says of them.

import SteleJSON
import SteleModel
import StelePersistence
import TestSupport

@testable import SteleDifferential

extension RightsCheck {
    /// Writes of the role, of a sender with all rights, and of hidden data, until what is seen of
    /// both services differs: a write may bring into sight what differs, such as an object whose
    /// rule asks for hidden data. The check of what is seen does not ask the services.
    mutating func write() throws {
        var streams = RightsStreams(hosts, &questions)
        defer { streams?.drop() }
        guard try agree() else { return }
        for _ in 0..<12 {
            let before = try token()
            switch questions.numbers.below(5) {
            case 0: try writeHidden()
            case 1:
                let question = questions.write()
                for host in hosts { _ = host.answer("root", question) }
            default:
                let answer = try ask(conditional(questions.write()))
                writes.all += 1
                if answer.status < 300 { writes.done += 1 }
            }
            guard failures.isEmpty, try agree() else { return }
            let now = try token()
            if now != before { ask(questions.changes(since: before)) }
            if let (question, told) = streams?.difference(since: before, at: now) {
                fail(question, told.map { ("ann", $0) })
            }
            if streams != nil { followed += 1 }
            if streams != nil, questions.numbers.one(in: 6) {
                if let (question, told) = try streams?.differenceAtReturn(at: now) {
                    fail(question, told.map { ("ann, who comes back", $0) })
                }
                returns += 1
                streams?.drop()
                streams = nil
            }
            for _ in 0..<2 { ask(questions.read(hasChanges: false)) }
            askAgain()
        }
    }

    /// Some writes of an object with the condition that it is as it was.
    private mutating func conditional(_ question: RightsQuestion) -> RightsQuestion {
        let path = question.target.prefix { $0 != "?" }
        guard path.split(separator: "/").count == 2, questions.numbers.one(in: 3),
            let tag = anyTag(of: String(path))
        else { return question }
        var question = question
        question.fields = [("If-Match", tag)]
        return question
    }

    /// Whether the answers to a write differ as they may (Docs/Rights.md).
    ///
    /// - One service alone has refused to take an object from a hidden one, which had it in a
    ///   one-to-one relationship or in a to-many without an inverse: that
    ///   changes the hidden object as well, which its sender has no right to. The other one has done
    ///   it, or found the values invalid, which it looks at later. It is excepted only where the
    ///   write names an object that has such a partner in one of the services alone.
    /// - One service has refused it because of objects that the write does not name, which it reaches
    ///   by hidden ones: by delete rules, counts or unique values.
    /// - Both have done it, and it has brought into sight what differs, or taken out of sight what
    ///   does not: answers have what is seen after the write.
    mutating func excepts(_ question: RightsQuestion, _ answers: [RightsAnswer]) -> Bool {
        guard question.method != "GET" else { return false }
        if answers.count(where: { $0.isRefusalOfHidden }) == 1,
            answers.contains(where: { $0.status < 300 || $0.status == 422 }),
            partners.contains(where: { question.names($0) })
        {
            writes.refused += 1
            return true
        }
        if let own = ownErrors(question, answers) {
            writes.refused += 1
            return own.allSatisfy { $0 == own[0] }
        }
        guard answers.allSatisfy({ $0.status < 300 }), (try? agree()) == false else { return false }
        writes.revealing += 1
        return true
    }

    /// The errors that each answer has of the objects that a write names, where objects that it does not
    /// name have made one fail; nil where none have. Hidden objects may lead to them.
    private mutating func ownErrors(
        _ question: RightsQuestion, _ answers: [RightsAnswer]
    ) -> [[String]]? {
        guard answers.allSatisfy({ $0.status < 300 || [409, 422].contains($0.status) }) else {
            return nil
        }
        var isOfOthers = false
        var own: [[String]] = []
        for answer in answers {
            let errors = answer.errors
            let others = errors.filter { error in
                error.isUnseen || error.object.map { !names($0, question) } ?? false
            }
            let unseen = others.filter { $0.isUnseen }.map(\.text)
            if Set(unseen).count < unseen.count { return nil }
            isOfOthers = isOfOthers || !others.isEmpty || answer.isConflictWithUnseen
            own.append(
                answer.isConflictWithUnseen
                    ? [] : errors.filter { !others.contains($0) }.map(\.text))
        }
        return isOfOthers ? own : nil
    }

    /// Whether a write names an object by its address or that of a parent's.
    private func names(_ object: String, _ question: RightsQuestion) -> Bool {
        func id(_ address: some StringProtocol) -> ObjectID? {
            let parts = address.split { "/?\"".contains($0) }
            guard parts.count > 1, let entity = world.model.entity(named: String(parts[0])),
                let key = Int64(parts[1])
            else { return nil }
            return ObjectID(root: entity.root, key: key)
        }
        guard let wanted = id(object) else { return false }
        // A write of all that match names each of them.
        if question.target.contains("?where=") { return true }
        let words = (question.body ?? "").split { " \"{}[]:,".contains($0) }
        return id(question.target) == wanted || words.contains { id($0) == wanted }
    }

    private func token() throws -> Int64 { try hosts[0].token() }

    /// Whether the role sees the same of both, by a reading of the rules of its own.
    private mutating func agree() throws -> Bool {
        let tokens = try hosts.map { try $0.token() }
        let seen = try hosts.map { try world.rules.seen(in: $0.store) }
        partners = seen[0].hiddenPartners.symmetricDifference(seen[1].hiddenPartners)
        return seen[0] == seen[1] && tokens[0] == tokens[1]
    }

    /// A write of an object that the role does not see, another one in each service.
    private mutating func writeHidden() throws {
        let seen = try world.rules.seen(in: hosts[0].store)
        let hidden = world.one.keys.indices.filter {
            let id = world.one.keys[$0]
            return seen.keys[id.root]?.contains(id.key) != true
        }
        guard let place = hidden.randomElement(using: &questions.numbers) else { return }
        let entity = world.model.entities[world.one.objects[place].entity]
        let links = questions.numbers.one(in: 3)
        for host in hosts {
            let body = questions.values(of: entity, isNew: false, links: links)
            let target = "/\(entity.name)/\(world.one.keys[place].key)"
            _ = host.answer("root", RightsQuestion("PATCH", target, body))
        }
    }
}

extension RightsQuestion {
    /// Whether the key of an object is in the address or the body.
    fileprivate func names(_ partner: HiddenPartner) -> Bool {
        let words = (target + " " + (body ?? "")).split { !$0.isNumber }
        return words.contains { $0 == "\(partner.key)" }
    }
}

extension RightsAnswer {
    var isOfParserDepth: Bool {
        status == 400 && body.contains("predicate.limit") && body.contains("SQLite's parser")
    }

    fileprivate struct ObjectError: Equatable {
        /// The address of a stored object; nil for a new one, and for one that is not seen.
        let object: String?
        let isUnseen: Bool
        let text: String
    }

    /// The errors of a refusal.
    fileprivate var errors: [ObjectError] {
        var errors: [ObjectError] = []
        (try? JSONDocument(body))?.root["errors"]?.forEachElement { error in
            let message = error["message"]?.string ?? ""
            errors.append(
                ObjectError(
                    object: error["object"]?.string,
                    isUnseen: message.contains("objects that are not seen"),
                    text: String(decoding: error.canonical, as: UTF8.self)))
        }
        return errors
    }

    /// Whether a unique value of an object that is not seen has made the write fail.
    fileprivate var isConflictWithUnseen: Bool {
        status == 409 && body.contains(#/another \w+ has the same/#)
    }

    /// Whether an object that the write names only by a link must not be changed.
    fileprivate var isRefusalOfHidden: Bool {
        status == 403 && body.contains("access.right")
            && body.contains(#/does not give the right to update \w+"/#)
    }
}

extension RightsQuestions {
    /// A write of any object, seen or not.
    mutating func write() -> RightsQuestion {
        let entity = entity()
        let path = "/\(entity.name)/\(key(entity))"
        switch numbers.below(8) {
        case 0: return RightsQuestion("POST", "/\(entity.name)", values(of: entity, isNew: true))
        case 1: return RightsQuestion("DELETE", path)
        case 2, 3: return link(entity) ?? RightsQuestion("DELETE", path)
        case 4:
            let query = Self.query([("where", predicates.predicate(of: entity))])
            let method = numbers.one(in: 3) ? "DELETE" : "PATCH"
            return RightsQuestion(
                method, "/\(entity.name)" + query,
                method == "PATCH" ? values(of: entity, isNew: false) : nil)
        case 5:
            let values = values(of: entity, isNew: false)
            let operation = """
                [{"op":"update","object":"\(path.dropFirst())","values":\(values)},
                 {"op":"delete","object":"\(entity.name)/\(key(entity))"}]
                """
            return RightsQuestion("POST", "/transactions", operation)
        default: return RightsQuestion("PATCH", path, values(of: entity, isNew: false))
        }
    }

    private mutating func link(_ entity: Entity) -> RightsQuestion? {
        let all = entity.properties.compactMap { property in
            if case .relationship(let it) = property { it } else { nil }
        }
        guard let it = all.randomElement(using: &numbers) else { return nil }
        let path = "/\(entity.name)/\(key(entity))/\(it.name)"
        let destination = model.destination(of: it)
        guard it.isToMany else {
            return RightsQuestion("PUT", path, "\(key(destination))")
        }
        let keys = (0...numbers.below(2)).map { _ in "\(key(destination))" }
        let list = "[\(keys.joined(separator: ","))]"
        switch numbers.below(4) {
        case 0: return RightsQuestion("DELETE", "\(path)/\(key(destination))")
        case 1: return RightsQuestion("PUT", path, list)
        default:
            return RightsQuestion(
                "POST", path + (it.isOrdered && numbers.one(in: 2) ? "?at=0" : ""), list)
        }
    }

    /// Values as JSON: some attributes and links.
    mutating func values(of entity: Entity, isNew: Bool, links: Bool = true) -> String {
        var members: [String] = []
        for property in entity.properties {
            if !isNew, !numbers.one(in: 4) { continue }
            switch property {
            case .attribute(let it):
                guard let value = json(it) else { continue }
                members.append("\(it.name.json):\(value)")
            case .relationship(let it):
                if !links || !numbers.one(in: 3) { continue }
                let destination = model.destination(of: it)
                let keys = (0...numbers.below(2)).map { _ in "\(key(destination))" }
                let value =
                    it.isToMany ? "[\(keys.joined(separator: ","))]" : numbers.pick(keys, or: "1")
                members.append(
                    "\(it.name.json):\(numbers.one(in: 5) && !it.isToMany ? "null" : value)")
            default: continue
            }
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func json(_ it: Attribute) -> String? {
        switch SampleValues.value(it, &numbers) {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .string(let value): it.type == .uri ? nil : value.json
        case .double(let value) where it.type == .double: "\(value)"
        default: nil
        }
    }
}
