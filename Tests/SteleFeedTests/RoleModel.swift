// A model with rules that lead everywhere, for random roles.

import SteleModel
import TestSupport

/// Owners have nodes, items and tags; items have nodes, tags and one another.
enum RoleModel {
    static let json = """
        {"name": "Holdings", "entities": [
            {"name": "Owner", "attributes": [
                {"name": "name", "type": "String"}, {"name": "code", "type": "Integer 32"}],
             "relationships": [
                {"name": "nodes", "destination": "Node", "inverse": "owner", "toMany": true},
                {"name": "items", "destination": "Item", "inverse": "owner", "toMany": true},
                {"name": "tags", "destination": "Tag", "inverse": "holder", "toMany": true},
                {"name": "guarded", "destination": "Special", "inverse": "guard",
                 "toMany": true},
                {"name": "boss", "destination": "Owner", "inverse": "staff"},
                {"name": "staff", "destination": "Owner", "inverse": "boss", "toMany": true}]},
            {"name": "Node", "attributes": [
                {"name": "name", "type": "String"}, {"name": "code", "type": "Integer 32"}],
             "relationships": [
                {"name": "owner", "destination": "Owner", "inverse": "nodes"},
                {"name": "items", "destination": "Item", "inverse": "node", "toMany": true},
                {"name": "lead", "destination": "Item", "inverse": "leadOf"},
                {"name": "parent", "destination": "Node", "inverse": "children"},
                {"name": "children", "destination": "Node", "inverse": "parent",
                 "toMany": true, "ordered": true}]},
            {"name": "Item", "attributes": [
                {"name": "name", "type": "String"}, {"name": "code", "type": "Integer 32"}],
             "relationships": [
                {"name": "owner", "destination": "Owner", "inverse": "items"},
                {"name": "node", "destination": "Node", "inverse": "items"},
                {"name": "leadOf", "destination": "Node", "inverse": "lead"},
                {"name": "tags", "destination": "Tag", "inverse": "items", "toMany": true},
                {"name": "parent", "destination": "Item", "inverse": "children"},
                {"name": "children", "destination": "Item", "inverse": "parent",
                 "toMany": true, "deleteRule": "Cascade"}]},
            {"name": "Special", "parent": "Item",
             "attributes": [{"name": "grade", "type": "Integer 16"}],
             "relationships": [
                {"name": "guard", "destination": "Owner", "inverse": "guarded"}]},
            {"name": "Tag", "attributes": [
                {"name": "name", "type": "String"}, {"name": "code", "type": "Integer 32"}],
             "relationships": [
                {"name": "holder", "destination": "Owner", "inverse": "tags"},
                {"name": "items", "destination": "Item", "inverse": "tags",
                 "toMany": true}]}]}
        """

    /// What a role may read of an entity: one of these, as JSON; nil for no right.
    static let rules: [String: [String?]] = [
        "Owner": [
            nil, nil, "true", "code < 5", "code != 7", "name == $USER", "ANY nodes.code > 4",
            "SUBQUERY(items, $i, $i.code > 3).@count > 0", "boss.name == 'x'",
            "tags.@count > 0", "NONE items.tags.name == 'a'",
            "ANY (items UNION staff.items).code > 5",
        ],
        "Node": [
            nil, "true", "owner.code < 5", "owner.name == $USER", "owner == nil OR code < 4",
            "ANY items.tags.name == 'a'", "lead.code != 3",
            "SUBQUERY(children, $c, $c.owner.code < 5).@count == 0",
            "parent.owner.code > 2 OR code > 5", "name MATCHES '[xy]'", "items.@sum.code > 6",
            "children[FIRST].code != 3",
        ],
        "Item": [
            nil, "true", "ANY tags.holder.name == 'x'", "node.owner.code < 5",
            "tags.@count < 2", "parent == nil OR parent.code < 5", "code != 3",
            "SUBQUERY(tags, $t, $t.holder.code > 3 OR $t.name == 'a').@count > 0",
            "NONE children.code > 6", "owner.name == $USER",
            "owner.boss.code > 2 OR leadOf != nil", "children.@max.code > 4 OR code < 4",
            "(tags UNION parent.tags).@count > 1",
        ],
        "Special": [
            "inherited", "inherited", nil, "true", "node.code < 5", "ANY tags.name == 'b'",
            "SUBQUERY(children, $c, ANY $c.tags.name == 'a').@count == 0",
        ],
        "Tag": [
            nil, "true", "true", "holder.code < 5", "ANY items.code > 4", "items.@count > 0",
            "name == 'a'", "holder.boss.name == 'x'", "holder.nodes.@count > 0",
            "holder._version > 2",
        ],
    ]

    static let paths: [String: [String]] = [
        "Owner": ["nodes", "items", "tags", "boss", "staff", "guarded"],
        "Node": ["owner", "items", "lead", "parent", "children"],
        "Item": ["owner", "node", "leadOf", "tags", "parent", "children", "guard"],
        "Tag": ["holder", "items"],
    ]

    static let destinations = [
        "nodes": "Node", "items": "Item", "tags": "Tag", "guarded": "Item", "boss": "Owner",
        "staff": "Owner", "owner": "Owner", "node": "Node", "lead": "Item", "leadOf": "Node",
        "holder": "Owner", "guard": "Owner",
    ]

    static func model() throws -> Model { try RightsModel.model(json) }
}
