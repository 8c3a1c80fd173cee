/// Finds the way between two versions.

import SteleModel

/// A search for the shortest way from one version to another through the versions between, in
/// their order or against it.
struct Planner {
    private let versions: [KnownVersion]
    private let mappings: [KnownMapping]
    private var inferences: [Edge: Result<MappingModel, MigrationError>] = [:]

    /// A step from one version to another, by index.
    private struct Edge: Hashable {
        var from: Int
        var to: Int
    }

    init(_ versions: [KnownVersion], _ mappings: [KnownMapping]) {
        self.versions = versions
        self.mappings = mappings
    }

    /// The steps; empty if both versions have the same hashes.
    /// - Parameter isFormer: whether the store has the hashes that an earlier version of Stele
    ///   computed of the source, which no other version has.
    mutating func steps(
        from source: Int, to destination: Int, isFormer: Bool
    ) throws(MigrationError) -> [MigrationPlan.Step] {
        if source == destination { return [] }
        if !isFormer, versions[source].hashes == versions[destination].hashes { return [] }
        let path = Array(
            stride(from: source, through: destination, by: source < destination ? 1 : -1))
        if let direct = try step(path[...]) { return [direct] }
        if let way = try shortest(path) { return way }
        // The place of the store's own model among the versions is an estimate, so that what seems
        // to lie between does not rule a direct step out.
        if versions[source].isCached, case .success(let mapping) = inference(source, destination) {
            return [inferredStep(source, destination, mapping)]
        }
        throw failure(path)
    }

    /// The shortest way along a path; nil if there is none. Of several shortest ways it is the one
    /// whose first steps are the longest.
    private mutating func shortest(
        _ path: [Int]
    ) throws(MigrationError) -> [MigrationPlan.Step]? {
        // The best way from each place on the path to its end, found from the end.
        var ways = [[MigrationPlan.Step]?](repeating: nil, count: path.count)
        ways[path.count - 1] = []
        for begin in path.indices.dropLast().reversed() {
            for end in path.indices[(begin + 1)...].reversed() {
                guard let rest = ways[end], rest.count + 1 < ways[begin]?.count ?? .max,
                    let step = try step(path[begin...end])
                else { continue }
                ways[begin] = [step] + rest
            }
        }
        return ways[0]
    }

    /// The step from the first to the last version of a part of the path. An inferred one skips
    /// neither a mapping model nor a rename of the versions between.
    private mutating func step(
        _ part: ArraySlice<Int>
    ) throws(MigrationError) -> MigrationPlan.Step? {
        guard let from = part.first, let to = part.last else { return nil }
        let (source, destination) = (versions[from], versions[to])
        var fitting = mappings.filter { $0.leads(from: source, to: destination) }
        if fitting.contains(where: \.isGiven) { fitting.removeAll { !$0.isGiven } }
        if fitting.count > 1 { fitting = distinct(fitting, from: source, to: destination) }
        guard fitting.count < 2 else {
            throw MigrationError(
                .missingMappingModel,
                "several mapping models lead from \(source.name) to \(destination.name)",
                reasons: fitting.map(\.name),
                hint: "remove all but one, give each the versions that it is for (from and to), or "
                    + "name the one that is meant (--mapping)")
        }
        if let known = fitting.first {
            return MigrationPlan.Step(
                source: source, destination: destination,
                mappingModel: try known.mappingModel(from: source, to: destination),
                kind: .mappingModel(known.name),
                isCertain: known.isGiven || !source.isCached || known.isIdentified(as: source))
        }
        guard case .success(let mapping) = inference(from, to) else { return nil }
        if !skippedMappings(part).isEmpty || skipsRename(part, mapping) { return nil }
        return inferredStep(from, to, mapping)
    }

    private func inferredStep(
        _ from: Int, _ to: Int, _ mapping: MappingModel
    ) -> MigrationPlan.Step {
        MigrationPlan.Step(
            source: versions[from], destination: versions[to], mappingModel: mapping,
            kind: .inferred)
    }

    private mutating func inference(
        _ from: Int, _ to: Int
    ) -> Result<MappingModel, MigrationError> {
        let edge = Edge(from: from, to: to)
        if let known = inferences[edge] { return known }
        let (source, destination) = (versions[from].model, versions[to].model)
        let result = Result { () throws(MigrationError) in
            try MappingModel.inferred(from: source, to: destination)
        }
        inferences[edge] = result
        return result
    }

    /// The mapping models without those in Xcode's form that a compiled one is made from.
    private func distinct(
        _ mappings: [KnownMapping], from source: KnownVersion, to destination: KnownVersion
    ) -> [KnownMapping] {
        func said(_ mapping: KnownMapping) -> MappingModel? {
            try? mapping.mappingModel(from: source, to: destination).withoutMarksOfItsForm
        }
        let compiled = mappings.filter(\.isCompiled).compactMap(said)
        return mappings.filter { mapping in
            mapping.isCompiled || !(said(mapping).map(compiled.contains) ?? false)
        }
    }

    /// The mapping models that lead between two versions of a part of the path. Their values would
    /// be lost.
    private func skippedMappings(_ part: ArraySlice<Int>) -> [KnownMapping] {
        mappings.filter { mapping in
            part.indices.contains { begin in
                part.indices[(begin + 1)...].contains { end in
                    mapping.leads(from: versions[part[begin]], to: versions[part[end]])
                }
            }
        }
    }

    /// Whether the inferred steps between take a value over that the direct one takes for an
    /// addition, because a renaming identifier names what only a version between has.
    private mutating func skipsRename(_ part: ArraySlice<Int>, _ direct: MappingModel) -> Bool {
        var between: [MappingModel] = []
        for (from, to) in zip(part, part.dropFirst()) {
            guard case .success(let mapping) = inference(from, to) else { return false }
            between.append(mapping)
        }
        let steps = between.map(\.origins)
        let known = direct.origins
        return steps.last?.keys.contains { place in
            guard known[place] == nil else { return false }
            var origin: MappingModel.Place? = place
            for step in steps.reversed() { origin = origin.flatMap { step[$0] } }
            return origin != nil
        } ?? false
    }

    private mutating func failure(_ path: [Int]) -> MigrationError {
        var reasons: [String] = []
        let edges = [(path[0], path[path.count - 1])] + Array(zip(path, path.dropFirst()))
        for (from, to) in edges {
            let way = "from \(versions[from].name) to \(versions[to].name): "
            guard case .failure(var error) = inference(from, to) else {
                guard from == path[0], to == path[path.count - 1] else { continue }
                reasons += skippedMappings(path[...]).map {
                    way + "inference would pass over the mapping model \($0.name)"
                }
                continue
            }
            if path.count == 2 {
                error.reasons += unused(edges)
                return error
            }
            reasons += error.reasons.map { way + $0 }
        }
        let (source, destination) = (versions[path[0]], versions[path[path.count - 1]])
        return MigrationError(
            .missingMappingModel,
            "there is no way from \(source.name) to \(destination.name), neither by mapping models "
                + "nor by inference", reasons: reasons + unused(edges),
            hint: "add a mapping model for one of these steps")
    }

    /// Why the mapping models that are there lead along none of some steps.
    private func unused(_ edges: [(Int, Int)]) -> [String] {
        mappings.filter { mapping in
            !edges.contains { mapping.leads(from: versions[$0], to: versions[$1]) }
        }.map { mapping in
            let (from, to) = edges[0]
            let reasons = mapping.mismatches(from: versions[from], to: versions[to])
            return "\(mapping.name) is for other versions: " + reasons.joined(separator: "; ")
        }
    }
}

extension MappingModel {
    /// An entity, or a property of it.
    struct Place: Hashable {
        var entity: String
        var property: String?
    }

    /// The same without what only the compiled form of Xcode's mapping models has: the version hashes,
    /// and the types that the source form leaves open.
    fileprivate var withoutMarksOfItsForm: MappingModel {
        MappingModel(
            entityMappings.map { mapping in
                var mapping = mapping
                mapping.sourceEntityVersionHash = nil
                mapping.destinationEntityVersionHash = nil
                if mapping.mappingType == .copy { mapping.mappingType = .undefined }
                return mapping
            })
    }

    /// For each entity and property of the destination that is not an addition the one that it was.
    var origins: [Place: Place] {
        var origins: [Place: Place] = [:]
        for mapping in entityMappings {
            guard let source = mapping.sourceEntityName,
                let destination = mapping.destinationEntityName
            else { continue }
            origins[Place(entity: destination)] = Place(entity: source)
            for property in mapping.attributeMappings + mapping.relationshipMappings {
                guard case .source(let name)? = property.value else { continue }
                origins[Place(entity: destination, property: property.name)] =
                    Place(entity: source, property: name)
            }
        }
        return origins
    }
}
