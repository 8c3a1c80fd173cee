/// The sources of settings: flags, environment and file, in this order.

import Configuration
import FoundationEssentials
import SteleModel
import SteleSystem

/// The sources as one reader; the first that has a setting wins.
struct SettingSource {
    private let reader: ConfigReader

    /// - Parameters:
    ///   - flags: the settings on the command line, by name.
    ///   - file: the path of a YAML file; nil for that in `STELE_CONFIG`, or for no file.
    ///   - environment: the environment variables.
    /// - Throws: `Failure` for a file that cannot be read or has a key that is not a setting.
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

    /// The setting's text, or its default; an empty text counts as none.
    func text(_ name: String) -> String? {
        if isGiven(name) { return reader.string(forKey: ConfigKey([name])) }
        let setting = Setting.all.first { $0.name == name }
        return setting?.defaultValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the setting has a text that is not its default.
    func isGiven(_ name: String) -> Bool {
        reader.string(forKey: ConfigKey([name])).map { !$0.isEmpty } ?? false
    }

    /// Whether the setting is given without a value.
    func isEmpty(_ name: String) -> Bool {
        reader.string(forKey: ConfigKey([name])).map(\.isEmpty) ?? false
    }

    /// Sentences about variables that begin with `STELE_` and are no setting. They are not refused:
    /// Kubernetes sets such ones for a service of that name.
    static func unknownVariables(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        let known = Setting.all.map(\.variable) + ["STELE_CONFIG"]
        return environment.keys.filter { $0.hasPrefix("STELE_") && !known.contains($0) }.sorted()
            .map { name in
                let hint = Nearest.hint(to: name, among: known).map { ": \($0)" } ?? ""
                return "the variable \(name) is not a setting\(hint)"
            }
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
            throw Failure(
                "the settings file \(path) cannot be read\(FileKind.reason(ofUnreadable: path))")
        }
        // The parser refuses a file of comments alone, which is one without settings.
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        if lines.allSatisfy({ $0.first { !$0.isWhitespace } ?? "#" == "#" }) { return [:] }
        // The parser leaves out a map without members.
        for line in lines {
            guard let match = line.firstMatch(of: /^\s*([\w-]+)\s*:\s*\{/) else { continue }
            throw Failure("\(path): \(match.output.1) must be a value or a list, not a map")
        }
        // A snapshot does not list its keys, but asks for each whether its value is a secret.
        let keys = Mutex<[String]>([])
        let snapshot: YAMLSnapshot
        do {
            snapshot = try YAMLSnapshot(
                data: Array(data).span.bytes, providerName: path,
                parsingOptions: .init(
                    secretsSpecifier: .dynamic { key, _ in
                        keys.withLock { $0.append(key) }
                        return true
                    }))
        } catch {
            throw Failure("\(path) is not a YAML file of settings: \(error)")
        }
        var texts: [String: String] = [:]
        for name in keys.withLock({ $0 }) {
            guard Setting.all.contains(where: { $0.name == name }) else {
                let hint =
                    Nearest.hint(to: name, among: Setting.all.map(\.name)).map { " (\($0))" } ?? ""
                throw Failure("\(path): there is no setting \(name)\(hint)")
            }
            texts[name] = text(of: name, in: snapshot)
        }
        return texts
    }

    private static func text(of name: String, in snapshot: YAMLSnapshot) -> String? {
        let key = AbsoluteConfigKey([name])
        if let value = try? snapshot.value(forKey: key, type: .string).value,
            case .string(let text) = value.content
        {
            return text == "~" || text == "null" ? nil : text
        }
        if let value = try? snapshot.value(forKey: key, type: .stringArray).value,
            case .stringArray(let list) = value.content
        {
            return list.joined(separator: ",")
        }
        return nil
    }
}
