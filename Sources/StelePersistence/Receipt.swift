/// What a store keeps of an answered request, so that the same request is not carried out twice.

/// An answer under the key that its request named; kept in the transaction of its save.
public struct Receipt: Sendable {
    /// Whose request, which, and the name that the client gave it.
    public var key: String
    /// A hash of what the request said beside that.
    public var fingerprint: Int64
    /// When it was kept: seconds since 2001-01-01T00:00:00Z.
    public var time: Double
    /// The answer, as its maker wrote it.
    public var answer: [UInt8]

    public init(key: String, fingerprint: Int64, time: Double, answer: [UInt8]) {
        self.key = key
        self.fingerprint = fingerprint
        self.time = time
        self.answer = answer
    }

    /// Seconds that a receipt is good for: a day.
    public static let lifetime = 86_400.0
    /// How many a store keeps; the oldest go first.
    public static let most = 100_000

    /// Whether it is still good at a time.
    public func isGood(at now: Double) -> Bool { now - time < Self.lifetime }
}

/// A receipt to be kept with a save: its answer is made once it is known what came of the save.
public struct ReceiptRequest: Sendable {
    public var key: String
    public var fingerprint: Int64
    /// Makes the answer, on the writer's thread.
    public var answer: @Sendable (SaveResult) -> [UInt8]

    public init(
        key: String, fingerprint: Int64, answer: @escaping @Sendable (SaveResult) -> [UInt8]
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.answer = answer
    }

    /// The receipt of a save.
    public func receipt(of result: SaveResult, at time: Double) -> Receipt {
        Receipt(key: key, fingerprint: fingerprint, time: time, answer: answer(result))
    }
}
