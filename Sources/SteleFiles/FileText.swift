import SteleJSON
import SteleModel
import StelePersistence

extension Value {
    /// The value as text, for formats of text: as in a `contents` file, and dates in ISO 8601 where
    /// that is exact. Bytes have no such text.
    /// - Throws: `StoreError.invalid` for a value without a text.
    func fileText(of attribute: Attribute, _ key: Int64) throws(StoreError) -> String {
        if case .date(let seconds) = self,
            let text = ISO8601.text(secondsSinceReferenceDate: seconds),
            (try? ISO8601.secondsSinceReferenceDate(text)) == seconds
        {
            return text
        }
        if case .double(let number) = self { return number.description }
        guard let text = ValueText.text(self, attribute.type) else {
            throw .invalid("the value of \(attribute.name) of object \(key) has no text")
        }
        return text
    }

    /// Reads a value from its text, or bytes from base64; nil for a text that is no value of that
    /// type.
    init?(fileText text: String, _ type: AttributeType) {
        switch type {
        case .binary, .transformable:
            guard let bytes = Base64.decode(text) else { return nil }
            self = .data(bytes)
        case .date:
            if let seconds = try? ISO8601.secondsSinceReferenceDate(text) {
                self = .date(seconds)
            } else if case .double(let seconds)? = ValueText.value(text, .double) {
                self = .date(seconds)
            } else {
                return nil
            }
        case .decimal:
            guard let number = DecimalText.parse(stored: Array(text.utf8)) else { return nil }
            self = .decimal(number)
        case .float:
            guard let number = ValueText.value(text, .double) else { return nil }
            self = number
        default:
            guard let value = ValueText.value(text, type) else { return nil }
            self = value
        }
    }
}
