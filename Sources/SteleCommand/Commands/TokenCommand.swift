/// `stele token`: makes a token for the file of the setting `rights`.

import ArgumentParser
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
        if let reason = RightsFile.refusal(ofName: name) { throw Failure(reason) }
        let token = Secret.make()
        let hash = Secret.hexadecimal(Secret.hash(token.utf8))
        var members: [(String, JSONValue)] = [
            ("name", .string(name)), ("role", .string(role)), ("sha256", .string(hash)),
        ]
        if let user { members.append(("user", .string(user))) }
        write("\(token)\n\(JSONValue.object(members).compact)\n", to: 1)
    }
}
