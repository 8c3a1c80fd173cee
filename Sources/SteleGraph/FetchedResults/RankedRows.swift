/// A sorted array of rows in blocks. Finding, inserting or removing a row takes a binary search
/// over the blocks and one within a block, and moves the rows of one block.
struct RankedRows: Sendable {
    private static let blockSize = 512

    private var blocks: [[ResultRow]] = []
    private(set) var count = 0
    private let order: ResultOrder

    /// Creates an array.
    /// - Parameter rows: the rows, in order.
    init(_ rows: [ResultRow], in order: ResultOrder) {
        self.order = order
        append(rows)
    }

    /// The rows with those ranks, clamped to the existing rows.
    func rows(_ ranks: Range<Int>) -> [ResultRow] {
        var found: [ResultRow] = []
        var start = 0
        for block in blocks where ranks.lowerBound < ranks.upperBound {
            let part = (ranks.lowerBound - start..<ranks.upperBound - start).clamped(
                to: 0..<block.count)
            found += block[part]
            start += block.count
            if start >= ranks.upperBound { break }
        }
        return found
    }

    var last: ResultRow? { blocks.last?.last }

    /// The number of rows that precede the row, which need not be in the array.
    func rank(of row: ResultRow) -> Int {
        let (block, place) = self.place(of: row)
        return start(of: block) + place
    }

    /// Inserts a row at its position.
    mutating func insert(_ row: ResultRow) {
        count += 1
        if blocks.isEmpty {
            blocks = [[row]]
            return
        }
        let (block, place) = self.place(of: row)
        if block == blocks.count {
            blocks[block - 1].append(row)
            split(block - 1)
        } else {
            blocks[block].insert(row, at: place)
            split(block)
        }
    }

    /// Removes a row.
    /// - Returns: whether the row was in the array.
    mutating func remove(_ row: ResultRow) -> Bool {
        let (block, place) = self.place(of: row)
        guard block < blocks.count, blocks[block][place].key == row.key else { return false }
        blocks[block].remove(at: place)
        if blocks[block].isEmpty { blocks.remove(at: block) }
        count -= 1
        return true
    }

    /// Appends rows that follow the last row, in order.
    mutating func append(_ rows: [ResultRow]) {
        var rest = rows[...]
        while !rest.isEmpty {
            blocks.append(Array(rest.prefix(Self.blockSize)))
            rest = rest.dropFirst(Self.blockSize)
        }
        count += rows.count
    }

    /// Removes all rows from a rank on.
    /// - Returns: the removed rows.
    mutating func removeRows(from rank: Int) -> [ResultRow] {
        guard rank < count else { return [] }
        let gone = rows(rank..<count)
        self = RankedRows(rows(0..<rank), in: order)
        return gone
    }

    /// Removes and inserts many rows. The cost is proportional to the number of all rows.
    mutating func exchange(_ gone: Set<Int64>, for come: [ResultRow]) {
        var all = blocks.flatMap { $0.filter { !gone.contains($0.key) } }
        all += come
        all.sort { order.compare($0, $1) < 0 }
        self = RankedRows(all, in: order)
    }

    private mutating func split(_ block: Int) {
        guard blocks[block].count > 2 * Self.blockSize else { return }
        let half = blocks[block].count / 2
        blocks.insert(Array(blocks[block][half...]), at: block + 1)
        blocks[block].removeLast(blocks[block].count - half)
    }

    private func start(of block: Int) -> Int {
        blocks[..<block].reduce(0) { $0 + $1.count }
    }

    /// The first place whose row does not precede the given row, or the end of the blocks.
    private func place(of row: ResultRow) -> (block: Int, place: Int) {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            // No block is empty.
            if order.compare(blocks[middle][blocks[middle].count - 1], row) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < blocks.count else { return (low, 0) }
        let block = blocks[low]
        var (first, end) = (0, block.count)
        while first < end {
            let middle = (first + end) / 2
            if order.compare(block[middle], row) < 0 { first = middle + 1 } else { end = middle }
        }
        return (low, first)
    }
}
