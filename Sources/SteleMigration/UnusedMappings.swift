/// Mapping models that a plan does not use.

import SteleModel

/// The mapping models that no step of a plan is made with, and why.
///
/// Inference removes what it cannot carry over. A mapping model that was written for what a step
/// infers, and names other versions by mistake, is therefore an error. One of another model, which
/// may be in the same folder, is not.
struct UnusedMappings {
    private let mappings: [KnownMapping]
    private let versions: [KnownVersion]
    private let source: KnownVersion
    private let destination: KnownVersion
    private let isBackward: Bool
    /// For each inferred step the versions that it passes, in its direction.
    private let inferred: [[KnownVersion]]
    /// Whether one of them removes something.
    private let removes: Bool

    init(
        _ mappings: [KnownMapping], _ versions: KnownVersions, _ steps: [MigrationPlan.Step],
        from source: KnownVersion
    ) {
        self.versions = versions.versions
        self.source = source
        destination = versions.current
        let used = Set(steps.map(\.kind))
        self.mappings = mappings.filter { !used.contains(.mappingModel($0.name)) }
        let names = versions.versions.map(\.name)
        isBackward = names.firstIndex(of: source.name) ?? 0 > versions.currentIndex
        removes = steps.contains { $0.kind == .inferred && $0.removes }
        inferred = steps.filter { $0.kind == .inferred }.compactMap { step in
            guard let from = names.firstIndex(of: step.source.name),
                let to = names.firstIndex(of: step.destination.name)
            else { return nil }
            return stride(from: from, through: to, by: from < to ? 1 : -1).map {
                versions.versions[$0]
            }
        }
    }

    /// A sentence for each mapping model that says something of what is inferred, or that is for
    /// none of the versions.
    var reasons: [String] { mappings.compactMap(reason) }

    /// Checks that none was written for what a step infers.
    ///
    /// - Throws: `MigrationError.Code.missingMappingModel` (134140).
    func check() throws(MigrationError) {
        for mapping in mappings {
            if mapping.isGiven, removes, leads(mapping).isEmpty {
                throw MigrationError(
                    .missingMappingModel,
                    "\(mapping.name), which was named, is not used, and what it may have been written "
                        + "for would be removed",
                    reasons: mapping.mismatches(from: source, to: destination),
                    hint:
                        "the versions are \(versions.map(\.name).joined(separator: ", ")); correct "
                        + "it, or do not name it")
            }
            guard let meant = missedStep(mapping) else { continue }
            let names = versions.map(\.name)
            let unknown = mapping.names.filter { !names.contains($0) }
            let near = unknown.count == 1 ? Nearest.hint(to: unknown[0], among: names) : nil
            let missing =
                unknown.isEmpty
                ? ""
                : "the model has no version \(unknown.joined(separator: " or "))"
                    + (near.map { " (\($0))" } ?? "") + ", "
            throw MigrationError(
                .missingMappingModel,
                "\(mapping.name) \(mapping.way), \(missing)and it fits the step from "
                    + "\(meant.from.name) to \(meant.to.name), which is inferred",
                hint: "the versions are \(names.joined(separator: ", ")); correct the names in "
                    + "it, or remove the file")
        }
    }

    private func reason(_ mapping: KnownMapping) -> String? {
        let leads = leads(mapping)
        if !leads.isEmpty {
            return leads.contains(where: isPassed) && !mapping.names.isEmpty
                ? "\(mapping.name) \(mapping.way), and is not used" : nil
        }
        let reasons = mapping.mismatches(from: source, to: destination)
        return "\(mapping.name) is for other versions, and is not used: "
            + (reasons.isEmpty ? mapping.way : Self.short(reasons))
    }

    /// The first reasons: a mapping model of another app has one for each of its entities.
    private static func short(_ reasons: [String]) -> String {
        let first = reasons.prefix(2).joined(separator: "; ")
        return reasons.count > 2 ? "\(first); and \(reasons.count - 2) more" : first
    }

    /// The pairs of versions that a mapping model says it is for.
    private func leads(_ mapping: KnownMapping) -> [(from: KnownVersion, to: KnownVersion)] {
        versions.flatMap { from in
            versions.filter { from.name != $0.name && mapping.leads(from: from, to: $0) }
                .map { (from, $0) }
        }
    }

    /// Whether an inferred step goes some of the way between two versions, in either direction.
    /// One that only begins or ends where the way does is another step.
    private func isPassed(_ way: (from: KnownVersion, to: KnownVersion)) -> Bool {
        let names = versions.map(\.name)
        guard let from = names.firstIndex(of: way.from.name),
            let to = names.firstIndex(of: way.to.name)
        else { return false }
        let between = Set(names[min(from, to)...max(from, to)])
        return inferred.contains { $0.count { between.contains($0.name) } > 1 }
    }

    /// The inferred step, or part of one, that a mapping model was written for: it fits the step
    /// and none of the versions that it says it is for.
    ///
    /// Where one of its two names is unknown, the other one has to be that of the step, which leads
    /// to a later version, and the entities have to fit. Otherwise all that it maps has to fit.
    private func missedStep(
        _ mapping: KnownMapping
    ) -> (from: KnownVersion, to: KnownVersion)? {
        guard !mapping.names.isEmpty, !leads(mapping).contains(where: mapping.isComplete) else {
            return nil
        }
        let known = mapping.names.filter { name in versions.contains { $0.name == name } }
        let isHalfKnown = !known.isEmpty && known.count < mapping.names.count
        if isHalfKnown, isBackward { return nil }
        for passed in inferred {
            for (index, from) in passed.enumerated() {
                // The copy of its source tells that it is for another version that is gone.
                if from.isCached, mapping.sourceShape != nil { continue }
                for to in passed[(index + 1)...] {
                    let isMeant =
                        isHalfKnown && !from.isCached
                        ? (mapping.sourceName == from.name || mapping.destinationName == to.name)
                            && mapping.hasEntities((from, to))
                        : mapping.isComplete((from, to))
                    if isMeant { return (from, to) }
                }
            }
        }
        return nil
    }
}

extension KnownMapping {
    /// The names of the versions that its file says.
    fileprivate var names: [String] { [sourceName, destinationName].compactMap { $0 } }

    /// What its file says of its versions.
    fileprivate var way: String {
        switch (sourceName, destinationName) {
        case (let from?, let to?): "leads from \(from) to \(to)"
        case (let from?, nil): "leads from \(from)"
        case (nil, let to?): "leads to \(to)"
        case (nil, nil): "names no versions"
        }
    }

    /// Whether every entity, property and expression of the mapping model fits two versions.
    fileprivate func isComplete(_ way: (from: KnownVersion, to: KnownVersion)) -> Bool {
        hasEntities(way) && (try? mappingModel(from: way.from, to: way.to)) != nil
    }
}
