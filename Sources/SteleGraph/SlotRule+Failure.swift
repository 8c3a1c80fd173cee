import SteleModel

extension SlotRule {
    /// Adds an error for each rule that a value of the slot violates.
    func check(
        _ value: Value, of object: ManagedObject, _ errors: inout [ValidationError]
    ) {
        func checkNumber<Number: Comparable>(
            _ it: Number, least: Number?, most: Number?, _ value: (Number) -> Value
        ) {
            if let most, it > most {
                errors.append(.tooLarge(object, name, value(it), most: value(most)))
            } else if let least, it < least {
                errors.append(.tooSmall(object, name, value(it), least: value(least)))
            }
        }
        switch (check, value) {
        case (_, .null):
            if let optionalSlots,
                optionalSlots.allSatisfy({ $0 == slot || object.value($0).isNull })
            {
                return
            }
            if isRequired, !isLeft(object), !isMissingInStore(object) {
                errors.append(.missing(object, name))
            }
        case (.none, _): break
        case _ where isOfNoType(value) && isStored(value, of: object): break
        case (.integer(let range), .int(let it)):
            checkNumber(it, least: range.lowerBound, most: range.upperBound, Value.int)
        case (.double(let low, let high), .double(let it)):
            checkNumber(it, least: low, most: high, Value.double)
        case (.decimal(let low, let high), .decimal(let it)):
            checkNumber(it, least: low, most: high, Value.decimal)
        case (.date(let low, let high), .date(let it)):
            if let high, it > high {
                errors.append(.tooLate(object, name, it, latest: high))
            } else if let low, it < low {
                errors.append(.tooSoon(object, name, it, earliest: low))
            }
        case (.text(let low, let high, let pattern), .string(let it)):
            checkText(it, least: low, most: high, pattern: pattern, of: object, &errors)
        case (.uri, .string(let it)):
            if !isURI(it), !isStored(value, of: object) {
                errors.append(.invalidURI(object, name, it))
            }
        default: break
        }
    }

    /// Whether the value is the one that the store has. Where it is none of the attribute's type, or
    /// is missing, another program has left it: the object stays valid until it gets another one.
    private func isStored(_ value: Value, of object: ManagedObject) -> Bool {
        guard isStored, let before = object.before, before.values.indices.contains(slot) else {
            return false
        }
        return before.values[slot] == value
    }

    /// Whether the object had no value in the store, and had to have one.
    private func isMissingInStore(_ object: ManagedObject) -> Bool {
        guard isStored(.null, of: object), let before = object.before else { return false }
        guard let optionalSlots else { return true }
        // An optional composite without any value needs none.
        return optionalSlots.contains { !before.values[$0].isNull }
    }

    /// Whether a number is outside of what the attribute's type has, whatever the model's bounds.
    private func isOfNoType(_ value: Value) -> Bool {
        switch (type, value) {
        case (.integer16, .int(let it)), (.integer32, .int(let it)):
            type?.integerRange.contains(it) == false
        default: false
        }
    }

    /// Whether the rule No Action has left the object without its destination.
    private func isLeft(_ object: ManagedObject) -> Bool {
        guard let left, let before = object.before, before.values.indices.contains(slot) else {
            return false
        }
        guard case .key(let key) = before.values[slot], let context = object.context else {
            return true
        }
        return context.loader.known(left, key)?.isDeleted == true
    }

    private func checkText(
        _ text: String, least: Int?, most: Int?, pattern: String?,
        of object: ManagedObject, _ errors: inout [ValidationError]
    ) {
        if least != nil || most != nil {
            let length = text.utf16.count
            if let most, length > most {
                errors.append(.tooLong(object, name, text, length: length, most: most))
            } else if let least, length < least {
                errors.append(.tooShort(object, name, text, length: length, least: least))
            }
        }
        guard let pattern else { return }
        let outcome = PatternMatch.of(text, pattern)
        if outcome == .matches { return }
        errors.append(.unmatched(object, name, text, pattern: pattern, outcome: outcome))
    }
}

/// Whether the text contains only characters that RFC 3986 allows in a URI reference, with valid
/// percent-encoding.
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
