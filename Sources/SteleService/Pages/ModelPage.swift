/// `GET /model`: the model as its file says it, as JSON and as Xcode's XML.

import SteleJSON
import SteleModel

enum ModelPage {
    /// The model as JSON; reading it again gives the same model.
    static func json(_ model: Model) -> [UInt8] {
        var writer = ByteWriter(capacity: 8192)
        model.declaration.json().writePretty(to: &writer)
        writer.byte(UInt8(ascii: "\n"))
        return writer.take()
    }

    /// The `contents` of the model's `.xcdatamodel`.
    static func xml(_ model: Model) -> [UInt8] { model.declaration.xml() }
}
