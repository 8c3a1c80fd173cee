import struct FoundationEssentials.URL
import SteleModel
import SteleModelFiles

/// The mapping models for the stores of a model: those that the user named, those that were found,
/// and why others cannot be read.
package struct FoundMappings: Sendable {
    /// Those that the user named, which are taken before others.
    package var given: [MappingFile] = []
    /// Those in the program or in the folders about the model.
    package var found: [MappingFile] = []
    /// Why others there cannot be read.
    package var unreadable: [ModelErrors] = []

    /// No mapping models.
    package init() {}

    /// Reads one that was found.
    package mutating func add(_ read: () throws(ModelErrors) -> MappingFile) {
        do { found.append(try read()) } catch { unreadable.append(error) }
    }

    /// Leaves out of those that were found the files that the user named as well.
    package mutating func removeRepeated() {
        func real(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
        let named = Set(given.map { real($0.path) })
        found.removeAll { named.contains(real($0.path)) }
    }

    /// Finds the way for a store, as `MigrationPlan`.
    ///
    /// A file that cannot be read could be the mapping model of a step that is inferred. That
    /// matters where inference removes something, or finds no way. Otherwise it is a line of the
    /// plan.
    /// - Throws: `MigrationError`; `ModelErrors` for a file that cannot be read and matters.
    package func plan(
        storeHashes: [String: [UInt8]], versions: KnownVersions
    ) throws -> MigrationPlan {
        let mappings =
            given.map { file in
                var mapping = KnownMapping(file)
                mapping.isGiven = true
                return mapping
            } + found.map(KnownMapping.init)
        var plan: MigrationPlan
        do {
            plan = try MigrationPlan(
                storeHashes: storeHashes, versions: versions, mappings: mappings)
        } catch {
            throw withUnreadable(error)
        }
        if let mistake = unreadable.first,
            plan.steps.contains(where: { $0.kind == .inferred && $0.removes })
        {
            throw mistake
        }
        if !plan.isEmpty {
            plan.unusedMappings += unreadable.map { "\($0.description); it is not used" }
        }
        return plan
    }

    /// The error of a plan, with the files that could have been the missing mapping model.
    private func withUnreadable(_ error: MigrationError) -> MigrationError {
        guard error.code == .missingMappingModel || error.code == .inferredMappingModel else {
            return error
        }
        var error = error
        error.reasons += unreadable.map(\.description)
        return error
    }
}

extension MappingSearch {
    /// Reads the mapping models that are there.
    /// - Throws: `ModelErrors` for a folder that cannot be listed.
    package func mappings() throws(ModelErrors) -> FoundMappings {
        var mappings = FoundMappings()
        for file in try files() {
            if file.isCertain {
                mappings.add { () throws(ModelErrors) in try MappingFile.read(file.path) }
            } else if let read = try? MappingFile.read(file.path) {
                mappings.found.append(read)
            }
        }
        return mappings
    }

    /// Reads the mapping models that a path names: one, or those in a folder and the folders below.
    /// - Throws: `ModelErrors` for a path that has none, and for a file that cannot be read.
    package static func mappings(named path: String) throws(ModelErrors) -> [MappingFile] {
        var files: [MappingFile] = []
        for file in try self.files(named: path) { files.append(try MappingFile.read(file)) }
        return files
    }
}
