/// The format of a list's rows: a JSON array, lines of JSON, or CSV.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The format of one list.
package struct RowForm: Sendable {
    private enum Format: Sendable {
        case json, ndjson
        case csv(CSVTable)
    }

    private let format: Format
    private let shape: Shape
    private let renderer: SnapshotRenderer

    /// - Parameter toManys: the to-many relationships that are columns of whole objects in CSV.
    package init(
        _ type: MediaType, _ list: ListOutcome, renderer: SnapshotRenderer,
        toManys: [Relationship] = []
    ) {
        shape = list.shape
        self.renderer = renderer
        format =
            switch type {
            case .ndjson: .ndjson
            case .csv:
                .csv(
                    CSVTable(list.shape, of: list.entity, renderer: renderer, toManys: toManys))
            default: .json
            }
    }

    /// Appends what comes before the rows.
    package func begin(_ writer: inout ByteWriter) {
        switch format {
        case .json: writer.byte(UInt8(ascii: "["))
        case .ndjson: break
        case .csv(let table): table.writeHeader(to: &writer)
        }
    }

    /// Appends what comes after the rows.
    package func end(_ writer: inout ByteWriter) {
        if case .json = format { writer.byte(UInt8(ascii: "]")) }
    }

    /// Appends a row with its separator.
    package func write(
        _ rows: FetchedRows, _ index: Int, _ embedded: Embedded, isFirst: Bool,
        to writer: inout ByteWriter
    ) {
        switch format {
        case .json:
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            write(rows, index, embedded, to: &writer)
        case .ndjson:
            write(rows, index, embedded, to: &writer)
            writer.byte(UInt8(ascii: "\n"))
        case .csv(let table): table.write(rows, index, embedded, to: &writer)
        }
    }

    /// Appends the row at an index of the list, as JSON.
    package func write(
        _ rows: FetchedRows, _ index: Int, _ embedded: Embedded, to writer: inout ByteWriter
    ) {
        switch rows {
        case .objects(let rows): renderer.write(rows[index], embedding: embedded, to: &writer)
        case .values(let rows):
            switch shape {
            case .columns(let columns, _), .rows(let columns, _):
                renderer.write(rows[index], columns, embedded, to: &writer)
            case .objects: writer.null()
            }
        }
    }
}
