/// Requests to begin with, over the model of `FuzzStore`.

enum RequestSeeds {
    static let reads =
        [
            "GET /", "GET /model", "GET /healthz", "GET /fetch", "GET /docs/errors", "OPTIONS *",
            "GET /Item", "GET /Item/1", "HEAD /Item/1", "GET /Sub", "GET /Tag/1/items",
            "GET /Item?limit=2&offset=1&sort=-price&count=true", "GET /Item?after=$CURSOR",
            "GET /Item?sort=-price,name[c],born&after=$CURSOR&limit=1",
            "GET /Item?select=name,w:whole.name,parts.@count&distinct=true",
            "GET /Item?select=name,n:count(),t:sum(price)&groupBy=name&having=n > 0",
            "GET /Item?include=whole,parts.tags&subentities=false&numbers=string",
            "GET /Item/count?where=large > 1", "GET /Item/1/parts/count", "GET /Item/1/parts/2",
            "GET /Item/1/whole", "GET /Item/1/others", "GET /Item/1/bytes\nRange: bytes=0-1",
            "GET /Item?format=csv", "GET /Item?format=ndjson&limit=3", "GET /entities/Item/1",
            "GET /fetch/above?var.MIN=1&var.NAME=x", "GET /changes?since=0&values=true",
            "GET /changes?since=$TOKEN&limit=2&entity=Item&where=small > 1&updated=name",
            "GET /changes\nAccept: text/event-stream\nLast-Event-ID: $TOKEN",
            "GET /live?q.a=/Item%3Flimit%3D2&q.b=/Tag",
            "GET /Item?limit=2\nAccept: text/event-stream",
            "GET /Item?sectionBy=name&sort=name\nAccept: text/event-stream",
            "GET /contexts/$CONTEXT", "GET /contexts/$CONTEXT/Item?where=small > 1&sort=name",
            "GET /contexts/$CONTEXT/changes", "GET /contexts/$CONTEXT/Item/1",
            "GET /Item\nIf-None-Match: \"x\"\nAccept-Encoding: gzip",
            "GET /Item\nAccept-Encoding: ;,gzip;q=0,*;q=0.1\nAccept: ;q=1,,text/csv;",
            "POST /Item/query\n\n{\"where\":\"small > $N\",\"var.N\":1,\"limit\":2}",
        ] + PredicateWords.conditions.map { "GET /Item?where=\($0)&var.X=7&var.LIST=1,2.5,x" }
        + ["price * 2", "large ** 3", "{1, 2}[small]", "TERNARY(flag, price, real)"].flatMap {
            ["GET /Item?sort=\($0)", "GET /Item?select=n:\($0)&sort=-n"]
        }

    static let writes =
        bodies.flatMap {
            ["POST /Item\n\n\($0)", "PATCH /Item/1\n\n\($0)", "PUT /Item/2\n\n\($0)"]
        } + [
            "DELETE /Item/3", "DELETE /Item?where=small > 5", "PATCH /Item?where=small > 5\n\n{}",
            "POST /Tag\n\n{\"name\":\"t0\"}", "PUT /Item/1/whole\n\n2", "DELETE /Item/1/whole",
            "POST /Item/1/parts?at=0\n\n[3]", "PUT /Item/1/parts\n\n[2,3]",
            "DELETE /Item/1/parts/2",
            "PUT /Item/1/photo\nContent-Type: application/octet-stream\n\nabc",
            "PUT /Item/1/bytes\n\nabc", "DELETE /Item/1/bytes", "DELETE /changes?before=$TOKEN",
            "PATCH /Item/1?mergePolicy=storeTrump\n\n{\"_version\":1,\"small\":2}",
            "PATCH /Item/1\nIf-Match: \"1-x\"\n\n{\"small\":2}",
            "PATCH /Item/1\nContent-Type: application/json-patch+json\n\n"
                + "[{\"op\":\"replace\",\"path\":\"/small\",\"value\":3}]",
            "PATCH /Item/1\nContent-Type: application/json-patch+json\n\n"
                + "[{\"op\":\"add\",\"path\":\"/parts/0\",\"value\":3},{\"op\":\"remove\",\"path\":\"/parts/1\"}]",
            "POST /transactions\n\n[{\"method\":\"POST\",\"path\":\"/Item\",\"body\":{\"small\":1}}]",
            "POST /Item\nIdempotency-Key: \"k1\"\nPrefer: return=minimal\n\n{\"small\":1}",
            "POST /contexts\n\n{\"undoLevels\":5,\"author\":\"x\"}",
            "POST /contexts/$CONTEXT/contexts",
            "POST /contexts/$CONTEXT/Item\n\n{\"name\":\"new\"}", "POST /contexts/$CONTEXT/undo",
            "PATCH /contexts/$CONTEXT/Item/1\n\n{\"small\":3}", "POST /contexts/$CONTEXT/redo",
            "POST /contexts/$CONTEXT/undo-group\n\n{\"name\":\"g\"}",
            "POST /contexts/$CONTEXT/undo-group/end", "POST /contexts/$CONTEXT/save",
            "POST /contexts/$CONTEXT/rollback", "POST /contexts/$CONTEXT/reset",
            "POST /contexts/$CONTEXT/refresh\n\n{\"merge\":true,\"objects\":[\"Item/1\"]}",
            "DELETE /contexts/$CONTEXT/Item/2",
            "PATCH /contexts/$CONTEXT\n\n{\"undoEnabled\":false}",
        ]

    static let bodies = [
        #"{"name":"x","small":1,"middle":2,"large":9223372036854775807,"real":1.5,"narrow":0.1}"#,
        #"{"price":"12.50","flag":true,"born":"2024-05-01T09:00:00+02:00","link":"https://x"}"#,
        #"{"code":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","bytes":"AAH/","photo":"YWJj"}"#,
        #"{"extra":{"a":[1,2.5,null,true]},"archive":{"$date":"2024-05-01T09:00:00Z"}}"#,
        #"{"home":{"city":"x","zip":5},"home.zip":3}"#, #"{"whole":2,"parts":[3],"tags":[1,2]}"#,
        #"{"whole":{"_id":2,"small":3},"parts":[{"name":"new"},{"_id":3}],"tags":[{"name":"t1"}]}"#,
        #"{"_id":1,"_entity":"Item","_version":1,"small":"7","price":1e-128,"large":"5"}"#,
        #"[{"name":"a"},{"name":"b","small":-32768}]"#,
        #"{"small":32768,"price":1e127,"born":null}"#,
        #"[{"op":"replace","path":"/small","value":3},{"op":"test","path":"/name","value":"Ann"}]"#,
        #"[{"op":"add","path":"/parts/-","value":3},{"op":"move","from":"/parts/0","path":"/parts/1"}]"#,
        #"[{"op":"copy","from":"/small","path":"/middle"},{"op":"remove","path":"/home/zip"}]"#,
        #"[{"method":"POST","path":"/Item","body":{"small":1},"id":"a"}]"#,
        #"{"where":"small > $N","var.N":1,"limit":2,"sort":"-price","select":"name,n:count()"}"#,
        #"{"undoLevels":5,"undoEnabled":true,"mergePolicy":"error","author":"x","name":"y"}"#,
        #"{"merge":false,"objects":["Item/1","Item/t1"]}"#, "null", "[]", "{}", "1", #""x""#,
    ]

    static let words = [
        "GET", "POST", "PUT", "PATCH", "DELETE", "/Item", "/Tag", "/Sub", "/1", "/count", "/query",
        "/parts", "/whole", "/bytes", "/photo", "/contexts", "/$CONTEXT", "?where=", "&sort=",
        "&select=", "&limit=", "&offset=", "&after=", "&groupBy=", "&having=", "&include=", "&at=",
        "&var.X=", "&format=csv", "&count=true", "&distinct=true", "&numbers=string", "&since=",
        "&mergePolicy=overwrite", "$TOKEN", "$CURSOR", "\"_id\"", "\"_version\"", "\"_entity\"",
        "\"small\"", "\"large\"", "\"price\"", "\"born\"", "\"parts\"", "\"whole\"", "\"home\"",
        "\"value\"", "\"path\"", "\"op\"", "\"add\"", "\"move\"", "\"test\"", "\n", "\n\n",
    ]
}
