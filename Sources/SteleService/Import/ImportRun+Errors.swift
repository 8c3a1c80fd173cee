/// The errors of an import, with file and line.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension ImportPlan {
    /// Runs work for one record, and gives its errors the record's place.
    func placing<Result>(_ place: LinePlace, _ work: () throws -> Result) throws -> Result {
        do { return try work() } catch { throw placed(error, place) }
    }

    /// An error with the line that caused it. An error of the store itself is unchanged.
    func placed(_ error: any Error, _ place: LinePlace) -> any Error {
        ImportError(of: error)?.placed(files[place.file].path, place.number) ?? error
    }
}

extension ImportError {
    /// The error of a record, without a place; nil for an error of the store itself.
    init?(of error: any Error) {
        switch error {
        case let error as ImportError: self = error
        case let problem as Problem:
            self.init(problem.hint.map { "\(problem.detail) (\($0))" } ?? problem.detail)
        case let error as JSONError: self.init("not JSON: \(error.description)")
        case let error as ContextError: self.init(error.description)
        default: return nil
        }
    }
}

/// The errors of one record. Reading goes on after each.
struct RecordErrors {
    private var errors: [ImportError] = []

    /// Does work for a part of the record, and keeps its error.
    /// - Parameters:
    ///   - column: the name of the column; nil in JSON.
    ///   - hint: a way out for the error.
    mutating func collecting(
        column: String? = nil, hint: @autoclosure () -> String? = nil, _ work: () throws -> Void
    ) throws {
        do { try work() } catch {
            guard var error = ImportError(of: error) else { throw error }
            error.column = column
            if let hint = hint() { error.message += " (\(hint))" }
            errors.append(error)
        }
    }

    /// - Throws: `ImportError` without a place, if there are errors.
    func check() throws { if let error = ImportError(errors) { throw error } }
}

extension ImportRun {
    /// The errors for objects that are not valid, with their lines.
    func refusal(_ errors: ValidationErrors, _ batch: Batch) -> ImportError {
        let places = batch.places
        let end = LinePlace(file: plan.files.count, number: 0)
        let all = errors.errors.map { error in
            let place = places[ObjectID(root: error.entity.root, key: error.key)]
            return (error: error, place: place ?? end)
        }.sorted { ($0.place.file, $0.place.number) < ($1.place.file, $1.place.number) }
        let listed = all.prefix(plan.options.mostErrors).map { error, place in
            let failure = ImportError(error.detail)
            return place.file < end.file
                ? failure.placed(plan.files[place.file].path, place.number) : failure
        }
        var error = ImportError(listed) ?? ImportError("an object is not valid")
        error.hasMore = all.count > listed.count
        return error
    }

    /// The error for a rule of the store's database, such as a trigger of another program: with the
    /// line of the object that it names, or the lines among which the record is.
    func refusal(_ rule: String, _ batch: Batch) -> ImportError {
        let objects = batch.objects
        let named = objects.filter { rule.hasPrefix("\($0.name): ") }
        let ofEntity = objects.filter { rule.hasPrefix("\($0.entity): ") }
        let likely = named.isEmpty ? ofEntity : named
        let places = (likely.isEmpty ? objects : likely).map { $0.place }
            .sorted { ($0.file, $0.number) < ($1.file, $1.number) }
        guard let first = places.first, let last = places.last else { return ImportError(rule) }
        let path = plan.files[first.file].path
        guard first.file == last.file else {
            let end = "\(plan.files[last.file].path) line \(last.number)"
            return ImportError("\(path) line \(first.number) to \(end): \(rule)")
        }
        var error = ImportError(rule, file: path, line: first.number)
        if last.number > first.number { error.lastLine = last.number }
        return error
    }

    /// The error for a record of an object that exists.
    /// - Parameters:
    ///   - hint: another way out, if the object was in the store before.
    ///   - matches: whether another record is of the same object.
    func again(
        _ what: String, of line: ImportLine, _ object: ManagedObject, hint: String,
        where matches: (ImportLine) -> Bool
    ) throws -> ImportError {
        if !object.isInserted, try wasStored(object.objectID) {
            return ImportError("\(what) \(Self.isStored)\(hint)")
        }
        return ImportError(
            "\(what) \(alsoIn(other(than: line.place, where: matches), line.place))")
    }

    static let isStored =
        "is already in the store: --on-conflict update changes it, --on-conflict skip leaves it"

    /// Of a row that another program has written.
    static let isNoObject =
        "is already in the store, in a row with a Z_PK below 1, which is no object and which no "
        + "import changes: remove that row, or give it another Z_PK (stele inspect names such rows)"

    /// Whether an object was in the store before the import.
    private func wasStored(_ id: ObjectID) throws -> Bool {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        return try reader.snapshot(id) != nil
    }

    /// The place of the first other record that matches; nil if there is none, or if it was read
    /// from a pipe.
    private func other(
        than place: LinePlace, where matches: (ImportLine) -> Bool
    ) -> LinePlace? {
        var found: LinePlace?
        for file in files where RecordReader.size(plan.files[file].path) != nil && found == nil {
            // The file may have changed since, and have mistakes after the record.
            _ = try? ImportReading.read(file, of: plan) { line, _, _ in
                if line.place != place, matches(line) { found = line.place }
                return found == nil
            }
        }
        return found
    }

    private func alsoIn(_ other: LinePlace?, _ line: LinePlace?) -> String {
        guard let other else { return "is also in an earlier record" }
        let file = other.file == line?.file ? "" : "\(plan.files[other.file].path) "
        return "is also in \(file)line \(other.number)"
    }

    /// The error for values that must be unique and that another object has, with their line.
    func duplicate(_ conflict: ConstraintConflict, _ batch: Batch) throws -> ImportError {
        let entity = plan.model.entities[conflict.entity]
        let named = zip(conflict.constraint, conflict.values).map {
            "\($0) \(ImportKey.shown($1))"
        }.joined(separator: ", ")
        let rejected = batch.line(root: entity.root, key: conflict.key)
        func hasValues(_ line: ImportLine) -> Bool {
            line.entity.root == entity.root
                && zip(conflict.constraint, conflict.values).allSatisfy { name, value in
                    line.values.contains { $0.attribute.name == name && $0.value == value }
                        || line.references.contains { one in
                            one.relationship.name == name
                                && rejected?.references.contains {
                                    $0.relationship === one.relationship && $0.names == one.names
                                } == true
                        }
                }
        }
        let what = "\(entity.name.withArticle) with \(named)"
        // Only a row that is no object has values and no holder.
        let isStored = conflict.holder == nil ? Self.isNoObject : Self.isStored
        guard let place = (batch.lines.last(where: hasValues) ?? rejected)?.place else {
            return ImportError("\(what) \(isStored)")
        }
        if conflict.holder == nil {
            return ImportError(
                "\(what) \(isStored)", file: plan.files[place.file].path, line: place.number)
        }
        let stored = conflict.databaseKey.map { ObjectID(root: entity.root, key: $0) }
        let isOld = try stored.map { try !$0.isTemporaryID && wasStored($0) } ?? false
        let other = isOld ? nil : other(than: place, where: hasValues)
        let message = "\(what) \(other == nil ? isStored : alsoIn(other, place))"
        return ImportError(message, file: plan.files[place.file].path, line: place.number)
    }
}

extension ImportRun.Batch {
    /// The places of the lines that objects were made of, also by the keys that new ones keep.
    var places: [ObjectID: LinePlace] {
        var places: [ObjectID: LinePlace] = [:]
        for (line, made) in zip(lines, made) {
            guard let id = made?.object.objectID else { continue }
            places[id] = line.place
            if let key = kept[id] { places[ObjectID(root: id.root, key: key)] = line.place }
        }
        return places
    }

    /// The objects that the batch writes, with the names that errors of the store give them.
    fileprivate var objects: [(name: String, entity: String, place: LinePlace)] {
        var objects: [(name: String, entity: String, place: LinePlace)] = []
        func add(_ object: ManagedObject, _ place: LinePlace) {
            let key = kept[object.objectID] ?? object.objectID.key
            let name = ObjectID.name(object.entity.name, key)
            objects.append((name: name, entity: object.entity.name, place: place))
        }
        for (line, one) in zip(lines, made) {
            if let one { add(one.object, line.place) }
        }
        for one in deferred {
            if let owner = found[one.owner] { add(owner, one.place) }
        }
        return objects
    }

    /// The line that an object was made of.
    func line(root: Int, key: Int64) -> ImportLine? {
        zip(lines, made).first { _, made in
            guard let object = made?.object, object.objectID.root == root else { return false }
            return object.objectID.key == key || kept[object.objectID] == key
        }?.0
    }
}
