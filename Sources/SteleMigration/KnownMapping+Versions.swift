/// Which of the known versions a mapping model is for.

import SteleModel

extension KnownMapping {
    /// The same mapping model, with the versions that its file shows it to be for.
    ///
    /// A version may have been renamed since the file was made, so that what the file knows of the
    /// entities decides: their version hashes, or the copies of both models in a file of Xcode. Of
    /// several versions with the same entities it is the one that the file names.
    func identified(among versions: [KnownVersion]) -> KnownMapping {
        var mapping = self
        if let source = identified(\.sourceEntityName, \.sourceEntityVersionHash, versions),
            let destination = identified(
                \.destinationEntityName, \.destinationEntityVersionHash, versions)
        {
            (mapping.sources, mapping.destinations) = (source, destination)
            return mapping
        }
        let source = identified(sourceShape, sourceName, versions)
        let destination = identified(destinationShape, destinationName, versions)
        // Copies of one version were made before the destination was changed.
        if source != destination {
            (mapping.sources, mapping.destinations) = (source, destination)
        }
        return mapping
    }

    /// The names of the versions with the hashes of all entities; nil for none, and for a mapping
    /// model without hashes.
    private func identified(
        _ name: KeyPath<EntityMapping, String?>, _ hash: KeyPath<EntityMapping, [UInt8]?>,
        _ versions: [KnownVersion]
    ) -> Set<String>? {
        let entities = mappingModel.entityMappings.compactMap { mapping in
            mapping[keyPath: name].flatMap { name in
                mapping[keyPath: hash].map { (name: name, hash: $0) }
            }
        }
        let found = versions.filter { version in
            entities.allSatisfy { version.hasHash($0.hash, of: $0.name) }
        }
        return entities.isEmpty || found.isEmpty ? nil : Set(found.map(\.name))
    }

    private func identified(
        _ shape: ModelShape?, _ name: String?, _ versions: [KnownVersion]
    ) -> Set<String>? {
        guard let shape else { return nil }
        let found = versions.filter { ModelShape($0.model) == shape }.map(\.name)
        if let name, found.contains(name) { return [name] }
        return found.isEmpty ? nil : Set(found)
    }

    /// Whether it has version hashes, as the compiled form has.
    var isCompiled: Bool {
        mappingModel.entityMappings.contains {
            $0.sourceEntityVersionHash != nil || $0.destinationEntityVersionHash != nil
        }
    }

    /// Why a mapping model whose hashes are Core Data's does not lead from one version to another
    /// whose hashes of Core Data are not known; empty if it does.
    ///
    /// Xcode writes a mapping for each property of the destination, so that these are its shape.
    func misfits(from source: KnownVersion, to destination: KnownVersion) -> [String] {
        let unmapped = mappingModel.entityMappings.flatMap { mapping -> [String] in
            guard let name = mapping.destinationEntityName,
                let entity = destination.model.entity(named: name)
            else { return [] }
            let mapped = Set(
                (mapping.attributeMappings + mapping.relationshipMappings).map(\.name))
            return entity.storedNames.filter { !mapped.contains($0) }.map { "\(name).\($0)" }
        }
        if !unmapped.isEmpty {
            return ["it does not map \(unmapped.joined(separator: ", ")) of \(destination.name)"]
        }
        do {
            _ = try mappingModel(from: source, to: destination)
            return []
        } catch { return error.reasons }
    }
}

extension KnownVersion {
    /// Whether an entity has a version hash, either of Stele's or of Core Data's.
    func hasHash(_ hash: [UInt8], of name: String) -> Bool {
        hashes[name] == hash || publishedHashes?[name] == hash
    }
}
