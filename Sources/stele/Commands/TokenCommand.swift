/// `stele token`: makes a token for the file of the setting `rights`.

import ArgumentParser
import Crypto
import SteleJSON
import SteleRequests

/// Makes a token. Only its hash is kept, so that the rights file tells nobody a token.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make a token for a rights file.",
        discussion: """
            The first line is the token, which is sent as Authorization: Bearer TOKEN and cannot \
            be shown again. The second line goes into tokens of the file that --rights names.

            EXAMPLE
              stele token ann --role reader
            """)

    @Argument(help: "The token's name, for logs.")
    var name: String

    @Option(help: ArgumentHelp("The role; all gives all rights.", valueName: "name"))
    var role: String

    @Option(help: ArgumentHelp("The value of $USER; by default the name.", valueName: "text"))
    var user: String?

    func run() throws {
        // 32 random bytes, in letters that need no escape in a header or a shell.
        let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let token = Self.hexadecimal(bytes)
        let hash = Self.hexadecimal(SHA256.hash(data: Array(token.utf8)))
        var members: [(String, JSONValue)] = [
            ("name", .string(name)), ("role", .string(role)), ("sha256", .string(hash)),
        ]
        if let user { members.append(("user", .string(user))) }
        write("\(token)\n\(JSONValue.object(members).compact)\n", to: 1)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
