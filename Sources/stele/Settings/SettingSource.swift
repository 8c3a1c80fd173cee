/// Where settings come from: flags over environment over file.

import Configuration
import FoundationEssentials
import Glibc

/// The layers, highest first, as one reader.
struct SettingSource {
    private let reader: ConfigReader

    /// - Parameters:
    ///   - flags: what the command line gives, by setting.
    ///   - file: the path of a YAML file, or nil for `STELE_CONFIG`, or none.
    /// - Throws: `Failure` for a file that cannot be read or has a key that is no setting.
    init(
        flags: [String: String], file: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: Self.values(flags)),
            EnvironmentVariablesProvider(environmentVariables: environment)
                .prefixKeys(with: "stele"),
        ]
        if let path = file ?? environment["STELE_CONFIG"], !path.isEmpty {
            providers.append(InMemoryProvider(name: path, values: Self.values(try Self.read(path))))
        }
        reader = ConfigReader(providers: providers)
    }

    /// The setting's text from the highest layer that has it; an empty one counts as none.
    func text(_ name: String) -> String? {
        let given = reader.string(forKey: ConfigKey([name]))
        if let given, !given.isEmpty { return given }
        let setting = Setting.all.first { $0.name == name }
        return setting?.defaultValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a layer has the setting.
    func isGiven(_ name: String) -> Bool {
        reader.string(forKey: ConfigKey([name])).map { !$0.isEmpty } ?? false
    }

    private static func values(_ texts: [String: String]) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, text) in texts {
            values[AbsoluteConfigKey([name])] = ConfigValue(
                .string(text), isSecret: name == "token" || name == "encryption-key")
        }
        return values
    }

    /// The file's settings as text, a list joined by commas.
    private static func read(_ path: String) throws -> [String: String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure("the settings' file \(path) cannot be read")
        }
        let text = String(decoding: data, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            guard let first = line.first, first != "#", !first.isWhitespace, first != "-",
                let colon = line.firstIndex(of: ":")
            else { continue }
            let key = line[..<colon].filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace }
            if key.isEmpty || Setting.all.contains(where: { $0.name == key }) { continue }
            throw Failure("\(path): there is no setting \(key)")
        }
        // A file of comments alone is an empty one.
        let isEmpty = text.split(whereSeparator: \.isNewline).allSatisfy {
            $0.allSatisfy(\.isWhitespace) || $0.drop(while: \.isWhitespace).first == "#"
        }
        if isEmpty { return [:] }
        let snapshot: YAMLSnapshot
        do {
            snapshot = try YAMLSnapshot(
                data: Array(data).span.bytes, providerName: path, parsingOptions: .default)
        } catch {
            throw Failure("\(path) is not a YAML file of settings: \(error)")
        }
        return try read(snapshot, path: path)
    }

    private static func read(_ snapshot: YAMLSnapshot, path: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        for setting in Setting.all {
            let key = AbsoluteConfigKey([setting.name])
            if let one = try? snapshot.value(forKey: key, type: .string).value {
                if case .string(let text) = one.content, text != "~", text != "null" {
                    texts[setting.name] = text
                }
            } else if let many = try? snapshot.value(forKey: key, type: .stringArray).value {
                if case .stringArray(let list) = many.content {
                    texts[setting.name] = list.joined(separator: ",")
                }
            }
        }
        return texts
    }
}
