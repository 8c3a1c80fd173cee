/// What the command says of a migration beside its steps.

import SteleMigration
import SteleModel

/// A policy that a mapping of a plan asks for. Policies are Swift code, which the
/// command does not have.
struct NeededPolicy {
    let step: MigrationPlan.Step
    /// The entity mapping.
    let mapping: EntityMapping
    /// The name of the policy.
    let name: String

    /// The need as a clause.
    var sentence: String {
        "the mapping \(mapping.name) asks for the policy \(name), which is Swift code"
    }

    /// How the store can be migrated without the policy or with it.
    var remedy: String {
        let (from, to) = (step.source.name, step.destination.name)
        let entities = [
            ("source", mapping.sourceEntityName), ("destination", mapping.destinationEntityName),
        ]
        .compactMap { key, name in name.map { "\(quoted(key)):\(quoted($0)), " } }.joined()
        let file =
            "{\"from\":\(quoted(from)), \"to\":\(quoted(to)), \"mappings\":[{\(entities)"
            + "\"attributes\":{\"NAME\":\"EXPRESSION\"}}]}"
        return
            "write what it does as expressions in a mapping file, such as \(file), and give it by "
            + "--mapping FILE, which is taken before others; or carry out the migration in a Swift "
            + "program that passes the policy"
    }
}

extension MigrationPlan {
    /// The policies that its mappings ask for, in their order.
    var policies: [NeededPolicy] {
        steps.flatMap { step in
            step.mappingModel.entityMappings.compactMap { mapping in
                guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
                    return nil
                }
                return NeededPolicy(step: step, mapping: mapping, name: name)
            }
        }
    }
}

extension StoreMigrator {
    /// The plan in lines, with what the command cannot carry out, what may be missing, and whether an
    /// app still opens the result.
    func lines(of plan: MigrationPlan) throws -> [String] {
        if plan.isEmpty { return plan.lines }
        var lines = plan.lines
        for policy in plan.policies {
            lines.append("stele cannot carry this out: \(policy.sentence)")
        }
        if plan.steps.contains(where: { $0.kind == .inferred && $0.removes }),
            try package.mappingSearch.files().isEmpty
        {
            lines.append(
                "no mapping model (.xcmappingmodel, .cdm, .mapping.json) was found in "
                    + package.mappingSearch.description)
        }
        lines += try foreignLosses(of: plan).map { "removes \($0)" }
        let missing = try store.missingValues(plan.source)
        if missing.count > 0 {
            lines.append(
                "\(missing.count.counted("value")) whose file beside the store is missing stays so: "
                    + missing.list)
        }
        if try store.isLostToApps(plan) {
            lines.append(
                "an app with Apple's framework no longer opens the result, unless the model is a "
                    + ".momd with the hashes of \(plan.destination.name) (VersionInfo.plist): keep a "
                    + "copy of the file")
        }
        return lines
    }

    /// What a plan loses that other programs, or other versions, have left in the store, as words.
    func foreignLosses(of plan: MigrationPlan) throws -> [String] {
        let values = try store.valuesLeftOut(by: plan).map {
            "\($0), which no property of \(plan.source.name) has"
        }
        let rows = try store.rowsLeftOut(by: plan).map {
            "\($0.count.counted("row")) of \($0.table) with a Z_PK below 1, which no object has"
        }
        return try values + rows + store.partsLeftOut(by: plan)
    }

    /// Refuses a plan that asks for a policy, before any store is opened.
    /// - Throws: `MigrationError` (134170), or `Failure` with the name of the mapping model.
    func checkPolicies(of plan: MigrationPlan) throws {
        guard let policy = plan.policies.first else { return }
        throw policy.step.located(
            MigrationError(.entityMigrationPolicy, policy.sentence, hint: policy.remedy))
    }
}
