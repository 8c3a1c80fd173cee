/// The value transformers of a command.

import FoundationEssentials
import SteleModel
import SteleTransformers

/// Registers transformers before a model is read.
enum Transformers {
    /// Registers Stele's transformers, with the encrypting one where there is a key.
    /// - Throws: `Failure` for a key that is not valid or cannot be read. It never has the key.
    static func register(key: String?, file: String?) throws {
        ValueTransformers.registerStandard()
        guard let (text, place) = try given(key, file) else { return }
        do throws(TransformationError) {
            ValueTransformers.setValueTransformer(
                try AESGCMTransformer(key: text), forName: ValueTransformers.encrypted)
        } catch {
            throw Failure("\(place) \(error.reason) (\(error.hint ?? ""))")
        }
    }

    /// Registers them with a key and the strictness from the environment, for commands without
    /// settings.
    static func registerFromEnvironment() throws {
        let all = ProcessInfo.processInfo.environment
        try register(key: all["STELE_ENCRYPTION_KEY"], file: all["STELE_ENCRYPTION_KEY_FILE"])
        let reading = SettingReading(
            source: try SettingSource(
                flags: [:], file: nil, environment: all.filter { $0.key != "STELE_CONFIG" }))
        ValueTransformers.isStrict = try reading.truth("strict-transformers")
    }

    private static func given(
        _ key: String?, _ file: String?
    ) throws -> (text: String, place: String)? {
        if let key {
            if file != nil {
                throw Failure("encryption-key and encryption-key-file are both given: give one")
            }
            return (key, "encryption-key")
        }
        guard let file else { return nil }
        guard let data = FileManager.default.contents(atPath: file), data.count <= 4_096 else {
            throw Failure("encryption-key-file: \(file) cannot be read")
        }
        return (String(decoding: data, as: UTF8.self), "encryption-key-file \(file)")
    }
}
