/// Authentication: whose request it is.

import SteleHTTP
import SteleModel
import SteleSystem

/// The tokens of a service, and the rights of each.
package final class Access: Sendable {
    /// The rights that one reading of a rights file gives.
    private struct Table: Sendable {
        /// By the SHA-256 of the token. Tokens are long random numbers, so a fast hash is enough,
        /// and the time of the search says nothing of a token.
        var tokens: [[UInt8]: Rights] = [:]
        /// The rights of a request without a token; nil where each needs one.
        var anonymous: Rights?
        var issuer: TokenIssuer?
        var roles: [String: RoleDeclaration] = [:]
        var sources: [ExactText] = []
        let validity = Validity()

        /// The rights of a role of the file.
        func rights(
            _ role: String, name: String, user: String?, _ model: Model
        ) throws(RightsError) -> Rights {
            guard let declared = roles[role] else { return Rights(ofAll: name, validity) }
            return try Rights(declared, name: name, user: user, model: model, validity)
        }
    }

    private struct State: Sendable {
        var table: Table
        /// The rights of header fields that were accepted, so that a client's next request needs
        /// neither a hash nor a signature. Others are not kept.
        var accepted: [ExactText: Rights] = [:]
        /// The rights of the users of signed tokens, by role and user.
        var users: [ExactText: Rights] = [:]
    }

    /// The rights of requests that need no token.
    private static let open = Rights()
    private static let mostAccepted = 10_000
    private static let longestAccepted = 4_096
    private static let mostUsers = 10_000

    /// The setting `token`.
    private let token: String?
    private let model: Model?
    private let state: Mutex<State>
    /// The tickets for event streams.
    package let tickets = Tickets()
    /// Whether requests need no token, and have all rights.
    package let isOpen: Bool

    /// Access without authentication.
    package init() {
        (token, model, isOpen) = (nil, nil, true)
        state = Mutex(State(table: Table(anonymous: Self.open)))
    }

    /// Access by one token with all rights, and by those of a rights file.
    /// - Throws: `RightsError`.
    package init(token: String?, _ file: RightsFile?, model: Model) throws(RightsError) {
        (self.token, self.model) = (token, model)
        isOpen = token == nil && file == nil
        state = Mutex(State(table: try Self.table(token, file, model)))
    }

    /// Puts another reading of the rights file in the place of the last one. Event streams of the
    /// last one end at their next event.
    /// - Returns: false where the file is the same.
    /// - Throws: `RightsError`, and nothing has changed.
    package func replace(_ file: RightsFile) throws(RightsError) -> Bool {
        guard let model else { return false }
        let table = try Self.table(token, file, model)
        return state.withLock { state in
            if state.table.sources == table.sources { return false }
            state.table.validity.end()
            state = State(table: table)
            return true
        }
    }

    private static func table(
        _ token: String?, _ file: RightsFile?, _ model: Model
    ) throws(RightsError) -> Table {
        var table = Table(
            issuer: file?.issuer, roles: file?.roles ?? [:], sources: file?.sources ?? [])
        if let token {
            table.tokens[Secret.hash(token.utf8)] = Rights(ofAll: "token")
        }
        for role in table.roles.values.sorted(by: { $0.name < $1.name }) {
            try role.check(model)
            // A rule that does not fit the model is an error now, not when a user comes.
            _ = try Rights(role, name: "", user: "user", model: model)
        }
        for token in file?.tokens ?? [] {
            table.tokens[token.hash] = try table.rights(
                token.role, name: token.name, user: token.user, model)
        }
        if let role = file?.anonymous {
            table.anonymous = try table.rights(
                role, name: Rights.anonymous, user: nil, model)
        } else if token == nil, file == nil {
            table.anonymous = open
        }
        return table
    }

    /// Returns the rights of a request, by its token or else by the ticket of an event stream.
    /// - Throws: `Problem`, 401.
    package func rights(of request: Request) throws(Problem) -> Rights {
        if let given = request.headers["Authorization"], !given.isEmpty {
            return try rights(of: given)
        }
        if let ticket = Self.ticket(of: request) {
            if let rights = tickets.take(ticket) { return rights }
            throw Problem(
                .token, "the ticket is used, older than \(Tickets.seconds) s, or unknown",
                hint: "POST \(RoutePattern.tickets.rawValue) makes another")
        }
        if let anonymous = state.withLock({ $0.table.anonymous }) { return anonymous }
        throw Self.withoutToken
    }

    /// The refusal of a request that needs a token and has none.
    static let withoutToken = refusal("the request has no Authorization header")

    /// The name under which a request counts for its client: that of its token, else its address. A
    /// ticket is not used by it.
    func client(of request: Request) -> String {
        guard let given = request.headers["Authorization"], !given.isEmpty,
            let rights = try? rights(of: given)
        else { return request.clientNetwork }
        return rights.client(of: request)
    }

    private func rights(of given: String) throws(Problem) -> Rights {
        // Without authentication the header is of something else, such as a proxy.
        if isOpen { return Self.open }
        let key = ExactText(given)
        if let known = state.withLock({ $0.accepted[key] }), known.isValid { return known }
        let table = state.withLock { $0.table }
        let scheme = "bearer "
        guard given.lowercased().hasPrefix(scheme) else {
            throw Self.refusal("the Authorization header does not begin with Bearer and a space")
        }
        // Any number of spaces may follow the scheme (RFC 9110, 11.4).
        let presented = given.utf8.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: " ") }
        let rights: Rights
        if let known = table.tokens[Secret.hash(presented)] {
            rights = known
        } else if let issuer = table.issuer, presented.contains(UInt8(ascii: ".")) {
            rights = try self.rights(ofSigned: presented, by: issuer, table)
        } else {
            throw Self.refusal("the token is wrong", isOfToken: true)
        }
        // A long one is verified each time, so that none fills the memory.
        guard given.utf8.count <= Self.longestAccepted else { return rights }
        state.withLock { state in
            if state.accepted.count >= Self.mostAccepted { state.accepted = [:] }
            state.accepted[key] = rights
        }
        return rights
    }

    /// The rights of a JSON Web Token.
    private func rights(
        ofSigned token: some Collection<UInt8>, by issuer: TokenIssuer, _ table: Table
    ) throws(Problem) -> Rights {
        let identity: TokenIssuer.Identity
        do throws(TokenIssuer.Refusal) {
            identity = try issuer.identity(of: token, now: ReferenceDate.now + Self.secondsTo2001)
        } catch {
            throw Self.refusal("the token \(error.reason)", isOfToken: true)
        }
        let key = ExactText("\(identity.role)\n\(identity.user)")
        let known = state.withLock { $0.users[key] }
        if let known, known.isValid {
            return Rights(known, until: identity.end - Self.secondsTo2001)
        }
        guard let model else { throw Self.refusal("the token is wrong", isOfToken: true) }
        let made: Rights
        do throws(RightsError) {
            made = try table.rights(
                identity.role, name: RightsFile.ofIssuer + identity.user, user: identity.user,
                model)
        } catch {
            // The error has the rule that the user's name does not fit.
            throw Self.refusal(
                "the token's user does not fit the rules of its role", isOfToken: true)
        }
        state.withLock { state in
            if state.users.count >= Self.mostUsers { state.users = [:] }
            state.users[key] = made
        }
        return Rights(made, until: identity.end - Self.secondsTo2001)
    }

    /// From 1970, from which tokens count, to 2001.
    private static let secondsTo2001 = 978_307_200.0

    /// The ticket in the address of an event stream.
    private static func ticket(of request: Request) -> String? {
        guard let query = request.query, request.method == Method.get.rawValue,
            request.headers.list("Accept")?.contains(MediaType.events.rawValue) ?? false
        else { return nil }
        let start = "\(Parameter.ticket.name)="
        return query.split(separator: "&").first { $0.hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }

    /// - Parameter isOfToken: whether a token was given (RFC 6750, 3.1).
    private static func refusal(_ detail: String, isOfToken: Bool = false) -> Problem {
        let reason = isOfToken ? ", error=\"invalid_token\"" : ""
        return Problem(
            .token, detail,
            hint: isOfToken
                ? "send a token that the service knows, or a new one of its issuer"
                : "send Authorization: Bearer TOKEN",
            headers: [("WWW-Authenticate", "Bearer realm=\"stele\"\(reason)")])
    }
}
