/// The preconditions of a write: `If-Match` and `If-None-Match` (RFC 9110, 13.1).

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The preconditions of a write, compared with what its address shows.
struct Preconditions {
    /// What an address shows.
    enum Representation {
        case object(ManagedObject)
        /// A Binary attribute without a value: nothing is there, and tags name its object's version.
        case noValue(ManagedObject)
        /// The destination of a to-one relationship; nil if there is none.
        case destination(ManagedObject?)
        /// A list, identified by the last save.
        case list(generation: String, token: Int64)
        /// Nothing: the address cannot be read, or nothing exists there.
        case none

        fileprivate var isThere: Bool {
            switch self {
            case .object, .destination, .list: true
            case .noValue, .none: false
            }
        }

        /// The object whose version is compared.
        fileprivate var object: ManagedObject? {
            switch self {
            case .object(let it), .noValue(let it): it
            case .destination, .list, .none: nil
            }
        }
    }

    private let ifMatch: Terms.IfMatch?
    private let ifNoneMatch: [EntityTags.Tag]

    /// Nil if the client sends none.
    init?(_ terms: Terms) {
        if terms.ifMatch == nil, terms.ifNoneMatch.isEmpty { return nil }
        ifMatch = terms.ifMatch
        ifNoneMatch = terms.ifNoneMatch
    }

    /// - Parameter body: the body of the request, to show what it would have changed.
    /// - Throws: `Problem`, 412, for a precondition that is not met.
    func check(_ shown: Representation, _ body: JSONNode?, _ writer: ObjectWriter) throws {
        switch ifMatch {
        case .any:
            if !shown.isThere {
                throw Problem(
                    .precondition, "If-Match needs an existing resource, and there is none")
            }
        case .tags(let tags):
            guard tags.contains(where: { !$0.isWeak && matches($0, shown) }) else {
                throw failure(tags, shown, body: body, writer)
            }
        case nil: break
        }
        for tag in ifNoneMatch
        where shown.isThere && (tag.opaque == "*" && !tag.isQuoted || matches(tag, shown)) {
            throw Problem(
                .precondition, "If-None-Match names the current state",
                hint: "leave it out to change the current state")
        }
    }

    private func matches(_ tag: EntityTags.Tag, _ shown: Representation) -> Bool {
        switch shown {
        case .object(let object), .noValue(let object):
            EntityTags.version(of: tag.opaque) == object.version
        case .destination(let object):
            EntityTags.isDestination(
                tag.opaque, version: object?.version ?? 0, key: object?.objectID.key ?? 0)
        case .list(let generation, let token):
            EntityTags.isList(tag.opaque, generation: generation, token: token)
        case .none: false
        }
    }

    private func failure(
        _ tags: [EntityTags.Tag], _ shown: Representation, body: JSONNode?,
        _ writer: ObjectWriter
    ) -> Problem {
        let areWeak = EntityTags.areWeak(tags)
        let hint = "read it again, and apply the change to the current version"
        guard let object = shown.object else {
            if case .none = shown {
                return Problem(
                    .precondition, "If-Match names a version, and nothing exists at this address",
                    hint: hint)
            }
            if areWeak {
                return Problem(.precondition, EntityTags.weakDetail, hint: EntityTags.weakHint)
            }
            return Problem(
                .precondition, "If-Match names another state than the current one", hint: hint)
        }
        let named = tags.filter { !$0.isWeak }.compactMap { EntityTags.version(of: $0.opaque) }
        let text = named.map(String.init).joined(separator: ", ")
        var members: [(String, JSONValue)] = [("storedVersion", object.storedVersionMember)]
        if named.count == 1 { members.insert(("yourVersion", .integer(named[0])), at: 0) }
        if let body { members.append(("conflicts", writer.conflicts(object, body))) }
        if areWeak {
            return Problem(
                .precondition, EntityTags.weakDetail,
                hint: "\(EntityTags.weakHint), or send the version as _version in the body",
                members: members)
        }
        return Problem(
            .precondition,
            text.isEmpty
                ? "If-Match names no version: send the ETag of the object itself"
                : "If-Match names version \(text), and \(object.shownVersion)",
            hint: hint, members: members)
    }
}

extension WritePlan {
    /// Nil if the client sends none.
    var preconditions: Preconditions? { Preconditions(terms) }
}
