import SteleSystem

/// A save that waits for a group's thread.
struct GroupJob: Sendable {
    let group: StoreGroup
    let parts: [GroupPart]
    let request: SaveRequest
    let completion: @Sendable (Result<SaveResult, StoreError>) -> Void

    init(
        group: StoreGroup, parts: [GroupPart], _ request: SaveRequest,
        _ completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        self.group = group
        self.parts = parts
        self.request = request
        self.completion = completion
    }

    /// The index of the only store that the save changes; nil where there are several.
    var place: Int? { parts.count == 1 ? parts[0].place : nil }
}

/// The saves that wait, and the loop that writes them.
struct GroupQueue: Sendable {
    private var waiting: [GroupJob] = []
    var isClosed = false
    /// The most saves that are given to a store together.
    private static let most = 256

    /// Adds a save; false where the group is closed.
    mutating func append(_ job: GroupJob) -> Bool {
        if isClosed { return false }
        waiting.append(job)
        return true
    }

    /// Saves what waits, until the queue is closed and empty.
    static func run(_ queue: Monitor<GroupQueue>) {
        while true {
            let taken = queue.withLock(when: { $0.isClosed || !$0.waiting.isEmpty }) { queue, _ in
                defer { queue.waiting = [] }
                return queue.waiting
            }
            if taken.isEmpty { return }
            var rest = taken[...]
            while let first = rest.first {
                let same = rest.prefix(most).prefix {
                    first.place != nil && $0.place == first.place
                }
                let batch = same.isEmpty ? rest.prefix(1) : same
                rest = rest.dropFirst(batch.count)
                write(Array(batch))
            }
        }
    }

    /// Saves a batch: one save to several stores, or saves to the same store, which share its
    /// commits.
    private static func write(_ batch: [GroupJob]) {
        guard let group = batch.first?.group else { return }
        let results = group.turn.withLock { turn -> [Result<SaveResult, StoreError>] in
            guard batch[0].place != nil else {
                do throws(StoreError) {
                    return [.success(try group.save(batch[0].parts, batch[0].request, &turn))]
                } catch {
                    return [.failure(error)]
                }
            }
            let parts = batch.map { group.prepared($0.parts[0], turn) }
            let answers = Monitor(
                [Result<SaveResult, StoreError>?](repeating: nil, count: batch.count))
            for (place, part) in parts.enumerated() {
                group.stores[part.place].save(part.request) { result in
                    answers.withLock { $0[place] = result }
                    answers.signal()
                }
            }
            let all = answers.withLock(when: { !$0.contains { $0 == nil } }) { all, _ in
                all.map { $0 ?? .failure(.closed) }
            }
            return zip(batch, all).map { job, result in
                result.map { group.finished([$0], job.request, &turn) }
            }
        }
        for (job, result) in zip(batch, results) { job.completion(result) }
    }
}
