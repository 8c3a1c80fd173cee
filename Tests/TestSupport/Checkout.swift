// Files of the checkout, and of the shared data that may lie beside it.

import FoundationEssentials
import SteleModel
import SteleModelFiles

/// The folder of the package.
package let packageRoot = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

/// The folder of the shared data: STELE_SHARED, or `../shared`; nil where there is none.
package let sharedFolder: URL? = {
    let folder =
        ProcessInfo.processInfo.environment["STELE_SHARED"].map { URL(filePath: $0) }
        ?? packageRoot.deletingLastPathComponent().appending(path: "shared")
    let data = folder.appending(path: "data").path
    return FileManager.default.fileExists(atPath: data) ? folder : nil
}()

/// The text of a file of the package.
package func packageText(_ path: String) throws -> String {
    try String(contentsOf: packageRoot.appending(path: path), encoding: .utf8)
}

/// The path of a model in `Config/Models`.
package func samplePath(_ name: String) -> String {
    packageRoot.appending(path: "Config/Models/\(name).xcdatamodeld").path
}

/// A model of `Config/Models`.
package func sampleModel(_ name: String) throws -> Model {
    try ModelFile.read(samplePath(name)).model()
}

/// The path of the model of a drawing program: a canvas with ordered shapes.
package let drawingPath = packageRoot.appending(path: "Tests/Models/Drawing.xcdatamodeld").path

/// The model of a drawing program.
package func drawingModel() throws -> Model { try ModelFile.read(drawingPath).model() }
