/// Live queries as text: whole results and differences.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// The rows of an event, by key.
package struct LiveRows {
    let rows: FetchedRows
    let embedded: Embedded
    let places: [Int64: Int]
    /// Rows that are rendered already.
    var written: [Int64: [UInt8]] = [:]
}

extension LiveRows {
    /// Rows that are all rendered.
    package init(written: [Int64: [UInt8]]) {
        self.init(rows: .objects([]), embedded: .none, places: [:], written: written)
    }
}

/// Reads and renders the data of events.
package struct LiveRenderer: Sendable {
    let limits: Limits
    let renderer: SnapshotRenderer

    package init(limits: Limits, renderer: SnapshotRenderer) {
        self.limits = limits
        self.renderer = renderer
    }

    // MARK: Snapshots

    /// Sets a query's snapshot: `{"rows":[{"object":{…}},…]}` and with sections
    /// `"sections":[{"name":…,"count":3},…]`.
    /// - Parameter context: reads what is visible to the query's listeners; its view has the last
    ///   save of the query's result.
    /// - Throws: as reading; `UnreadableValue`.
    func takeSnapshot(of query: LiveQuery, _ context: ManagedObjectContext) throws {
        let plan = query.plan
        var shown = plan.canLookTheSame(renderer.model) ? ShownRows() : nil
        let keys = shown == nil ? [] : query.objects?.keys ?? []
        let rows: FetchedRows
        if let results = query.objects, results.query.owner != nil {
            rows = try context.fetchedRows(
                of: results.keys, plan.entity, columns: plan.asked.propertiesToFetch)
        } else if query.objects != nil {
            rows =
                plan.asked.propertiesToFetch.isEmpty
                ? .objects(try context.snapshots(plan.asked))
                : .values(try context.rows(plan.asked))
        } else {
            rows = .values(query.rows?.rows ?? [])
        }
        let embedded = try Embedding.embedded(in: rows, plan.shape, context, limits: limits)
        let form = form(plan, rows, embedded)
        let data = try snapshot(
            plan, count: rows.count, sections: query.objects?.sections ?? []
        ) {
            form.write(rows, $0, embedded, to: &$1)
        } note: {
            if keys.indices.contains($0) { shown?.note(keys[$0], $1) }
        }
        query.snapshot = (data, query.token)
        query.shown = shown
    }

    /// The data of a snapshot: `{"rows":[…],"sections":[…]}`, with each row on a line of its own:
    /// many clients read a line at a time and refuse long ones.
    /// - Parameters:
    ///   - write: appends the object of the row at an index.
    ///   - note: is given the object with its section.
    /// - Throws: `UnreadableValue`.
    package func snapshot(
        _ plan: LivePlan, count: Int, sections: [ResultsSection],
        _ write: (Int, inout ByteWriter) -> Void, note: (Int, ArraySlice<UInt8>) -> Void
    ) throws -> [UInt8] {
        var writer = ByteWriter(capacity: 256 + count * 128)
        writer.raw("{\"rows\":[")
        var section = 0
        var left = sections.first?.numberOfObjects ?? 0
        for index in 0..<count {
            writer.raw(index > 0 ? ",\ndata: {\"object\":" : "{\"object\":")
            let start = writer.count
            write(index, &writer)
            while left == 0, section + 1 < sections.count {
                section += 1
                left = sections[section].numberOfObjects
            }
            left -= 1
            if section < sections.count {
                self.write(section: sections[section].name, plan, to: &writer)
            }
            note(index, writer.bytes[start...])
            writer.byte(UInt8(ascii: "}"))
        }
        writer.byte(UInt8(ascii: "]"))
        if plan.section != nil {
            writer.raw(",\"sections\":[")
            for (index, section) in sections.enumerated() {
                writer.raw(index > 0 ? ",\ndata: {\"name\":" : "{\"name\":")
                self.write(name: section.name, plan, to: &writer)
                writer.raw(",\"count\":")
                writer.integer(Int64(section.numberOfObjects))
                writer.byte(UInt8(ascii: "}"))
            }
            writer.byte(UInt8(ascii: "]"))
        }
        writer.raw("}\n\n")
        if let failure = writer.failure { throw failure }
        return writer.take()
    }

    /// The format of a query's rows.
    package func form(_ plan: LivePlan, _ rows: FetchedRows, _ embedded: Embedded) -> RowForm {
        let list = ListOutcome(
            rows: rows, entity: plan.entity, shape: plan.shape, embedded: embedded, next: nil,
            total: nil, tag: nil)
        return RowForm(
            .json, list,
            renderer: plan.numbersAsStrings ? renderer.writingNumbersAsStrings(true) : renderer)
    }

    // MARK: Differences

    /// A difference as an event.
    /// - Parameters:
    ///   - view: the saves that the difference belongs to.
    ///   - token: the last save before the difference.
    ///   - shown: the rows as listeners see them, which is updated; nil where they see all changes.
    /// - Returns: nil where listeners see no change.
    func event(
        _ difference: ResultsDifference, of query: LiveQuery, in view: SavesView,
        after token: Int64, shown: inout ShownRows?, _ context: () throws -> ManagedObjectContext
    ) throws -> LiveEvent? {
        let save = difference.isOfView ? nil : view.save(after: difference.token - 1)
        var rows = try rows(for: difference, of: query, save, context)
        var difference = difference
        if shown != nil {
            rows.written = try written(difference, query.plan, rows)
            shown?.take(&difference, rows.written)
            if difference.isEmpty { return nil }
        }
        let data = try change(difference, query.plan, rows)
        return LiveEvent(after: token, token: difference.token, data: data)
    }

    /// Reads the rows of a difference.
    /// - Parameter save: the difference's save, where it is of one save only.
    func rows(
        for difference: ResultsDifference, of query: LiveQuery, _ save: HistoryTransaction?,
        _ context: () throws -> ManagedObjectContext
    ) throws -> LiveRows {
        let keys = difference.objectKeys
        if let rows = query.rows {
            let places = Dictionary(
                rows.keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            return LiveRows(rows: .values(rows.rows), embedded: .none, places: places)
        }
        // Such a row is its own values, with no link that may lead to what is not visible.
        if let save {
            let wanted = Set(keys)
            let objects = save.changes.compactMap { change -> Snapshot? in
                query.objects?.query.isRow(change.entity) == true && wanted.contains(change.key)
                    ? change.snapshot : nil
            }
            return LiveRows(
                rows: .objects(objects), embedded: .none, places: Self.places(objects.map(\.key)))
        }
        guard !keys.isEmpty else {
            return LiveRows(rows: .objects([]), embedded: .none, places: [:])
        }
        return try read(keys, query.plan, try context())
    }

    private func read(
        _ keys: [Int64], _ plan: LivePlan, _ context: ManagedObjectContext
    ) throws -> LiveRows {
        let rows = try context.fetchedRows(
            of: keys, plan.entity, columns: plan.asked.propertiesToFetch)
        let found: [Int64] =
            switch rows {
            case .objects(let all): all.map(\.key)
            case .values(let all): all.map { RowKey.id(of: $0) ?? 0 }
            }
        return LiveRows(
            rows: rows,
            embedded: try Embedding.embedded(in: rows, plan.shape, context, limits: limits),
            places: Self.places(found))
    }

    private static func places(_ keys: [Int64]) -> [Int64: Int] {
        Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
