// Models to generate for, and stores to use what was generated on.

import Foundation
import SteleCodegen
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

/// The models that Stele ships, and the drawing of the tests.
enum Sample: String, CaseIterable, Sendable {
    case BasicApplication, Catalog, Counter, Drawing, League, LeagueManager, Movies, OrgChart
    case Recipes, Shapes, Stash, Tasks, World

    /// The model with all its versions.
    func file() throws -> ModelFile {
        try ModelFile.read(self == .Drawing ? drawingPath : samplePath(rawValue))
    }

    func model() throws -> Model { try file().model() }
}

/// A model from its JSON form.
func model(json: String, name: String = "Test") throws -> Model {
    try Model(ManagedObjectModel(json: Array(json.utf8), name: name))
}

/// All that is generated for a model, as `stele model swift` prints it.
func code(_ file: ModelFile) throws -> String {
    try SwiftGenerator(file).combined().text
}

/// All that is generated for a model with one version.
func code(_ model: Model) throws -> String { try code(ModelFile(model.declaration)) }

/// What a generated property consists of: its lines from the one that has the text on.
func lines(_ count: Int, from text: String, in code: String) -> [String] {
    let all = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = all.firstIndex(where: { $0.contains(text) }) else { return [] }
    return all[first..<min(first + count, all.count)].map {
        $0.trimmingCharacters(in: .whitespaces)
    }
}

/// A coordinator with a model's classes, on a store of its own.
final class Ground: GraphFixture {
    let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder

    init(_ sample: Sample, _ type: (some TypedModel).Type, _ kind: StoreKind) throws {
        folder = try TemporaryFolder()
        coordinator = try type.coordinator(store: kind.open(sample.model(), at: folder.store))
    }

    deinit { coordinator.store.close() }
}
