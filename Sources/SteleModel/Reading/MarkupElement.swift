/// One element of an XML text, with what stands in it.

/// A parsed XML element: what a `contents` file and a property list are made of.
struct MarkupElement {
    var name: String
    /// The attributes in the order written.
    var attributes: [(name: String, value: String)] = []
    var children: [MarkupElement] = []
    /// The text directly within it, all pieces joined.
    var text = ""
    /// Where it begins, from 1.
    var line = 0

    init(name: String) { self.name = name }

    /// The first child of that name.
    func child(_ name: String) -> MarkupElement? { children.first { $0.name == name } }
}
