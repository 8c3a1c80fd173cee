// Models to generate for, and stores to use what was generated on.

import Foundation
import SteleCodegen
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import Testing

let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

/// The models that Stele ships.
enum Sample: String, CaseIterable, Sendable {
    case Catalog, League, Movies, OrgChart, Recipes, Shapes, Stash, Tasks, World

    func model() throws -> Model {
        try ModelFile.read(
            packageRoot.appendingPathComponent("Config/Models/\(rawValue).xcdatamodeld").path
        ).model()
    }
}

func text(_ path: String) throws -> String {
    try String(contentsOf: packageRoot.appendingPathComponent(path), encoding: .utf8)
}

/// A model from its JSON form.
func model(json: String, name: String = "Test") throws -> Model {
    try Model(ManagedObjectModel(json: Array(json.utf8), name: name))
}

/// All that is generated for a model, as `stele model swift` prints it.
func code(_ model: Model) throws -> String {
    try SwiftGenerator(model).files().map(\.text).joined(separator: "\n")
}

/// What a generated property consists of: its lines from the one that has the text on.
func lines(_ count: Int, from text: String, in code: String) -> [String] {
    let all = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = all.firstIndex(where: { $0.contains(text) }) else { return [] }
    return all[first..<min(first + count, all.count)].map {
        $0.trimmingCharacters(in: .whitespaces)
    }
}

/// A folder of its own, gone with the last who has it.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("stele-codegen-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The stores whose objects generated classes must fit.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite
}

/// A coordinator with a model's classes, on a store of its own.
final class Ground {
    let coordinator: PersistentStoreCoordinator
    private let folder = try? Folder()

    init(_ sample: Sample, _ type: (some TypedModel).Type, _ kind: StoreKind) throws {
        let model = try sample.model()
        let path = try #require(folder).url.appendingPathComponent("store.sqlite").path
        let store: any PersistentStore =
            switch kind {
            case .memory: InMemoryStore(model: model)
            case .sqlite: try SQLiteStore.open(path: path, model: model)
            }
        coordinator = try type.coordinator(store: store)
    }

    deinit { coordinator.store.close() }

    func context() -> ManagedObjectContext { ManagedObjectContext(coordinator) }
}
