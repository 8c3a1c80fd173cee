/// Which of a model's versions is the current one: the `.xccurrentversion` property list.

/// The one key of an `.xccurrentversion`.
enum CurrentVersion {
    static let fileName = ".xccurrentversion"
    private static let key = "_XCCurrentVersionName"

    /// The name that the property list gives, without `.xcdatamodel`; nil where it gives none.
    ///
    /// - Throws: `ModelError` where the file is not an XML property list.
    static func name(in bytes: [UInt8], place: String) throws(ModelError) -> String? {
        let root = try MarkupParser.parse(bytes, place: place)
        guard root.name == "plist" else {
            throw ModelError(
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
