import SteleMigration
import SteleModel
import StelePersistence

/// The objects whose numbers do not fit the types that they change to, found after the first.
struct MisfitReport {
    private let run: MigrationRun

    init(_ run: MigrationRun) { self.run = run }

    /// Returns the error of the first attribute, in the order of the mappings, whose values do not
    /// fit; nil where the mappings without a condition have none.
    func error() throws -> MigrationError? {
        let plan = run.plan
        for requirement in run.requirements {
            guard case .fits(_, let name, let change) = requirement.kind,
                let step = plan.steps.first(where: { $0.name == requirement.mappingName }),
                let slot = step.source?.attribute(named: name)?.slot
            else { continue }
            var count = 0
            var values: [(key: Int64, value: Value)] = []
            try run.eachBatch(of: step, counts: false) { rows in
                for row in rows.rows {
                    let value = rows.stored(slot, of: row)
                    if change.value(value) != nil { continue }
                    count += 1
                    if values.count < MigrationRequirement.listed {
                        values.append((row.key, value))
                    }
                }
                try rows.check()
            }
            if count > 0 { return requirement.error(count: count, values: values) }
        }
        return nil
    }
}
