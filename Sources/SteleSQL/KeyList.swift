/// A list of keys as one binding, for `json_each`.
public enum KeyList {
    /// Returns a JSON array, such as `[1,2,3]`.
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
