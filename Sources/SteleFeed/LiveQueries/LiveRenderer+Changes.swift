/// Differences as the data of events.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension LiveRenderer {
    /// The rendered rows of a difference.
    func written(
        _ difference: ResultsDifference, _ plan: LivePlan, _ rows: LiveRows
    ) throws -> [Int64: [UInt8]] {
        let form = form(plan, rows.rows, rows.embedded)
        let told =
            difference.inserts.map { ($0.key, $0.section) }
            + difference.moves.map { ($0.key, $0.section) }
            + difference.updates.map { ($0.key, $0.section) }
        var written: [Int64: [UInt8]] = [:]
        for (key, section) in told {
            var writer = ByteWriter(capacity: 128)
            write(key, section, rows, as: form, of: plan, to: &writer)
            if let failure = writer.failure { throw failure }
            written[key] = writer.take()
        }
        return written
    }

    /// A row and its section.
    func write(
        _ key: Int64, _ section: Value?, _ rows: LiveRows, as form: RowForm, of plan: LivePlan,
        to writer: inout ByteWriter
    ) {
        if let bytes = rows.written[key] { return writer.raw(bytes) }
        if let place = rows.places[key] {
            form.write(rows.rows, place, rows.embedded, to: &writer)
        } else {
            writer.null()
        }
        if let section { write(section: section, plan, to: &writer) }
    }

    /// `{"deletes":[…],"inserts":[…],"moves":[…],"updates":[…]}`, with each entry on a line of its
    /// own, as in a snapshot.
    /// - Throws: `UnreadableValue`.
    package func change(
        _ difference: ResultsDifference, _ plan: LivePlan, _ rows: LiveRows
    ) throws -> [UInt8] {
        var writer = ByteWriter(capacity: 512)
        let form = form(plan, rows.rows, rows.embedded)
        let hasIDs = if case .rows = plan.shape { false } else { true }
        var isFirst = true
        func begin(_ index: Int, _ key: StaticString, _ value: Int) {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            if !isFirst { writer.raw("\ndata: ") }
            isFirst = false
            writer.raw(key)
            writer.integer(Int64(value))
        }
        func end(_ key: Int64, _ section: Value?, _ updated: UpdatedKeys?) {
            writer.raw(",\"object\":")
            write(key, section, rows, as: form, of: plan, to: &writer)
            if let updated, hasIDs { write(updated, to: &writer) }
            writer.byte(UInt8(ascii: "}"))
        }
        func list(_ sections: [ResultsDifference.SectionChange]) {
            for (index, section) in sections.enumerated() {
                begin(index, "{\"index\":", section.index)
                writer.raw(",\"name\":")
                write(name: section.name, plan, to: &writer)
                writer.byte(UInt8(ascii: "}"))
            }
        }
        writer.raw("{\"deletes\":[")
        for (index, it) in difference.deletes.enumerated() {
            begin(index, "{\"index\":", it.index)
            if hasIDs {
                writer.raw(",\"_id\":")
                writer.key(it.key)
            }
            writer.byte(UInt8(ascii: "}"))
        }
        writer.raw("],\"inserts\":[")
        for (index, it) in difference.inserts.enumerated() {
            begin(index, "{\"index\":", it.index)
            end(it.key, it.section, nil)
        }
        writer.raw("],\"moves\":[")
        for (index, it) in difference.moves.enumerated() {
            begin(index, "{\"from\":", it.from)
            writer.raw(",\"to\":")
            writer.integer(Int64(it.to))
            end(it.key, it.section, it.updated)
        }
        writer.raw("],\"updates\":[")
        for (index, it) in difference.updates.enumerated() {
            begin(index, "{\"index\":", it.index)
            end(it.key, it.section, it.updated)
        }
        writer.byte(UInt8(ascii: "]"))
        if plan.section != nil {
            writer.raw(",\"sections\":{\"deletes\":[")
            list(difference.sectionDeletes)
            writer.raw("],\"inserts\":[")
            list(difference.sectionInserts)
            writer.raw("]}")
        }
        writer.raw("}\n\n")
        if let failure = writer.failure { throw failure }
        return writer.take()
    }

    private func write(_ keys: UpdatedKeys, to writer: inout ByteWriter) {
        writer.raw(",\"updated\":")
        guard let names = keys.names else { return writer.null() }
        writer.byte(UInt8(ascii: "["))
        for (index, name) in names.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            writer.string(name)
        }
        writer.byte(UInt8(ascii: "]"))
    }

    /// Appends the section of a row.
    package func write(section name: Value, _ plan: LivePlan, to writer: inout ByteWriter) {
        writer.raw(",\"section\":")
        write(name: name, plan, to: &writer)
    }

    func write(name: Value, _ plan: LivePlan, to writer: inout ByteWriter) {
        let model = renderer.model
        if plan.section == .key("_entity"), case .int(let index) = name,
            model.entities.indices.contains(Int(index))
        {
            writer.string(model.entities[Int(index)].name)
        } else {
            let renderer =
                plan.numbersAsStrings ? renderer.writingNumbersAsStrings(true) : renderer
            renderer.write(name, as: .plain, to: &writer)
        }
    }
}
