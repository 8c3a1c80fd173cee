/// The object of each record of an import: a new one, or the one that the record names again.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// The object that a line inserts or updates; nil if it is left out.
    func make(
        _ line: ImportLine, _ batch: Batch, _ context: ManagedObjectContext
    ) throws -> Batch.Made? {
        guard let known = try existing(line, batch) else {
            if var error = repeated[line.place.file], !isRecognised(line) {
                error.line = line.place.number
                guard plan.options.onConflict == .skip else { throw error }
                summary.skipped += 1
                return nil
            }
            return try insert(line, batch, context)
        }
        if let id = line.id, plan.options.givesNewIDs || known.objectID.key != id {
            batch.identified[ObjectID(root: line.entity.root, key: id)] = known
        }
        if plan.options.onConflict == .skip {
            summary.skipped += 1
            return nil
        }
        guard known.entity === line.entity else {
            throw ImportError(
                "\(line.entity.name) is \(known.entity.name.withArticle) in the store, and an "
                    + "object cannot change its entity")
        }
        summary.updated[line.entity.name, default: 0] += 1
        try rename(known, line, batch)
        for (attribute, value) in line.values { known.setValue(value, for: attribute) }
        return Batch.Made(object: known, isNew: false)
    }

    /// Whether a record tells which object it is.
    private func isRecognised(_ line: ImportLine) -> Bool {
        if line.id != nil, !plan.options.givesNewIDs { return true }
        return plan.namings(of: line.entity).indices.contains { line.name(by: $0) != nil }
    }

    private func insert(
        _ line: ImportLine, _ batch: Batch, _ context: ManagedObjectContext
    ) throws -> Batch.Made {
        let object = try context.insert(line.entity)
        for (attribute, value) in line.values { object.setValue(value, for: attribute) }
        summary.objects[line.entity.name, default: 0] += 1
        if let id = line.id {
            batch.identified[ObjectID(root: line.entity.root, key: id)] = object
            if !plan.options.givesNewIDs { batch.kept[object.objectID] = id }
        }
        for (index, naming) in plan.namings(of: line.entity).enumerated() {
            // A key that is not given may have a default value.
            guard let name = try line.name(by: index) ?? naming.key.name(of: object) else {
                continue
            }
            add(name, naming, of: object, batch)
        }
        return Batch.Made(object: object, isNew: true)
    }

    private func add(
        _ name: [Value], _ naming: Naming, of object: ManagedObject, _ batch: Batch
    ) {
        for entity in naming.entities {
            let old = batch.named[entity, default: [:]].updateValue(object, forKey: name)
            if let old, old !== object { batch.named[entity]?[name] = .some(nil) }
        }
    }

    /// Records that an object loses a name and gets another, if a line that updates it says so.
    private func rename(
        _ object: ManagedObject, _ line: ImportLine, _ batch: Batch
    ) throws {
        for (index, naming) in plan.namings(of: line.entity).enumerated() {
            let changes = line.values.contains { attribute, value in
                naming.key.attributes.contains { $0 === attribute }
                    && object.value(attribute) != value
            }
            guard changes else { continue }
            if let old = try naming.key.name(of: object) {
                for entity in naming.entities {
                    if let named = batch.named[entity]?[old], named === object {
                        batch.named[entity]?[old] = nil
                    } else {
                        batch.renamed[entity, default: []].insert(old)
                    }
                }
            }
            if let new = line.name(by: index) { add(new, naming, of: object, batch) }
        }
    }

    /// The object that a line names again, of the store or of an earlier line.
    /// - Throws: `ImportError` if that is an error.
    private func existing(_ line: ImportLine, _ batch: Batch) throws -> ManagedObject? {
        let root = line.entity.root
        if let id = line.id {
            let stored = identities.key(id, root: root).map { ObjectID(root: root, key: $0) }
            let known =
                batch.identified[ObjectID(root: root, key: id)]
                ?? stored.flatMap { batch.found[$0] }
            if let known {
                if plan.options.onConflict != .error {
                    try checkName(line, id, known, batch)
                    return known
                }
                throw try again(
                    "\(line.entity.name) \(id)", of: line, known,
                    hint: ", --new-ids gives the objects of the files new ids"
                ) { $0.id == id && $0.entity.root == root }
            }
            if identities.isGiven(id, root: root), !plan.options.givesNewIDs {
                throw ImportError(
                    "the _id \(id) was given to an earlier record, which has none: import records "
                        + "with _id first, or give all new ids with --new-ids")
            }
        }
        for (index, naming) in plan.namings(of: line.entity).enumerated() {
            guard let name = line.name(by: index) else { continue }
            if let known = try existing(name, naming, line, batch) { return known }
        }
        return nil
    }

    /// Checks that a record's `_id` and its key do not name two objects of the store.
    private func checkName(
        _ line: ImportLine, _ id: Int64, _ known: ManagedObject, _ batch: Batch
    ) throws {
        for (index, naming) in plan.namings(of: line.entity).enumerated() {
            guard let name = line.name(by: index),
                let other = try existing(name, naming, line, batch), other !== known
            else { continue }
            throw ImportError(
                "the _id \(id) is that of \(known.entity.name) \(known.objectID.key) in the store, and "
                    + "\(naming.key.shown(name)) that of \(other.entity.name) \(other.objectID.key): "
                    + "--new-ids takes objects by their keys alone")
        }
    }

    private func existing(
        _ name: [Value], _ naming: Naming, _ line: ImportLine, _ batch: Batch
    ) throws -> ManagedObject? {
        let entity = plan.model.entities[naming.entities[0]]
        let entry = directory.entry(name, of: entity)
        if plan.options.onConflict == .error {
            // Links of the batch may have looked it up, and would find two objects.
            if let entry, !entry.isNew, entry.key != nil { throw stored(line, naming, name) }
            guard mustLookUp(naming) else { return nil }
            // Several new objects may have a name that no link uses.
            for entity in naming.entities.map({ plan.model.entities[$0] })
            where directory.isUsed(name, of: entity) { throw directory.ambiguous(name, entity) }
            guard let entry, !entry.isNew else { return nil }
            throw stored(line, naming, name)
        }
        if let new = batch.named[entity.index]?[name] {
            guard let new else { throw directory.ambiguous(name, entity) }
            return new
        }
        if batch.renamed[entity.index]?.contains(name) == true { return nil }
        guard let entry else { return nil }
        guard let key = entry.key else { throw directory.ambiguous(name, entity) }
        return batch.found[ObjectID(root: entity.root, key: key)]
    }

    private func stored(_ line: ImportLine, _ naming: Naming, _ name: [Value]) -> ImportError {
        ImportError(
            "\(line.entity.name.withArticle) whose \(naming.key.shown(name)) \(Self.isStored)")
    }
}
