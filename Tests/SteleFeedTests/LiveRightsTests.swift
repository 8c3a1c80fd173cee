// What live queries show of objects that a role may not see, or may see no longer.

import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleFeed
@testable import SteleHTTP

@Suite struct LiveRightsTests {
    private static let data = """
        [{"op":"insert","entity":"Owner","as":"o1","values":{"name":"x","code":1}},
         {"op":"insert","entity":"Owner","as":"o2","values":{"name":"x","code":9}},
         {"op":"insert","entity":"Node","as":"n1","values":{"name":"n1","code":1,
            "owner":{"_ref":"o1"}}},
         {"op":"insert","entity":"Node","as":"n2","values":{"name":"n2","code":2,
            "owner":{"_ref":"o2"},"parent":{"_ref":"n1"}}},
         {"op":"insert","entity":"Tag","as":"t1","values":{"name":"t1","holder":{"_ref":"o1"}}},
         {"op":"insert","entity":"Tag","as":"t2","values":{"name":"t2","holder":{"_ref":"o2"}}},
         {"op":"insert","entity":"Item","as":"i1","values":{"name":"hidden","code":3,
            "node":{"_ref":"n1"},"tags":[{"_ref":"t1"}]}},
         {"op":"insert","entity":"Special","as":"i2","values":{"name":"shown","code":4,
            "node":{"_ref":"n2"},"tags":[{"_ref":"t1"},{"_ref":"t2"}],
            "parent":{"_ref":"i1"},"guard":{"_ref":"o1"}}}]
        """

    private func stage(_ kind: StoreKind, role: String) throws -> RightsStage {
        try RightsStage(
            kind, rights: RightsModel.rights(roles: [("ann", role)]), model: RoleModel.model(),
            data: Self.data)
    }

    /// The list as the role gets it.
    private func list(_ stage: RightsStage, _ address: String) throws -> JSONValue {
        // A list has no sections: those that are asked for are its order.
        let target = address.split(separator: "&").filter { !$0.hasPrefix("sectionBy=") }
            .joined(separator: "&")
        let response = stage.ask("ann", "GET", target)
        try #require(response.status == 200, "\(target): \(LiveStage.text(response))")
        return JSONValue(try JSONDocument(LiveStage.text(response)).root)
    }

    /// A rule over objects of objects decides which embedded objects, links and members are shown.
    @Test(
        arguments: [StoreKind.sqlite, .memory],
        [
            "/Tag?include=items.node", "/Tag?include=items", "/Tag?include=items.parent",
            "/Tag?select=name,items", "/Tag?select=name,items.name", "/Tag?include=items.children",
            "/Tag?select=name,items&include=items.node", "/Node?include=items",
            "/Node?include=parent.items.tags", "/Item", "/Item?include=parent", "/Tag/2/items",
            "/Node?select=name,items.@count", "/Node?select=name,items.@sum.code",
            "/Owner?include=guarded", "/Owner?include=tags.items.parent",
        ])
    func hiddenObjectsLeaveLiveRows(_ kind: StoreKind, _ target: String) throws {
        let stage = try stage(
            kind,
            role: """
                {"Tag": {"read": true}, "Node": {"read": true}, "Owner": {"read": true},
                 "Item": {"read": "ANY tags.holder.name == 'x' AND name != 'gone'"}}
                """)
        let listener = Listener(try stage.stream("ann", target))
        let first = try list(stage, target)
        #expect(try listener.wait { listener.objects() == first })
        let writes = [
            ("PATCH", "/Owner/1", #"{"name":"y"}"#), ("PATCH", "/Owner/2", #"{"name":"y"}"#),
            ("PATCH", "/Owner/1", #"{"name":"x"}"#),
            // A row's own change, which it does not show, and one of what it shows.
            (
                "POST", "/transactions",
                #"""
                [{"op":"update","object":"Node/1","values":{"code":7}},
                 {"op":"update","object":"Item/1","values":{"code":8}}]
                """#
            ),
            ("PATCH", "/Tag/1", #"{"holder":null}"#),
            ("PATCH", "/Tag/2", #"{"holder":1}"#), ("PATCH", "/Item/2", #"{"name":"gone"}"#),
        ]
        for (method, path, body) in writes {
            try stage.write(method, path, body)
            let wanted = try list(stage, target)
            #expect(
                try listener.wait { listener.objects() == wanted },
                "after \(path) \(body): \(listener.objects().compact), not \(wanted.compact)")
            // A new subscriber is not shown what was hidden before it came.
            let new = Listener(try stage.stream("ann", target))
            #expect(try new.wait { !new.names.isEmpty })
            #expect(new.names == ["snapshot"] && new.objects() == wanted, "after \(path) \(body)")
        }
    }

    /// A rule sees everything, also where the rows are columns.
    @Test(
        arguments: [StoreKind.sqlite, .memory],
        [
            "/Node?select=name,code", "/Node", "/Node?select=name,owner",
            "/Node?sort=name&sectionBy=name",
            "/Node?sort=-parent.name&sectionBy=parent.name", "/Node?select=name,children.@count",
            "/Node?select=name,parent.name&sort=-name", "/Node?select=n:count()",
            "/Node?groupBy=parent.name&select=parent.name,n:count()", "/Node?include=children",
            "/Node?select=name,children.name", "/Node?select=name&distinct=true",
            "/Item?select=name,node.name", "/Item?groupBy=node&select=node,n:count()",
        ])
    func rulesLeadOverHiddenObjects(_ kind: StoreKind, _ target: String) throws {
        let stage = try stage(
            kind,
            role: #"{"Node": {"read": "owner.code < 5"}, "Item": {"read": "node.owner.code > 0"}}"#)
        let single = Listener(try stage.stream("ann", target))
        let all = Listener(try stage.stream("ann", "/live?q.a=\(target.percentEncoded)&q.b=/Node"))
        var resumed: Listener?
        for code in [0, 2, 9, 3, 4] {
            if code > 0 { try stage.write("PATCH", "/Owner/2", "{\"code\":\(code)}") }
            let wanted = try list(stage, target)
            #expect(try single.wait { single.rows[""] != nil && single.objects() == wanted })
            #expect(try all.wait { all.rows["a"] != nil && all.objects("a") == wanted })
            if let before = resumed {
                let client = try stage.stream("ann", target, resuming: before.client.lastEventID)
                let back = Listener(client, before)
                #expect(try back.wait { back.objects() == wanted })
            }
            let new = Listener(try stage.stream("ann", target))
            #expect(try new.wait { !new.names.isEmpty })
            #expect(new.names == ["snapshot"] && new.objects() == wanted)
            resumed = new
        }
    }

    /// A name of a relationship would tell that a hidden object has changed.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func updatesNameNoRelationshipsToHiddenObjects(_ kind: StoreKind) throws {
        let stage = try stage(
            kind, role: #"{"Item": {"read": true}, "Tag": {"read": "holder.code < 5"}}"#)
        let listener = Listener(try stage.stream("ann", "/Item?include=tags&where=_id==1"))
        #expect(try listener.wait { !listener.names.isEmpty })
        let steps = [
            (#"{"code":4,"owner":2}"#, #""updated":["code"]"#),
            (#"{"code":5,"node":2,"tags":[1,2]}"#, #""updated":["code"]"#),
            (#"{"tags":[2]}"#, #""updated":null"#),
        ]
        for (index, (body, updated)) in steps.enumerated() {
            try stage.write("PATCH", "/Item/1", body)
            #expect(try listener.wait { listener.names.count == index + 2 })
            let data = listener.client.events.last?.data ?? ""
            #expect(data.contains(updated), "\(body): \(data)")
        }
    }

    /// A stream shows at least what was saved before it was opened.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func aNewStreamBeginsWithThePresent(_ kind: StoreKind) throws {
        let stage = try stage(kind, role: #"{"Node": {"read": "owner.name == 'x'"}}"#)
        let target = "/Node?select=name"
        let first = Listener(try stage.stream("ann", target))
        #expect(try first.wait { !first.names.isEmpty })
        for round in 0..<200 {
            try stage.write("PATCH", "/Owner/1", "{\"name\":\"\(round % 2 == 0 ? "y" : "x")\"}")
            let new = Listener(try stage.stream("ann", target))
            #expect(try new.wait { !new.names.isEmpty })
            let rows = new.client.events.first?.data ?? ""
            #expect(rows.contains("\"n1\"") == (round % 2 == 1), "round \(round): \(rows)")
            new.client.stream.closed()
        }
    }
}
