import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// The rows that break a uniqueness constraint of the destination, found after the store has
/// refused the first.
struct UniquenessReport {
    private let run: MigrationRun
    /// The most rows that an error lists.
    private static let most = 100

    init(_ run: MigrationRun) { self.run = run }

    /// Returns the error for a refused row, with all rows that mappings without a policy make with
    /// values that another has.
    func error(_ conflict: ConstraintConflict) throws -> MigrationError {
        let model = run.plan.destination
        let entity = model.entities[conflict.entity]
        let shared = model.entity(sharing: conflict.constraint, of: entity)
        var reasons: [String] = []
        var count = 0
        var firsts: [[ValueKey]: MigrationAssociations.Target] = [:]
        for step in run.plan.steps where step.policy == nil && step.makesObjects {
            guard let made = step.destination, shared.isKind(made.index) else { continue }
            let slots = conflict.constraint.compactMap { made.slot(named: $0) }
            let maker = RowMaker(step, run, made)
            try run.eachBatch(of: step, counts: false) { rows in
                for row in rows.rows {
                    let values = try maker.insert(
                        MigrationSource(rows: rows, snapshot: row), row.key
                    ).values
                    let its = slots.map { values[$0] }
                    if its.contains(.null) { continue }
                    let one = MigrationAssociations.Target(entity: row.entity, key: row.key)
                    let unique = its.map(ValueKey.init)
                    guard let first = firsts[unique] else {
                        firsts[unique] = one
                        continue
                    }
                    count += 1
                    if reasons.count < Self.most {
                        reasons.append(
                            "\(name(one)) has the \(shown(conflict, its)) of \(name(first))")
                    }
                }
                try rows.check()
            }
        }
        if reasons.isEmpty {
            reasons = ["two objects have the \(shown(conflict, conflict.values))"]
        } else if count > reasons.count {
            reasons.append("and \(count - reasons.count) more")
        }
        return MigrationError(
            .constraintViolation,
            "the data breaks the uniqueness constraint \(conflict.constraint.joined(separator: ", ")) "
                + "of \(shared.name)", reasons: reasons)
    }

    private func name(_ source: MigrationAssociations.Target) -> String {
        ObjectID.name(run.plan.source.entities[source.entity].name, source.key)
    }

    private func shown(_ conflict: ConstraintConflict, _ values: [Value]) -> String {
        zip(conflict.constraint, values).map { "\($0) \($1.shown)" }.joined(separator: ", ")
    }
}

extension Entity {
    /// The slot of an attribute or a to-one relationship; nil for any other name.
    fileprivate func slot(named name: String) -> Int? {
        slots.firstIndex { $0.name == name }
    }
}
