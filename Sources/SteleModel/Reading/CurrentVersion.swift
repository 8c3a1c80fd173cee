/// Reads an `.xccurrentversion` property list, which names a model's current version.
enum CurrentVersion {
    static let fileName = ".xccurrentversion"
    private static let key = "_XCCurrentVersionName"

    /// The name in the property list, without `.xcdatamodel`; nil if there is none.
    ///
    /// - Throws: `ModelErrors` if the file is not an XML property list.
    static func name(in bytes: [UInt8], place: String) throws(ModelErrors) -> String? {
        let root = try MarkupParser.parse(bytes, place: place)
        guard root.name == "plist" else {
            throw ModelErrors(
                place, "it is not a property list: its root element is <\(root.name)>",
                hint: "delete it, or choose the current version in the model editor again")
        }
        guard let entries = root.child("dict")?.children else { return nil }
        for (key, value) in zip(entries, entries.dropFirst())
        where key.name == "key" && key.text == Self.key && value.name == "string" {
            let name = ModelPath.name(value.text)
            return name.isEmpty ? nil : name
        }
        return nil
    }
}
