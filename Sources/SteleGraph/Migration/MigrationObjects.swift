import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// The managed objects of a migration: for policies, and for the errors of validation.
final class MigrationObjects {
    private unowned let run: MigrationRun
    private var madeSource: ManagedObjectContext?
    private var madeDestination: ManagedObjectContext?
    private lazy var coordinator = PersistentStoreCoordinator(
        store: run.manager.destinationStore, rowCacheBytes: 1 << 16,
        classes: run.manager.destinationClasses)

    init(_ run: MigrationRun) { self.run = run }

    /// The context of source objects. It retains only objects with changes.
    var source: ManagedObjectContext {
        if let madeSource { return madeSource }
        let coordinator = PersistentStoreCoordinator(
            store: run.manager.sourceStore, rowCacheBytes: 1 << 16)
        let made = Self.context(coordinator, run.source)
        madeSource = made
        return made
    }

    /// The context of destination objects. It retains only objects with changes.
    var destination: ManagedObjectContext {
        if let madeDestination { return madeDestination }
        let made = scratch()
        madeDestination = made
        return made
    }

    /// A new context of destination objects, for objects that are not saved.
    func scratch() -> ManagedObjectContext { Self.context(coordinator, run.destination.reader) }

    private static func context(
        _ coordinator: PersistentStoreCoordinator, _ reader: any StoreReader
    ) -> ManagedObjectContext {
        ManagedObjectContext(
            coordinator, author: nil, name: nil, writerReader: reader,
            retainsRegisteredObjects: false)
    }

    func close() {
        madeSource?.close()
        madeDestination?.close()
    }

    /// The destination context if it has been used.
    var used: ManagedObjectContext? { madeDestination }
}

/// Carrying out mappings with managed objects.
extension MigrationRun {
    func makeByPolicy(_ step: MigrationStep) throws {
        try eachBatch(of: step) { rows in
            self.rows = rows
            defer { self.rows = nil }
            let context = objects.source
            for row in rows.rows {
                try manager.control.check()
                try step.policy?.createDestinationInstances(
                    forSource: context.loader.object(from: row), in: step.mapping,
                    manager: manager)
            }
            try flush()
        }
    }

    func linkByPolicy(_ step: MigrationStep) throws {
        guard let policy = step.policy else { return }
        // Other mappings have changed rows since the objects were read.
        try objects.destination.refreshAllObjects()
        try eachBatch(of: step) { rows in
            self.rows = rows
            defer { self.rows = nil }
            for row in rows.rows {
                for target in step.associations.targets(of: row.key) {
                    try manager.control.check()
                    guard let object = try objects.destination.existingObject(with: id(target))
                    else { continue }
                    try policy.createRelationships(
                        forDestination: object, in: step.mapping, manager: manager)
                }
            }
            try flush()
        }
    }

    func id(_ target: MigrationAssociations.Target) -> ObjectID {
        ObjectID(root: plan.destination.entities[target.entity].root, key: target.key)
    }

    /// Saves what policies have changed, without validation.
    func flush() throws {
        guard let context = objects.used else { return }
        if let request = try ContextSave(context).request(validates: false) {
            let result: SaveResult
            do throws(StoreError) { result = try destination.save(request) } catch {
                guard case .constraint(let conflict) = error else { throw error }
                throw try UniquenessReport(self).error(conflict)
            }
            context.didSave(result)
        }
        for one in pending.all where !one.object.isDeleted {
            plan.steps[one.step].associations.add(
                one.source, .init(entity: one.object.entity.index, key: one.object.objectID.key))
        }
        pending = PendingAssociations()
    }

    /// - Throws: `MigrationError` for a mapping that the model does not have.
    func step(named name: String) throws -> MigrationStep {
        if let found = plan.steps.first(where: { $0.name == name }) { return found }
        throw MigrationError(
            .migration, "there is no entity mapping \(name)",
            hint: Nearest.hint(to: name, among: plan.steps.map(\.name)))
    }

    // MARK: Objects

    func create(_ source: ManagedObject, _ step: MigrationStep) throws -> ManagedObject {
        guard let made = step.destination else {
            throw MigrationError(.migration, "the mapping \(step.name) makes no objects")
        }
        if made.isAbstract { throw ContextError.abstractEntity(made.name) }
        let context = objects.destination
        let isFirst =
            step.associations.first(of: source.objectID.key) == nil
            && pending.objects(of: source.objectID.key, by: step).isEmpty
        let object: ManagedObject
        if step.keepsKeys, isFirst {
            object = context.loader.insert(
                made, key: source.objectID.key, values: context.plans[made].defaults)
        } else {
            object = try context.insert(made)
        }
        try associate(source, object, step)
        let calls = MigrationCalls(self, step, source, object)
        for recipe in step.attributes {
            let value = try calls.value(recipe)
            if value.isNull, recipe.replacesNull { continue }
            object.setValue(value, for: recipe.attribute)
        }
        return object
    }

    func setRelationships(of object: ManagedObject, _ step: MigrationStep) throws {
        guard let source = try sources(of: [object], by: step.name).first else { return }
        let calls = MigrationCalls(self, step, source, object)
        for recipe in step.relationships {
            let members = try calls.destinations(recipe)
            if recipe.relationship.isToMany {
                try object.setMembers(recipe.relationship, members)
            } else if members.count > 1 {
                throw calls.failure(
                    recipe.relationship.name,
                    "it is a to-one relationship, and \(members.count) objects are given")
            } else {
                try object.setToOne(recipe.relationship, members.first)
            }
        }
    }

    func associate(
        _ source: ManagedObject, _ destination: ManagedObject, _ step: MigrationStep
    ) throws {
        guard source.context === objects.source, destination.context === objects.destination
        else { throw ContextError.foreignObject }
        pending.add(destination, of: source.objectID.key, by: step)
    }

    // MARK: Lookup

    /// - Parameter name: the mapping's name; nil for all mappings.
    func destinations(
        of sources: [ManagedObject], by name: String?
    ) throws -> [ManagedObject] {
        let steps = try name.map { [try step(named: $0)] } ?? plan.steps
        var found: [ManagedObject] = []
        for object in sources {
            for step in steps where step.source?.index == object.entity.index {
                for target in step.associations.targets(of: object.objectID.key) {
                    if let made = try objects.destination.existingObject(with: id(target)) {
                        found.append(made)
                    }
                }
                found += pending.objects(of: object.objectID.key, by: step)
            }
        }
        return Self.once(found)
    }

    /// - Parameter name: the mapping's name; nil for all mappings.
    func sources(of made: [ManagedObject], by name: String?) throws -> [ManagedObject] {
        let steps = try name.map { [try step(named: $0)] } ?? plan.steps
        var found: [ManagedObject] = []
        for object in made {
            let family = plan.destination.entities[object.objectID.root].subtree
            for step in steps {
                guard let root = step.source?.root else { continue }
                var keys = step.associations.sources(of: object.objectID.key, family)
                keys += pending.sources(of: object, by: step)
                for key in keys {
                    let id = ObjectID(root: root, key: key)
                    if let source = try objects.source.existingObject(with: id) {
                        found.append(source)
                    }
                }
            }
        }
        return Self.once(found)
    }

    static func once(_ objects: [ManagedObject]) -> [ManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
