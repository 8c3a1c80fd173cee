// Values under AES-GCM.

import SteleModel
import Testing

@testable import SteleTransformers

@Suite struct EncryptionTests {
    static let key = String(repeating: "0123456789abcdef", count: 4)

    @Test func aValueComesBackAndItsBytesTellNothing() throws {
        let transformer = try AESGCMTransformer(key: Self.key)
        let json = Array("{\"card\":\"4111 1111\"}".utf8)
        let stored = try transformer.stored(json)
        #expect(try transformer.value(stored) == json)
        #expect(stored.count == 1 + 12 + json.count + 16)
        #expect(!String(decoding: stored, as: UTF8.self).contains("4111"))
        // The same value twice has two nonces.
        #expect(try transformer.stored(json) != stored)
    }

    @Test func anotherKeyAndChangedBytesAreErrorsWithoutTheKey() throws {
        let transformer = try AESGCMTransformer(key: Self.key)
        let other = try AESGCMTransformer(key: String(repeating: "f", count: 64))
        var stored = try transformer.stored(Array("1".utf8))
        let error = #expect(throws: TransformationError.self) { try other.value(stored) }
        #expect(error?.reason.contains("the key does not fit") == true)
        stored[stored.count - 1] ^= 1
        #expect(throws: TransformationError.self) { try transformer.value(stored) }
        #expect(throws: TransformationError.self) { try transformer.value([]) }
        #expect(throws: TransformationError.self) { try transformer.value([1, 2, 3]) }
        #expect(throws: TransformationError.self) { try transformer.value(Array("{}".utf8)) }
        #expect(!"\(transformer) \(String(reflecting: transformer))".contains("0123"))
    }

    @Test(arguments: [
        "", "short", "c2hvcnQ=", String(repeating: "g", count: 64),
        String(repeating: "+f", count: 32),
    ])
    func whatIsNoKeyIsRefusedWithoutShowingIt(_ text: String) {
        let error = #expect(throws: TransformationError.self) { try AESGCMTransformer(key: text) }
        #expect(error.map { !$0.reason.contains("short") } == true)
    }

    @Test func aKeyIsHexadecimalOrBase64() throws {
        let hexadecimal = try AESGCMTransformer(key: String(repeating: "00", count: 32))
        let base64 = try AESGCMTransformer(key: String(repeating: "A", count: 43) + "=\n")
        #expect(try base64.value(hexadecimal.stored([0x31])) == [0x31])
    }

    @Test func anEncryptedAttributeCannotBeUnique() throws {
        ValueTransformers.setValueTransformer(
            try AESGCMTransformer(key: Self.key), forName: "UniqueKey")
        var secret = AttributeDescription(name: "secret", type: .transformable)
        secret.valueTransformerName = "UniqueKey"
        var safe = EntityDescription(name: "Safe")
        safe.properties = [.attribute(secret)]
        var declaration = ManagedObjectModel(name: "Safes")
        declaration.entities = [safe]
        #expect(try Model(declaration).unsupported().isEmpty)
        declaration.entities[0].uniquenessConstraints = [["secret"]]
        let errors = try Model(declaration).unsupported()
        #expect(errors.map(\.place) == ["Safe.secret"])
        #expect(errors.first?.message.contains("different ciphertexts") == true)
    }
}
