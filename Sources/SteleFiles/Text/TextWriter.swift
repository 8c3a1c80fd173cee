import SteleJSON
import SteleModel
import StelePersistence

/// Writes the objects of a store as lines of text.
struct TextWriter {
    /// The beginning of the first line.
    static let title = "#stele text 1\n"

    private let model: Model
    private var out: [UInt8] = []

    init(_ model: Model) { self.model = model }

    mutating func write(_ contents: StoreContents) throws(StoreError) -> [UInt8] {
        text(Self.title)
        if let identifier = contents.identifier { text("#uuid|\(identifier)\n") }
        if let metadata = contents.metadata {
            text("#metadata|")
            base64(metadata)
            text("\n")
        }
        for (root, key) in contents.nextKeys.sorted(by: { $0.key < $1.key }) where key > 1 {
            text("#next|\(model.entities[root].name)|\(key)\n")
        }
        text("#objects|\(contents.objects.count)\n")
        for object in contents.objects { try write(object) }
        return out
    }

    private mutating func write(_ object: StoredObject) throws(StoreError) {
        let row = object.snapshot
        let entity = model.entities[row.entity]
        text("\(entity.name)|\(row.key)")
        if row.version != 1 { text("|_version=\(row.version)") }
        for (property, value) in zip(entity.slots, row.values) where !value.isNull {
            text("|\(property.name)=")
            switch (property, value) {
            case (_, .data(let bytes)): base64(bytes)
            case (_, .key(let key)): text(String(key))
            case (.attribute(let it), _): escaped(try value.fileText(of: it, row.key))
            default: break
            }
        }
        for (toMany, keys) in zip(entity.toManys, object.toManys) where !keys.isEmpty {
            text("|\(toMany.name)=")
            for (place, key) in keys.enumerated() { text(place == 0 ? "\(key)" : ",\(key)") }
        }
        text("\n")
    }

    private mutating func text(_ text: String) { out.append(contentsOf: text.utf8) }

    private mutating func base64(_ bytes: [UInt8]) {
        var writer = ByteWriter(capacity: bytes.count / 3 * 4 + 4)
        writer.base64(bytes, quoted: false)
        out.append(contentsOf: writer.bytes)
    }

    private mutating func escaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): self.text("\\n")
            case UInt8(ascii: "\r"): self.text("\\r")
            case UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: "="), UInt8(ascii: ","):
                out.append(UInt8(ascii: "\\"))
                out.append(byte)
            default: out.append(byte)
            }
        }
    }
}
