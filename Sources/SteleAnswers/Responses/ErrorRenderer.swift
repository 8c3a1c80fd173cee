// The problems of all kinds of error.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Makes problems of the errors of lower layers, with the names of the model.
package struct ErrorRenderer {
    let renderer: SnapshotRenderer
    /// The prefix of objects' addresses.
    let basePath: String
    /// Whether unsaved objects have addresses, as in an editing context.
    let isEditing: Bool

    package init(renderer: SnapshotRenderer, basePath: String, isEditing: Bool) {
        self.renderer = renderer
        self.basePath = basePath
        self.isEditing = isEditing
    }

    private static let deniedDelete = ValidationError.Kind.relationshipDeniedDelete.rawValue

    private var model: Model { renderer.model }

    func problem(_ error: JSONError) -> Problem {
        let kind: ErrorCode =
            switch error.kind {
            case .syntax: .json
            case .duplicateKey: .duplicateKey
            case .invalidUTF8: .invalidUTF8
            case .tooDeep: .tooDeep
            case .numberOutOfRange: .jsonNumber
            case .nulCharacter: .nulCharacter
            case .empty: .emptyBody
            case .outOfMemory: .busy
            }
        return Problem(
            kind, error.message, hint: error.hint,
            members: [
                ("line", .integer(Int64(error.line))), ("column", .integer(Int64(error.column))),
                ("position", .integer(Int64(error.position))),
            ])
    }

    func problem(_ error: PredicateError) -> Problem {
        let kind = ErrorCode.words.first { $0.text == error.code } ?? .predicate
        var members: [(String, JSONValue)] = [
            ("position", .integer(Int64(error.position))), ("near", .string(error.near)),
        ]
        if let expected = error.expected { members.append(("expected", .string(expected))) }
        return Problem(kind, error.message, hint: error.hint, members: members)
    }

    func problem(
        _ failure: ValidationErrors, places: [(key: Int64, path: [String])] = []
    ) -> Problem {
        let paths = Dictionary(places, uniquingKeysWith: { first, _ in first })
        let entries = failure.errors.map { entry($0, paths[$0.key]) }
        guard let first = failure.errors.first else {
            return Problem(.validation, "the object is not valid")
        }
        if failure.errors.count == 1 {
            return Problem(
                .number(first.code), first.detail, hint: hint(first), errors: entries)
        }
        let values = Set(failure.errors.map { [String($0.key), $0.property] }).count
        let what =
            values == 1
            ? "one value breaks \(entries.count) rules" : "\(values) values are not valid"
        var problem = Problem(
            .severalFailures, "\(what); the first: " + first.detail, errors: entries)
        // All are delete rules that deny: a conflict, as a single one is.
        if failure.errors.allSatisfy({ $0.code == Self.deniedDelete }) {
            problem.status = ErrorCode.deniedDelete.status
            problem.hint = hint(first)
        }
        return problem
    }

    private func hint(_ error: ValidationError) -> String? {
        // Without a value they are not seen by the sender.
        guard error.code == Self.deniedDelete, isAddressed(error.key), !error.value.isNull,
            let name = error.property
        else { return nil }
        // In an editing context the object is deleted already and has no routes.
        if isEditing {
            return "undo the deletion, or also delete or move the destinations of \(name)"
        }
        if case .key(let key) = error.value, !isAddressed(key) {
            return "the request itself makes this link: leave out the link or the deletion"
        }
        return "delete or move them first: GET \(path(error.entity, error.key))/\(name)"
    }

    private func entry(_ error: ValidationError, _ steps: [String]?) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if let steps {
            // Each name in the path of a composite's attribute is a step.
            let whole =
                steps + (error.property.map { $0.split(separator: ".").map(String.init) } ?? [])
            members.append(("at", .string(JSONPointer.text(of: whole))))
        }
        if isAddressed(error.key) {
            members.append(("object", .string(path(error.entity, error.key))))
        }
        members.append(("entity", .string(error.entity.name)))
        if let property = error.property { members.append(("key", .string(property))) }
        members.append(("code", .integer(Int64(error.code))))
        members.append(("name", .string(error.name)))
        let property = error.property.flatMap { error.entity.property(named: $0) }
        members.append(("value", json(error.value, property)))
        if !error.limit.isNull { members.append(("limit", json(error.limit, nil))) }
        members.append(("message", .string(error.message)))
        return .object(members)
    }

    private func path(_ entity: Entity, _ key: Int64) -> String {
        "\(Routes.path(ofEntity: entity.name, basePath))/\(TemporaryID.text(key))"
    }

    private func isAddressed(_ key: Int64) -> Bool { key > 0 || (key < 0 && isEditing) }

    /// The name of an object in messages, with its temporary id only where that is an address.
    private func name(_ entity: String, _ key: Int64) -> String {
        isAddressed(key) ? "\(entity) \(TemporaryID.text(key))" : ObjectID.name(entity, key)
    }

    private func json(_ value: Value, _ property: Property?) -> JSONValue {
        if case .key(let key) = value, !isAddressed(key) { return .null }
        var writer = ByteWriter()
        let kind = property.map { ValueKind($0) } ?? .plain
        if case .data(let bytes) = value, bytes.count > 256 {
            return .string("\(bytes.count) bytes")
        }
        renderer.write(value, as: kind, to: &writer)
        return .raw(writer.take())
    }

    func problem(_ error: ContextError) -> Problem {
        switch error {
        case .abstractEntity: Problem(.abstract, error.description)
        case .deleted(let entity, let key):
            Problem(.object, "\(name(entity, key)) is deleted and cannot be linked or changed")
        case .tooManyObjects:
            Problem(
                .contextEvaluation, error.description,
                hint: "narrow it with where, or save first, so that the store evaluates it")
        case .foreignIdentity, .unusableURI: Problem(.object, error.description)
        case .wrongDestination, .noDestination: Problem(.noDestination, error.description)
        case .notInStore: Problem(.body, error.description)
        case .noSuchRelationship, .noSuchProperty, .noSingleValue:
            Problem(.unknownKey, error.description)
        case .foreignObject, .closed, .onWriter, .willSaveDoesNotEnd, .valueLost,
            .destinationNotSet, .notSaved:
            Problem(.unavailable, error.description)
        }
    }

    /// The problem of a store's error; nil for one that only the log records.
    func problem(_ error: StoreError) -> Problem? {
        switch error {
        case .moved:
            return Problem(
                .busy, "the data that the request depends on changed on every attempt",
                headers: [("Retry-After", "1")])
        case .conflicts(let conflicts): return problem(conflicts)
        case .constraint(let conflict): return problem(conflict)
        case .refused(let what): return Problem(.validation, what)
        case .gone(let what): return Problem(.storeGone, "\(what); nothing was changed")
        case .damaged(let what):
            return Problem(
                .storeDamaged, what,
                hint:
                    "save what can be read by GET /{Entity}?format=ndjson, or by stele export "
                    + "--read-only after the end of the service, keep a copy of all files of the "
                    + "store, and restore a backup; stele check says what is left")
        case .noRoom:
            return Problem(
                .noRoom,
                "the disk is full, or the store's file may not become larger; nothing was saved")
        case .noKeys(let what): return Problem(.noRoom, "\(what); nothing was saved")
        case .busy, .overBudget:
            return Problem(
                .busy, "the store is busy; try again in a moment", headers: [("Retry-After", "1")])
        case .unavailable(let what):
            return Problem(.storeUnavailable, what, headers: [("Retry-After", "1")])
        case .deadline(let seconds):
            return Problem(
                .deadline,
                "the query ran longer than \(seconds < 1 ? seconds : seconds.rounded()) s",
                hint: "narrow it with where, or add an index", headers: [("Retry-After", "1")])
        case .unsupported(let what): return .notBuilt(what)
        case .predicate(let error): return problem(error)
        case .invalid(let what): return Problem(.predicateValue, what)
        case .tooLarge: return error.mistake.map { problem($0) }
        case .expired:
            return Problem(
                .expiredToken,
                "changes were purged from the history before they were read",
                hint: "ask again without a token, and start from the current data")
        case .readOnly:
            return Problem(
                .readOnlyStore, "the store is open for reading only; nothing was saved",
                hint: "start the service without read-only to save")
        case .incompleteSave(let what): return Problem(.incompleteSave, what)
        case .closed: return Problem(.unavailable, "the service is stopping")
        case .incompatible, .failed: return nil
        }
    }

    private func problem(_ conflicts: [MergeConflict]) -> Problem {
        let entries: [JSONValue] = conflicts.map { conflict in
            let entity = model.entities[conflict.entity]
            let keys: [JSONValue] = conflict.changedSlots.compactMap { slot in
                guard entity.slots.indices.contains(slot) else { return nil }
                let property = entity.slots[slot]
                func value(_ values: [Value]?) -> JSONValue {
                    guard let values, values.indices.contains(slot) else { return .null }
                    return json(values[slot], property)
                }
                return .object([
                    ("key", .string(property.name)), ("yours", value(conflict.values)),
                    ("stored", value(conflict.persisted?.values)),
                ])
            }
            return .object([
                ("object", .string(path(entity, conflict.key))),
                ("yourVersion", .integer(conflict.cached.version)),
                ("storedVersion", conflict.persisted.map { .integer($0.version) } ?? .null),
                ("conflicts", .array(keys)),
            ])
        }
        return Problem(
            .conflict, "the object was changed by another save",
            members: [("objects", .array(entries))])
    }

    /// - Parameter places: the places of the body's new objects, by their keys.
    func problem(
        _ conflict: ConstraintConflict, places: [(key: Int64, path: [String])] = []
    ) -> Problem {
        let entity = model.entities[conflict.entity]
        var members: [(String, JSONValue)] = [
            ("entity", .string(entity.name)),
            ("constraint", .array(conflict.constraint.map { .string($0) })),
            (
                "values",
                .array(
                    zip(conflict.constraint, conflict.values).map { name, value in
                        json(value, entity.property(named: name))
                    })
            ),
        ]
        let names = conflict.constraint.joined(separator: ", ")
        let paths = Dictionary(places, uniquingKeysWith: { first, _ in first })
        func entry(_ entity: Entity, _ key: Int64) -> JSONValue? {
            var members: [(String, JSONValue)] = []
            if let steps = paths[key], !steps.isEmpty {
                members.append(("at", .string(JSONPointer.text(of: steps))))
            }
            if isAddressed(key) { members.append(("object", .string(path(entity, key)))) }
            // The body is that object, and the other members describe it.
            if members.isEmpty { return nil }
            members.append(("entity", .string(entity.name)))
            members.append(("message", .string("\(names) must be unique")))
            return .object(members)
        }
        var entries = [entry(entity, conflict.key)]
        guard let holder = conflict.holder else {
            return Problem(
                .constraint, "another \(entity.name) has the same \(names)",
                errors: entries.compactMap(\.self), members: members)
        }
        let other = model.entities[holder.entity]
        if isAddressed(holder.key) {
            members.append(("object", .string(path(other, holder.key))))
        }
        if holder.isNew { entries.append(entry(other, holder.key)) }
        return Problem(
            .constraint, "\(name(other.name, holder.key)) has the same \(names)",
            hint: entity.isKind(other.index)
                ? nil
                : "an object keeps its entity: \(name(other.name, holder.key)) cannot become "
                    + "\(entity.name), whatever the merge policy",
            errors: entries.compactMap(\.self), members: members)
    }
}
