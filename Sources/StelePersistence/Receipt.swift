/// The answer to a request, stored in the transaction of its save, so that a repeated request is
/// not executed twice.
public struct Receipt: Sendable {
    /// The author, the operation and the idempotency key that the client sent.
    public var key: String
    /// A hash of the rest of the request.
    public var fingerprint: Int64
    /// The time of the save, in seconds since 2001-01-01T00:00:00Z.
    public var time: Double
    /// The encoded answer.
    public var answer: [UInt8]

    /// Creates a receipt.
    public init(key: String, fingerprint: Int64, time: Double, answer: [UInt8]) {
        self.key = key
        self.fingerprint = fingerprint
        self.time = time
        self.answer = answer
    }

    /// The lifetime of a receipt in seconds: one day.
    public static let lifetime = 86_400.0
    /// The most receipts that a store keeps; the oldest are deleted first.
    public static let most = 100_000
    /// The time of a receipt that does not expire and is never deleted.
    public static let permanent = Double.greatestFiniteMagnitude

    /// Whether the receipt does not expire.
    public var isPermanent: Bool { time == Self.permanent }

    /// Returns whether the receipt has not expired.
    public func isGood(at now: Double) -> Bool { now - time < Self.lifetime }
}

/// A receipt to be stored with a save.
public struct ReceiptRequest: Sendable {
    /// As `Receipt.key`.
    public var key: String
    /// As `Receipt.fingerprint`.
    public var fingerprint: Int64
    /// Whether the receipt does not expire and is never deleted.
    public var isPermanent: Bool
    /// Encodes the answer from the result of the save; called on the writer's thread.
    public var answer: @Sendable (SaveResult) -> [UInt8]

    /// Creates a request.
    public init(
        key: String, fingerprint: Int64, isPermanent: Bool = false,
        answer: @escaping @Sendable (SaveResult) -> [UInt8]
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.isPermanent = isPermanent
        self.answer = answer
    }

    /// Returns the receipt of a finished save.
    public func receipt(of result: SaveResult, at time: Double) -> Receipt {
        Receipt(
            key: key, fingerprint: fingerprint, time: isPermanent ? Receipt.permanent : time,
            answer: answer(result))
    }
}
