/// Reads an `.xccurrentversion` property list, which names a model's current version.
package enum CurrentVersion {
    /// The name of the file.
    package static let fileName = ".xccurrentversion"
    /// The key of the current version's file name.
    package static let key = "_XCCurrentVersionName"

    /// The name in the property list, such as `Shop 2.xcdatamodel`; nil if there is none.
    ///
    /// - Throws: `ModelErrors` if the file is not an XML property list.
    package static func name(in bytes: [UInt8], place: String) throws(ModelErrors) -> String? {
        let root = try MarkupParser.parse(bytes, place: place)
        guard root.name == "plist" else {
            throw ModelErrors(
                place, "it is not a property list: its root element is <\(root.name)>",
                hint: "delete it, or choose the current version in the model editor again")
        }
        guard let entries = root.child("dict")?.children else { return nil }
        for (key, value) in zip(entries, entries.dropFirst())
        where key.name == "key" && key.text == Self.key && value.name == "string" {
            return value.text.isEmpty ? nil : value.text
        }
        return nil
    }
}
