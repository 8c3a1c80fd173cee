/// Predicates, sort lists and select lists: read, checked, printed, and asked of both stores.

import StelePersistence
import StelePredicates

/// What asks both stores.
struct FuzzQueries {
    let stores: [FuzzStore]
    let check: PredicateCheck

    init() throws {
        stores = [try FuzzStore(inMemory: true), try FuzzStore(inMemory: false)]
        guard let entity = stores[0].model.entity(named: "Item") else {
            throw FuzzFinding("the model has lost its entity")
        }
        check = PredicateCheck(
            model: stores[0].model, entity: entity, variables: ["X": "7", "LIST": "1,2.5,x"])
    }

    /// Asks both stores for objects, or for the rows of a request that has columns.
    func ask(_ make: (FetchRequest) throws -> FetchRequest) throws {
        for store in stores {
            guard let entity = store.model.entity(named: "Item") else { continue }
            let request = try make(FetchRequest(entity: entity))
            let reader = try store.coordinator.store.reader()
            defer { reader.close() }
            do {
                if request.propertiesToFetch.isEmpty {
                    _ = try reader.fetch(request)
                } else {
                    _ = try reader.fetchRows(request)
                }
            } catch StoreError.failed(let what) {
                throw FuzzFinding("the store failed: \(what)")
            } catch {}
        }
    }

    /// Whether an error says something, of a place in the text.
    static func judge(_ error: PredicateError, _ text: String) throws {
        try require(!error.message.isEmpty, "an error has no message")
        try require(
            (0...text.unicodeScalars.count).contains(error.position),
            "the error \(error) is beyond the text")
    }
}

struct PredicateTarget: FuzzTarget {
    private let queries: FuzzQueries
    let words = PredicateWords.all

    /// The texts of the grammar's tables, and conditions on the objects that there are.
    let seeds: [[UInt8]]

    init() throws {
        queries = try FuzzQueries()
        var texts = PredicateWords.conditions
        for table in ["Read", "Refused"] {
            let whole = String(
                decoding: try FuzzRun.file("Tests/StelePredicatesTests/Grammar/\(table).txt"),
                as: UTF8.self)
            texts += whole.split(separator: "\n").filter {
                !$0.hasPrefix("    ") && !$0.hasPrefix("## ")
            }.map(String.init)
        }
        seeds = FuzzText.bytes(texts)
    }

    func attempt(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        do {
            let predicate = try Predicate(format: text)
            try roundTrips(predicate)
            try ask(predicate, text)
        } catch let error as PredicateError {
            try FuzzQueries.judge(error, text)
        }
    }

    /// What is printed reads as the same and prints as the same.
    private func roundTrips(_ predicate: Predicate) throws {
        let printed = predicate.predicateFormat
        let again: Predicate
        do { again = try Predicate(format: printed) } catch {
            throw FuzzFinding("what is printed is not read: \(printed): \(error)")
        }
        try require(again == predicate, "what is printed reads as another: \(printed)")
        try require(
            again.predicateFormat == printed, "\(printed) prints as \(again.predicateFormat)")
    }

    private func ask(_ predicate: Predicate, _ text: String) throws {
        let checked: Predicate
        do { checked = try queries.check.check(predicate) } catch {
            return try FuzzQueries.judge(error.located(in: text), text)
        }
        try queries.ask { asked in
            var request = asked
            request.predicate = checked
            return request
        }
    }
}

/// Lists of sort keys, columns and paths of relationships.
struct ListTarget: FuzzTarget {
    private let queries: FuzzQueries
    let words = PredicateWords.all + ["asc", "desc", "-", "+", ":", ",", "[cdl]"]
    let seeds = FuzzText.bytes([
        "-price,name[c]", "name[cdl],-born,large * 2", "team:whole.name,n:count(),total:sum(price)",
        "whole.name,parts.@count,{1, 2}[0]", "a:price * 2,b:TERNARY(flag, 1, large)",
        "max(large),average(real),median(price),stddev(small)", "whole,parts.tags,whole.whole",
        "home.city,-home.zip,length(name),now()", "born,-born,CAST(real, 'NSString')",
        "modulus(large, 7),abs(small),~middle,large << 3", "_id,_entity,_version,-_id",
    ])

    init() throws { queries = try FuzzQueries() }

    func attempt(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        do {
            let list = try SortList(text)
            try queries.ask { asked in
                var request = asked
                request.sortDescriptors = try list.checked(by: queries.check)
                return request
            }
        } catch let error as PredicateError { try FuzzQueries.judge(error, text) }
        do {
            let columns = try queries.check.columns(["a:\(text)"])
            try queries.ask { asked in
                var request = asked
                request.propertiesToFetch = columns
                return request
            }
        } catch let error as PredicateError { try FuzzQueries.judge(error, text) }
        do {
            _ = try KeyPathResolution.relationships(
                text, from: queries.check.entity, in: queries.stores[0].model)
        } catch { try FuzzQueries.judge(error, text) }
    }
}
