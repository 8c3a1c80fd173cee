/// `GET /model`: the model as the file says it, as JSON and as Xcode's XML.

import SteleModel

enum ModelPage {
    /// The model as JSON.
    static func json(_ model: Model) -> [UInt8] { Array("{}".utf8) }

    /// The contents of the model's `.xcdatamodel`.
    static func xml(_ model: Model) -> [UInt8] { Array("<model/>".utf8) }
}
