/// What came of a plan, before it is an answer.

import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests

/// The rows of a list, ready to be written.
package struct ListOutcome: Sendable {
    package let rows: FetchedRows
    /// The entity that the list is of.
    package let entity: Entity
    package let shape: Shape
    package let embedded: Embedded
    /// The parameters that lead to the next page; nil where this is the last.
    package let next: NextPage?
    /// How many there are, where `count=true` asked.
    package let total: Int?
    package let tag: String?

    package init(
        rows: FetchedRows, entity: Entity, shape: Shape, embedded: Embedded, next: NextPage?,
        total: Int?, tag: String?
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
    /// The next rows with what is embedded in them; nil at the end.
    func next() throws -> (rows: FetchedRows, embedded: Embedded)?
    /// Gives back what the rows come from.
    func close()
}

/// What came of a plan.
package enum Outcome: Sendable {
    /// An answer that is made already.
    case response(Response)
    /// The client has it already (304).
    case notModified(tag: String)
    /// One row of the list's shape.
    case object(ListOutcome)
    /// A to-one without a destination.
    case null(tag: String?)
    case list(ListOutcome)
    /// A list's first rows, and where they are not all the way to the others.
    case stream(ListOutcome, (any RowSource)?)
    case count(Int, tag: String?)
    case binary(BinaryContent, tag: String?)
    /// Objects that were made: one, or as many as the body's array holds.
    case created([Snapshot], isArray: Bool, isNew: Bool, entity: Entity)
    case changed(Snapshot)
    /// An entry an operation of a transaction.
    case operations([OperationOutcome])
    /// An answer that is given again: its head, and its objects as they are now.
    case again(Response, [OperationOutcome], isArray: Bool)
    /// How many objects a write of all that match has changed, or deleted.
    case updatedAll(Int)
    case deletedAll(Int)
    /// Done, with nothing to say.
    case done
    /// The ids that are in a to-many now.
    case members([Int64])
    /// The id that is in a to-one now.
    case destination(Int64?)
}

/// A value's bytes, wherever they are.
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

/// What came of an operation.
package enum OperationOutcome: Sendable {
    case object(Snapshot?)
    case deleted(entity: Int, key: Int64?)
}
