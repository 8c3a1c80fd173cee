/// Property lists in files of their own.

extension PropertyList {
    /// Reads a property list in its binary form or in XML.
    ///
    /// - Throws: `ModelErrors` for bytes that are neither.
    package static func read(_ bytes: [UInt8], place: String) throws(ModelErrors) -> PropertyList {
        if bytes.starts(with: "bplist".utf8) {
            do { return try BinaryPropertyListReader.read(bytes) } catch {
                throw ModelErrors(place, "it is not a valid binary property list")
            }
        }
        let root = try MarkupParser.parse(bytes, place: place)
        guard root.name == "plist", let value = root.children.first else {
            throw ModelErrors(
                place, "it is not a property list: its root element is <\(root.name)>")
        }
        do { return try PropertyList(value) } catch {
            throw ModelErrors(place, "it is not a valid property list: \(error.message)")
        }
    }
}

extension PropertyList {
    /// The text of an XML file with this value.
    ///
    /// - Throws: `MarkupError` for a value that XML cannot hold.
    package func xmlFile() throws(MarkupError) -> [UInt8] {
        var writer = MarkupWriter(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC "
                + "\"-//Apple//DTD PLIST 1.0//EN\" "
                + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n")
        writer.open("plist", .init(("version", "1.0")))
        try write(to: &writer)
        writer.close("plist")
        return writer.take()
    }
}
