// Base64: what is read, what is refused, and that what is written reads back.

import SteleJSON
import Testing

struct Base64Tests {
    @Test func base64IsReadStrictly() {
        #expect(Base64.decode("") == [])
        #expect(Base64.decode("AAH/") == [0, 1, 255])
        #expect(Base64.decode("AA==") == [0])
        #expect(Base64.decode("AAA=") == [0, 0])
        for wrong in ["A", "AA", "AA=", "AA===", "A===", "=AAA", "AAB=", "AB==", "A A=", "AA-_"] {
            #expect(Base64.decode(wrong) == nil, "\(wrong)")
        }
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 77 + count) }
            let text = Base64.encodeURLSafe(bytes)
            #expect(Base64.decode(text, urlSafe: true) == bytes)
        }
    }
}
