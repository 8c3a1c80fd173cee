/// Many keys as one bound value, for `json_each`.

/// A JSON array of keys.
public enum KeyList {
    /// `[1,2,3]`.
    public static func json(_ keys: [Int64]) -> String {
        var text = "["
        text.reserveCapacity(keys.count * 8 + 2)
        for (index, key) in keys.enumerated() {
            if index > 0 { text.append(",") }
            text.append(String(key))
        }
        text.append("]")
        return text
    }
}
