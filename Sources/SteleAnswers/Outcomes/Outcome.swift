/// The results of plans, before they become answers.

import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests

/// The rows of a list, ready to be written.
package struct ListOutcome: Sendable {
    package let rows: FetchedRows
    package let entity: Entity
    package let shape: Shape
    package let embedded: Embedded
    /// The start of the next page; nil if this page is the last.
    package let next: NextPage?
    /// The number of rows on all pages, if `count=true` asks for it.
    package let total: Int?
    /// The entity tag, without quotes; nil if there is none.
    package let tag: String?

    package init(
        rows: FetchedRows, entity: Entity, shape: Shape, embedded: Embedded,
        next: NextPage? = nil, total: Int? = nil, tag: String? = nil
    ) {
        self.rows = rows
        self.entity = entity
        self.shape = shape
        self.embedded = embedded
        self.next = next
        self.total = total
        self.tag = tag
    }
}

/// The rows of a list that is too long to hold, batch by batch. One thread at a time uses it.
package protocol RowSource: Sendable {
    /// The next rows, with what is embedded in them; nil at the end.
    func next() throws -> (rows: FetchedRows, embedded: Embedded)?
    /// Throws where no more rows can be read; called while the client takes its time.
    func check() throws
    /// Releases what the rows are read from.
    func close()
}

/// The result of a plan.
package enum Outcome: Sendable {
    /// A finished answer.
    case response(Response)
    /// The client has the current state (304).
    case notModified(tag: String)
    /// A single object, as the only row of a list.
    case object(ListOutcome)
    /// A to-one relationship without a destination.
    case null(tag: String?)
    case list(ListOutcome)
    /// The first rows of a list, and the source of the others, if there are others.
    case stream(ListOutcome, (any RowSource)?)
    case count(Int, tag: String?)
    case binary(BinaryContent, tag: String?)
    /// New objects: one, or those of the body's array. `isNew` is false if an upsert made none.
    case created([Snapshot], isArray: Bool, isNew: Bool, entity: Entity)
    case changed(Snapshot)
    /// The results of a transaction's operations.
    case operations([OperationOutcome])
    /// A repeated answer: its head, and its objects as they are now.
    case again(Response, [OperationOutcome], isArray: Bool)
    /// The number of objects that a write of all that match has changed or deleted.
    case updatedAll(Int)
    case deletedAll(Int)
    /// Success without a body.
    case done
    /// The ids of the members of a to-many relationship.
    case members([Int64])
    /// The id of a to-one relationship's destination.
    case destination(Int64?)
}

/// The bytes of a value, in memory or in a file.
package enum BinaryContent: Sendable {
    case bytes([UInt8])
    case file(FileBody)

    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.size
        }
    }
}

package enum OperationOutcome: Sendable {
    case object(Snapshot?)
    case deleted(entity: Int, key: Int64?)
}
