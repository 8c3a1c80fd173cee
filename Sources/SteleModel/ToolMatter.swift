/// What model files have for the editor that made them.

/// A declaration that keeps what only the editor of a model file reads. It is written back and has
/// no effect.
protocol ToolMatter {
    /// The attributes of its element that have no effect.
    var toolAttributes: [UserInfoEntry] { get set }
    /// The elements inside it that have no effect.
    var toolElements: [ToolElement] { get set }
}

/// An element of a model file that only the editor reads, such as `elements`, the layout of its
/// diagram.
public struct ToolElement: Sendable, Hashable {
    /// The element's name.
    public var name: String
    /// Its attributes, in the file's order.
    public var attributes: [UserInfoEntry] = []
    /// Its text, unless that is blank.
    public var text = ""
    /// The elements inside.
    public var elements: [ToolElement] = []

    /// Creates an empty element.
    public init(name: String) { self.name = name }
}

extension ManagedObjectModel: ToolMatter {}
extension EntityDescription: ToolMatter {}
extension AttributeDescription: ToolMatter {}
extension RelationshipDescription: ToolMatter {}
extension FetchedPropertyDescription: ToolMatter {}
extension FetchRequestTemplate: ToolMatter {}
extension FetchIndexDescription: ToolMatter {}
extension FetchIndexDescription.Element: ToolMatter {}
extension CompositeDescription: ToolMatter {}
extension ConfigurationDescription: ToolMatter {}
