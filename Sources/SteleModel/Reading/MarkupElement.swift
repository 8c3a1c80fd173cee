/// An XML element of a `contents` file or a property list.
struct MarkupElement {
    var name: String
    /// The attributes, in document order.
    var attributes: [(name: String, value: String)] = []
    var children: [MarkupElement] = []
    /// The text directly inside the element.
    var text = ""
    /// The line of its start tag, from 1.
    var line = 0

    /// The first child of that name; nil if there is none.
    func child(_ name: String) -> MarkupElement? { children.first { $0.name == name } }
}
