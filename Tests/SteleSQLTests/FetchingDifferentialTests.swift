// SQL and the in-memory meaning agree: random predicates over random objects.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import Testing

@Suite struct FetchingDifferentialTests {
    @Test func randomPredicatesFindWhatTheyMeanInMemory() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SeededGenerator(state: seed)
        let fetching = try Fetching()
        let graph = FetchingGraph(fetching.translator.schema, &random)
        let database = try FetchingDatabase(fetching.translator.schema)
        try graph.write(to: database)
        var texts = RandomPredicate(random: random)
        var (compared, some, refused) = (0, 0, 0)
        for round in 0..<3_000 {
            let name = ["Person", "Employee", "Team", "League", "Skill", "Director"][round % 6]
            let text = texts.predicate(name)
            // What the check refuses is no predicate: the texts are made without regard to types.
            guard let request = try? fetching.request(name, text) else {
                refused += 1
                continue
            }
            let found = try database.rows(fetching.translator.keys(request)).compactMap(\.first)
            let expected = try Self.matching(request, graph)
            #expect(found == expected, "seed \(seed), \(name): \(text)")
            compared += 1
            some += expected.isEmpty || expected.count == graph.keys(name).count ? 0 : 1
        }
        #expect(compared > 1_500 && some > 500, "\(compared) compared, \(refused) refused")
    }

    private static func matching(
        _ request: FetchRequest, _ graph: FetchingGraph
    ) throws -> [Value] {
        guard let predicate = request.predicate else { return [] }
        let evaluator = try PredicateEvaluator<GraphObject>(
            predicate, entity: request.entity, model: graph.model)
        return try graph.keys(request.entity.name).filter {
            try evaluator.evaluate(GraphObject(graph: graph, root: request.entity.root, key: $0))
        }.map(Value.key)
    }
}
