import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// One execution of a mapping model, within one save of the destination store.
///
/// Objects are read and saved in batches. Mappings without a policy are carried out on rows; a
/// policy gets managed objects. What is made of what is kept as `MigrationAssociations`.
final class MigrationRun {
    let manager: MigrationManager
    let plan: MappingPlan
    /// The source store, in one view.
    let source: any StoreReader
    /// The destination store with all parts saved so far.
    let destination: MigrationDestination
    private(set) var progress = MigrationProgress()
    /// The mapping that is carried out.
    private(set) var step: MigrationStep?
    /// The batch whose objects a policy gets.
    var rows: MigrationRows?
    /// What the policies have associated since the last save.
    var pending = PendingAssociations()
    lazy var objects = MigrationObjects(self)
    lazy var checks = plan.destination.entities.map { check(of: $0) }
    /// Whether the mapping model is the one that is inferred from the two models.
    let isInferred: Bool
    /// What the data must fulfil.
    let requirements: [MigrationRequirement]
    /// Whether values are complete as soon as an object is inserted.
    private var checksAtOnce = false
    var errors: [ValidationError] = []
    var singleLinks = SingleLinks()
    /// The slots of new objects whose values break a rule as another program has left them.
    private(set) var left: [ObjectID: Set<Int>] = [:]
    /// Whether infinite numbers were carried over.
    private(set) var hasInfinite = false

    init(
        _ manager: MigrationManager, _ plan: MappingPlan, from source: any StoreReader,
        to parts: any PartedSave
    ) throws {
        self.manager = manager
        self.plan = plan
        self.source = source
        let mappingModel = manager.mappingModel
        isInferred =
            mappingModel == (try? MappingModel.inferred(from: plan.source, to: plan.destination))
        requirements = mappingModel.requirements(from: plan.source, to: plan.destination)
        destination = try MigrationDestination(parts)
    }

    /// Carries out the mappings.
    func run() throws {
        try plan.decide { entity in
            var all = FetchRequest(entity: entity)
            all.fetchLimit = 1
            return try destination.reader.count(all) == 0
        }
        try checkAbstractEntities()
        checksAtOnce = !plan.hasPolicies && !plan.setsSlotsLater
        try reserveKeys()
        try count()
        try each(.instances) { step in
            try step.policy?.begin(step.mapping, with: manager)
            if step.makesObjects { try make(step) }
            try step.policy?.endInstanceCreation(forMapping: step.mapping, manager: manager)
        }
        try each(.relationships) { step in
            if step.policy == nil { try link(step) } else { try linkByPolicy(step) }
            try step.policy?.endRelationshipCreation(forMapping: step.mapping, manager: manager)
        }
        try singleLinks.check(plan.destination)
        for step in plan.steps where step.policy == nil { try link(step, order: true) }
        try each(.validation) { step in
            try step.policy?.performCustomValidation(forMapping: step.mapping, manager: manager)
            try step.policy?.end(step.mapping, manager: manager)
        }
        try validate(values: !checksAtOnce)
        advance(to: .saving)
    }

    // MARK: Steps

    private func each(
        _ phase: MigrationProgress.Phase, _ body: (MigrationStep) throws -> Void
    ) throws {
        for step in plan.steps {
            self.step = step
            defer { self.step = nil }
            advance(to: phase, step.name)
            try manager.control.check()
            try body(step)
            try flush()
        }
        advance(to: phase)
    }

    private func advance(to phase: MigrationProgress.Phase, _ mapping: String? = nil) {
        progress.phase = phase
        progress.mapping = mapping
        tell()
    }

    private func tell() {
        manager.control.set(progress)
        manager.didAdvance?(progress)
    }

    private func count() throws {
        for step in plan.steps {
            guard step.makesObjects, let request = step.request else { continue }
            let count = try source.count(request)
            progress.total += count
            if step.policy != nil || !step.later.isEmpty { progress.total += count }
            if step.policy == nil, !step.ordered.isEmpty { progress.total += count }
        }
    }

    /// Reserves the keys of families that keep them, so that new objects get neither the keys of
    /// the objects nor those of deleted ones.
    private func reserveKeys() throws {
        let given = try manager.sourceStore.highestKeys
        var greatest: [Int: Int64] = [:]
        for step in plan.steps where step.keepsKeys {
            guard let made = step.destination, let from = step.source else { continue }
            if let key = given[from.root], key > 0 { greatest[made.root] = key }
        }
        var request = SaveRequest(readToken: 0)
        request.reservations = greatest.sorted { $0.key < $1.key }
            .map { ObjectID(root: $0.key, key: $0.value) }
        if !request.reservations.isEmpty { _ = try destination.save(request) }
    }

    /// The fewest and the most objects of a batch.
    private static let least = 8
    private static let most = 2_000
    /// The size in bytes of the values that a batch should have.
    private static let bytesABatch = 4 << 20

    /// Reads the source objects of a step in batches.
    /// - Parameter counts: whether they count for the progress.
    func eachBatch(
        of step: MigrationStep, counts: Bool = true, _ body: (MigrationRows) throws -> Void
    ) throws {
        guard let request = step.request else { return }
        let cursor = try source.cursor(request)
        let readsFiles = step.readsFiles
        var size = readsFiles ? Self.least : 100
        while true {
            try manager.control.check()
            guard case .objects(let found) = try cursor.next(size), !found.isEmpty else { return }
            let rows = MigrationRows(
                found, from: source, plan.source,
                keepsInfinite: step.policy == nil && manager.destinationStore.holdsAnyNumber)
            try body(rows)
            if counts {
                progress.done += found.count
                tell()
            }
            var bytes = found.reduce(1) { sum, row in
                row.values.reduce(sum + 24 * row.values.count) { $0 + $1.bytesBeside }
            }
            if readsFiles {
                for row in found {
                    for case .external(let data) in row.values { bytes += data.count ?? 0 }
                }
            }
            size = min(Self.most, max(Self.least, Self.bytesABatch * found.count / bytes))
        }
    }

    /// Checks that there are no objects of entities that become abstract.
    private func checkAbstractEntities() throws {
        for requirement in requirements where requirement.kind == .noObjectsOfAbstractEntity {
            let step = plan.steps.first { $0.name == requirement.mappingName }
            guard let request = step?.request else { continue }
            let count = try source.count(request)
            if count > 0 { throw requirement.error(count: count) }
        }
    }

    // MARK: Instances

    private func make(_ step: MigrationStep) throws {
        if step.policy != nil { return try makeByPolicy(step) }
        guard let made = step.destination else { return }
        let values = RowMaker(step, self, made)
        let check = checksAtOnce ? checks[made.index] : nil
        try eachBatch(of: step) { rows in
            var changes: [ObjectChange] = []
            changes.reserveCapacity(rows.rows.count)
            for row in rows.rows {
                let key = step.keepsKeys ? row.key : -Int64(changes.count) - 1
                let object = MigrationSource(rows: rows, snapshot: row)
                let change = try values.insert(object, key)
                if let check, !check.holds(change.values) {
                    let left = values.left(in: object)
                    if !check.holds(change.values, besides: left) {
                        try note(made, row.key, change.values, besides: left)
                    }
                }
                changes.append(change)
            }
            try rows.check()
            hasInfinite = hasInfinite || rows.hasInfinite
            let result = try save(changes, of: step)
            for (row, change) in zip(rows.rows, changes) {
                let id = ObjectID(root: made.root, key: change.key)
                let key = change.key > 0 ? change.key : result.permanentKeys[id] ?? change.key
                step.associations.add(row.key, .init(entity: made.index, key: key))
                let slots =
                    check == nil
                    ? values.left(in: MigrationSource(rows: rows, snapshot: row)) : []
                if !slots.isEmpty { left[ObjectID(root: made.root, key: key)] = slots }
            }
        }
    }

    /// Saves changes as a part.
    /// - Throws: `MigrationError` (134111) with the rows that break a uniqueness constraint.
    @discardableResult
    func save(_ changes: [ObjectChange], of step: MigrationStep) throws -> SaveResult {
        var request = SaveRequest(readToken: 0)
        request.changes = changes
        do throws(StoreError) { return try destination.save(request) } catch {
            guard case .constraint(let conflict) = error else { throw error }
            throw try UniquenessReport(self).error(conflict)
        }
    }

    /// Returns the objects that the targets of a relationship made of a source object.
    func targets(
        of recipe: RelationshipRecipe, _ object: (entity: Int, key: Int64)
    ) -> [MigrationAssociations.Target] {
        recipe.targets.flatMap { index -> [MigrationAssociations.Target] in
            let step = plan.steps[index]
            return step.source?.index == object.entity
                ? step.associations.targets(of: object.key) : []
        }
    }
}

/// The destination store of a migration: the parts saved so far, and the reader of them.
final class MigrationDestination {
    private let parts: any PartedSave
    let reader: PartsReader
    private let token: Int64

    init(_ parts: any PartedSave) throws(StoreError) {
        self.parts = parts
        reader = PartsReader(parts)
        token = try reader.token
    }

    /// Saves a part, which the history leaves out.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        var request = request
        request.readToken = token
        request.isRecorded = false
        // Before the save, because a reader in memory would make it copy the contents.
        reader.renew()
        return try parts.save(request)
    }
}
