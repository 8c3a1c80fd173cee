import Foundation
import SteleCrypto
import SteleModel
import SteleModelFiles

/// Accounts with documents and comments, some of them public.
package enum RightsModel {
    package static let json = """
        {"name": "Papers", "entities": [
            {"name": "Account", "attributes": [{"name": "login", "type": "String"}],
             "uniquenessConstraints": [["login"]],
             "relationships": [
                {"name": "documents", "destination": "Document", "inverse": "owner", "toMany": true},
                {"name": "comments", "destination": "Comment", "inverse": "author",
                 "toMany": true}]},
            {"name": "Document", "attributes": [
                {"name": "title", "type": "String"}, {"name": "pages", "type": "Integer 32"},
                {"name": "isPublic", "type": "Boolean", "default": false},
                {"name": "scan", "type": "Binary"}],
             "uniquenessConstraints": [["title"]],
             "relationships": [
                {"name": "owner", "destination": "Account", "inverse": "documents"},
                {"name": "comments", "destination": "Comment", "inverse": "document",
                 "toMany": true, "ordered": true, "deleteRule": "Cascade"},
                {"name": "tags", "destination": "Tag", "inverse": "documents", "toMany": true},
                {"name": "folder", "destination": "Folder", "inverse": "documents"},
                {"name": "source", "destination": "Document", "inverse": "copies"},
                {"name": "copies", "destination": "Document", "inverse": "source",
                 "toMany": true}],
             "fetchedProperties": [
                {"name": "longer", "fetchRequest": {
                    "entity": "Document", "predicate": "pages > $FETCH_SOURCE.pages"}}]},
            {"name": "Report", "parent": "Document",
             "attributes": [{"name": "year", "type": "Integer 16"}]},
            {"name": "Comment", "attributes": [{"name": "text", "type": "String"}],
             "relationships": [
                {"name": "document", "destination": "Document", "inverse": "comments"},
                {"name": "author", "destination": "Account", "inverse": "comments"}]},
            {"name": "Tag", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "documents", "destination": "Document", "inverse": "tags",
                 "toMany": true}]},
            {"name": "Folder", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "documents", "destination": "Document", "inverse": "folder",
                 "toMany": true}]}],
         "fetchRequests": [
            {"name": "long", "entity": "Document", "predicate": "pages >= 20"}]}
        """

    package static let rights = """
        {"roles": {
            "member": {
                "Account": {"read": true},
                "Document": {
                    "read": "owner.login == $USER OR isPublic == YES",
                    "create": "owner.login == $USER", "update": "owner.login == $USER",
                    "delete": "owner.login == $USER"},
                "Comment": {
                    "read": "document.owner.login == $USER OR document.isPublic == YES",
                    "create": "author.login == $USER", "update": "author.login == $USER"},
                "Tag": {"read": true}},
            "guest": {"Document": {"read": "isPublic == YES"}, "*": {"read": "1 == 2"}},
            "clerk": {"Folder": {"read": true, "create": true, "update": true, "delete": true},
                "*": {"read": true}},
            "press": {"Document": {"read": "isPublic == YES"}, "Report": {"read": true}}},
         "anonymous": "guest",
         "tokens": [
            {"name": "ann", "role": "member", "sha256": "\(hash("ann"))"},
            {"name": "bob's phone", "role": "member", "user": "bob", "sha256": "\(hash("bob"))"},
            {"name": "clerk", "role": "clerk", "sha256": "\(hash("clerk"))"},
            {"name": "press", "role": "press", "sha256": "\(hash("press"))"},
            {"name": "root", "role": "all", "sha256": "\(hash("root"))"}]}
        """

    /// One role for ann, and root.
    package static func rights(role: String) -> String {
        """
        {"roles": {"one": \(role)}, "tokens": [
            {"name": "ann", "role": "one", "sha256": "\(hash("ann"))"},
            {"name": "root", "role": "all", "sha256": "\(hash("root"))"}]}
        """
    }

    /// Roles, and for each a token with its name, which is the user's also, and root.
    package static func rights(roles: [(name: String, entities: String)]) -> String {
        let texts = roles.map { "\"\($0.name)\": \($0.entities)" }
        let tokens = (roles.map { ($0.name, $0.name) } + [("root", "all")]).map { name, role in
            #"{"name": "\#(name)", "role": "\#(role)", "sha256": "\#(hash(name))"}"#
        }
        return """
            {"roles": {\(texts.joined(separator: ", "))},
             "tokens": [\(tokens.joined(separator: ", "))]}
            """
    }

    package static let data = """
        [{"op":"insert","entity":"Account","as":"ann","values":{"login":"ann"}},
         {"op":"insert","entity":"Account","as":"bob","values":{"login":"bob"}},
         {"op":"insert","entity":"Tag","as":"red","values":{"name":"red"}},
         {"op":"insert","entity":"Tag","as":"blue","values":{"name":"blue"}},
         {"op":"insert","entity":"Folder","as":"f","values":{"name":"vault"}},
         {"op":"insert","entity":"Document","as":"d1","values":{"title":"a1","pages":10,
            "owner":{"_ref":"ann"},"folder":{"_ref":"f"},"tags":[{"_ref":"red"}]}},
         {"op":"insert","entity":"Document","as":"d2","values":{"title":"b2","pages":20,
            "owner":{"_ref":"bob"},"folder":{"_ref":"f"},
            "tags":[{"_ref":"red"},{"_ref":"blue"}]}},
         {"op":"insert","entity":"Document","as":"d3","values":{"title":"b3","pages":30,
            "isPublic":true,"owner":{"_ref":"bob"},"source":{"_ref":"d2"},
            "tags":[{"_ref":"red"}]}},
         {"op":"insert","entity":"Document","as":"d4","values":{"title":"a4","pages":40,
            "isPublic":true,"owner":{"_ref":"ann"},"source":{"_ref":"d1"}}},
         {"op":"insert","entity":"Report","as":"r5","values":{"title":"b5","pages":50,
            "year":2026,"owner":{"_ref":"bob"}}},
         {"op":"insert","entity":"Comment","values":{"text":"c1","document":{"_ref":"d1"},
            "author":{"_ref":"ann"}}},
         {"op":"insert","entity":"Comment","values":{"text":"c2","document":{"_ref":"d2"},
            "author":{"_ref":"bob"}}},
         {"op":"insert","entity":"Comment","values":{"text":"c3","document":{"_ref":"d3"},
            "author":{"_ref":"ann"}}},
         {"op":"insert","entity":"Comment","values":{"text":"c4","document":{"_ref":"d3"},
            "author":{"_ref":"bob"}}}]
        """

    private static func hash(_ token: String) -> String {
        Digest.sha256("token-\(token)".utf8).map { String(format: "%02x", $0) }.joined()
    }

    package static func model(_ json: String = json) throws -> Model {
        let folder = try TemporaryFolder()
        return try ModelFile.read(folder.write(json, to: "Papers.json")).model()
    }
}
