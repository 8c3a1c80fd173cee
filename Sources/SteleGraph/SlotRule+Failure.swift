/// Whether a value is what the model asks for.

import SteleModel

extension SlotRule {
    /// The error for the object's value in this slot, or nil where it is valid.
    func failure(of object: ManagedObject) -> ValidationError? {
        guard slot < object.values.count else { return nil }
        switch (check, object.values[slot]) {
        case (_, .null):
            if let optionalSlots, optionalSlots.allSatisfy({ object.value($0).isNull }) {
                return nil
            }
            return isRequired && !isLeft(object) ? .missing(object, name) : nil
        case (.none, _): return nil
        case (.integer(let range), .int(let it)):
            if range.contains(it) { return nil }
            return it > range.upperBound
                ? .tooLarge(object, name, .int(it), most: .int(range.upperBound))
                : .tooSmall(object, name, .int(it), least: .int(range.lowerBound))
        case (.double(let low, let high), .double(let it)):
            if let high, it > high {
                return .tooLarge(object, name, .double(it), most: .double(high))
            }
            guard let low, it < low else { return nil }
            return .tooSmall(object, name, .double(it), least: .double(low))
        case (.decimal(let low, let high), .decimal(let it)):
            if let high, it > high {
                return .tooLarge(object, name, .decimal(it), most: .decimal(high))
            }
            guard let low, it < low else { return nil }
            return .tooSmall(object, name, .decimal(it), least: .decimal(low))
        case (.date(let low, let high), .date(let it)):
            if let high, it > high { return .tooLate(object, name, it, latest: high) }
            guard let low, it < low else { return nil }
            return .tooSoon(object, name, it, earliest: low)
        case (.text(let low, let high, let pattern), .string(let it)):
            return textFailure(object, it, low, high, pattern)
        case (.uri, .string(let it)):
            return isURI(it) ? nil : .invalidURI(object, name, it)
        default: return nil
        }
    }

    /// Whether No Action has left the object without its destination, now or before.
    private func isLeft(_ object: ManagedObject) -> Bool {
        guard let left, let before = object.before, before.values.indices.contains(slot) else {
            return false
        }
        guard case .key(let key) = before.values[slot], let context = object.context else {
            return true
        }
        return context.known(context.destinationID(left, key))?.isDeleted == true
    }

    private func textFailure(
        _ object: ManagedObject, _ text: String, _ least: Int?, _ most: Int?, _ pattern: String?
    ) -> ValidationError? {
        if least != nil || most != nil {
            let length = text.utf16.count
            if let most, length > most {
                return .tooLong(object, name, text, length: length, most: most)
            }
            if let least, length < least {
                return .tooShort(object, name, text, length: length, least: least)
            }
        }
        guard let pattern else { return nil }
        let outcome = PatternMatch.of(text, pattern)
        return outcome == .matches ? nil : .unmatched(object, name, text, pattern: pattern, outcome)
    }
}

/// Whether the text has only what RFC 3986 allows in a URI reference, well percent-encoded.
func isURI(_ text: String) -> Bool {
    var digitsDue = 0
    for byte in text.utf8 {
        let isHex =
            (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
            || (0x61...0x66).contains(byte)
        if digitsDue > 0 {
            guard isHex else { return false }
            digitsDue -= 1
        } else if byte == UInt8(ascii: "%") {
            digitsDue = 2
        } else {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: break
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): break
            case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
                UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "@"):
                break
            case UInt8(ascii: "!"), UInt8(ascii: "$"), 0x26...0x2C, UInt8(ascii: ";"),
                UInt8(ascii: "="):
                break
            default: return false
            }
        }
    }
    return digitsDue == 0 && !text.utf8.isEmpty
}
