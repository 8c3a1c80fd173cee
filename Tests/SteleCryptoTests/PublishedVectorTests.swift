import SteleCrypto
import Testing

/// Values that standards publish.
@Suite struct PublishedVectorTests {
    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)!
        }
    }

    private func base64(_ text: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var (bits, count, bytes) = (0, 0, [UInt8]())
        for letter in text {
            bits = bits << 6 | letters.firstIndex(of: letter)!
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    /// FIPS 180-4, examples of NIST.
    @Test func hashes() {
        #expect(
            Digest.sha256("abc".utf8)
                == bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            Digest.sha256([])
                == bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
        var long = Digest(.sha512)
        for part in ["a", "", "bc"] { long.update(part.utf8) }
        #expect(
            long.finish()
                == bytes(
                    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"))
    }

    @Test func partsOfAMillion() {
        var digest = Digest()
        let part = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
        for _ in 0..<1_000 { digest.update(part) }
        #expect(
            digest.finish()
                == bytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
    }

    /// Test case 14 of the submission of GCM to NIST.
    @Test func opensAESGCM() {
        let key = [UInt8](repeating: 0, count: 32)
        let sealed =
            bytes("000000000000000000000000")
            + bytes("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        #expect(SealedBytes.open(sealed, key: key) == [UInt8](repeating: 0, count: 16))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 100_000])
    func whatIsSealedIsOpened(_ count: Int) throws {
        let key = Array(UInt8(0)..<32)
        let text = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try #require(SealedBytes.seal(text, key: key))
        #expect(sealed.count == count + 28)
        #expect(SealedBytes.open(sealed, key: key) == text)
        #expect(SealedBytes.seal(text, key: key) != sealed, "each has a nonce of its own")
        for place in [0, 11, 12 + count / 2, sealed.count - 1] {
            var changed = sealed
            changed[place] ^= 1
            #expect(SealedBytes.open(changed, key: key) == nil, "byte \(place)")
        }
        #expect(SealedBytes.open(sealed.dropLast(), key: key) == nil)
        #expect(SealedBytes.open(sealed, key: key.reversed()) == nil)
        #expect(SealedBytes.seal(text, key: [1, 2, 3]) == nil)
        #expect(SealedBytes.open(sealed.prefix(27), key: key) == nil)
    }

    /// RFC 7515, A.1.
    @Test func verifiesHS256() {
        let key = SignatureKey(
            secret: base64(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
            ))
        let signed = Array(
            ("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQo"
                + "gImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ").utf8)
        let signature = base64("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.verifies(signature, of: signed))
        expectRefused(key, signature, signed)
    }

    /// RFC 7515, A.3.
    @Test func verifiesES256() throws {
        let key = try #require(
            SignatureKey(
                p256X: base64("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                y: base64("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")))
        let signed = Array(
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
                + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ").utf8)
        let signature = base64(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        )
        #expect(key.verifies(signature, of: signed))
        expectRefused(key, signature, signed)
        #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: signed))
        #expect(!key.verifies([UInt8](repeating: 255, count: 64), of: signed))
    }

    @Test func refusesWhatIsNoKey() {
        let one = [UInt8](repeating: 1, count: 32)
        #expect(SignatureKey(p256X: one, y: one) == nil, "no point of the curve")
        #expect(SignatureKey(p256X: [], y: []) == nil)
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(SignatureKey(p256X: zero, y: zero) == nil)
        let odd = [UInt8](repeating: 255, count: 256)
        #expect(SignatureKey(rsaModulus: odd, exponent: [1, 0, 1]) != nil)
        #expect(SignatureKey(rsaModulus: Array(odd.dropLast(129)), exponent: [1, 0, 1]) == nil)
        #expect(SignatureKey(rsaModulus: odd.dropLast() + [2], exponent: [1, 0, 1]) == nil)
        for exponent: [UInt8] in [[], [0], [1], [0, 1], [2], [1, 0, 0]] {
            #expect(SignatureKey(rsaModulus: odd, exponent: exponent) == nil, "\(exponent)")
        }
    }

    private func expectRefused(_ key: SignatureKey, _ signature: [UInt8], _ signed: [UInt8]) {
        #expect(!key.verifies(signature, of: signed + [0]))
        #expect(!key.verifies(signature, of: []))
        #expect(!key.verifies([], of: signed))
        #expect(!key.verifies(signature.dropLast(), of: signed))
        #expect(!key.verifies(signature + [0], of: signed))
        for place in signature.indices {
            var changed = signature
            changed[place] ^= 1
            #expect(!key.verifies(changed, of: signed), "byte \(place)")
        }
    }
}
