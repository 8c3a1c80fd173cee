/// Authentication: whose request it is.

import SteleHTTP
import SteleModel
import SteleSystem

/// The tokens of a service, and the rights of each.
package final class Access: Sendable {
    /// By the SHA-256 of the token. Tokens are long random numbers, so a fast hash is enough, and
    /// the time of the search says nothing of a token.
    private let tokens: [[UInt8]: Rights]
    /// The rights of a request without a token; nil where each needs one.
    private let anonymous: Rights?
    /// The rights of header fields that were accepted, so that a client's next request needs no
    /// hash. Others are not kept.
    private let accepted = Mutex<[ExactText: Rights]>([:])
    private static let mostAccepted = 10_000
    /// The tickets for event streams.
    package let tickets = Tickets()

    /// Access without authentication.
    package init() {
        tokens = [:]
        anonymous = Rights()
    }

    /// Access by one token with all rights, and by those of a rights file.
    /// - Throws: `RightsError`.
    package init(token: String?, _ file: RightsFile?, model: Model) throws(RightsError) {
        var tokens: [[UInt8]: Rights] = [:]
        if let token {
            tokens[Secret.hash(token.utf8)] = Rights(ofAll: file == nil ? "" : "token")
        }
        func rights(
            _ role: String, name: String, user: String?
        ) throws(RightsError) -> Rights {
            guard let declared = file?.roles[role] else { return Rights(ofAll: name) }
            return try Rights(declared, name: name, user: user, model: model)
        }
        for role in (file?.roles ?? [:]).values.sorted(by: { $0.name < $1.name }) {
            try role.check(model)
        }
        for token in file?.tokens ?? [] {
            tokens[token.hash] = try rights(token.role, name: token.name, user: token.user)
        }
        self.tokens = tokens
        if let role = file?.anonymous {
            anonymous = try rights(role, name: "anonymous", user: nil)
        } else {
            anonymous = token == nil && file == nil ? Rights() : nil
        }
    }

    /// Whether requests need no token, and have all rights.
    package var isOpen: Bool { tokens.isEmpty && anonymous?.isAll ?? false }

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
        if let anonymous { return anonymous }
        throw Self.refusal("the request has no Authorization header")
    }

    private func rights(of given: String) throws(Problem) -> Rights {
        // Without authentication the header is of something else, such as a proxy.
        if isOpen, let anonymous { return anonymous }
        if let known = accepted.withLock({ $0[ExactText(given)] }) { return known }
        let scheme = "bearer "
        guard given.lowercased().hasPrefix(scheme) else {
            throw Self.refusal("the Authorization header does not begin with Bearer and a space")
        }
        let presented = given.utf8.dropFirst(scheme.utf8.count)
        guard let rights = tokens[Secret.hash(presented)] else {
            throw Self.refusal("the token is wrong")
        }
        accepted.withLock { accepted in
            if accepted.count >= Self.mostAccepted { accepted = [:] }
            accepted[ExactText(given)] = rights
        }
        return rights
    }

    /// The ticket in the address of an event stream.
    private static func ticket(of request: Request) -> String? {
        guard let query = request.query, request.method == Method.get.rawValue,
            request.headers.list("Accept")?.contains(MediaType.events.rawValue) ?? false
        else { return nil }
        let start = "\(Parameter.ticket.name)="
        return query.split(separator: "&").first { $0.hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }

    private static func refusal(_ detail: String) -> Problem {
        Problem(
            .token, detail, hint: "send Authorization: Bearer TOKEN",
            headers: [("WWW-Authenticate", "Bearer realm=\"stele\"")])
    }
}
