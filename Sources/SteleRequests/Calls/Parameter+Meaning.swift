// What parameters mean and which values they take, for the description of the service.

import SteleGraph

extension Parameter {
    /// The values that a parameter takes.
    package enum Form: Sendable {
        case text
        /// Texts separated by commas.
        case texts
        case flag
        /// A whole number.
        case number(from: Int)
        case choice([String])
        /// `NAME` with a point before the name of the query, as in `q.NAME`.
        case named
    }

    /// The values that the parameter takes.
    package var form: Form {
        switch self {
        case .where, .after, .having, .since, .until, .before, .sectionBy, .ticket, .from, .to:
            .text
        case .sort, .select, .groupBy, .include, .entity, .updated: .texts
        case .distinct, .subentities, .count, .values: .flag
        case .limit, .changeLimit: .number(from: 1)
        case .offset, .at: .number(from: 0)
        case .format: .choice(["json", "ndjson", "csv"])
        case .numbers: .choice(["number", "string"])
        case .mergePolicy: .choice(MergePolicy.allCases.map(\.rawValue))
        case .q: .named
        }
    }

    /// What the parameter means, in a sentence.
    package var meaning: String {
        switch self {
        case .where: "A predicate that the objects must match."
        case .sort:
            "Keys separated by commas; - before a key is descending, [c], [d] or [l] after it are "
                + "options."
        case .limit: "The maximum number of rows; in JSON at most 10000."
        case .offset: "The number of rows to skip."
        case .after: "The end of the previous page, from its Link header."
        case .select:
            "Columns separated by commas: properties, key paths, alias:expression, aggregates."
        case .groupBy: "The keys of groups, separated by commas."
        case .having: "A condition on groups."
        case .distinct: "Whether equal rows are given once."
        case .include: "Relationships and fetched properties to embed, as paths."
        case .subentities: "Whether objects of subentities are included."
        case .count: "Whether the answer has the header Total-Count."
        case .format: "The format of the answer; it overrides Accept."
        case .numbers: "Whether Decimals, and integers beyond 2^53, are written as strings."
        case .at: "The position of the added members, counted from 0."
        case .mergePolicy: "How conflicts between the body and what is stored are resolved."
        case .since: "A token of the change feed, or 0 for the oldest save kept."
        case .until: "A token of the change feed: the page has the last saves up to that one."
        case .before: "The token of the first save to keep."
        case .entity: "The entities whose changes are reported, with their subentities."
        case .from: "The name of the version before; by default the one before `to`."
        case .to: "The name of the version after; by default the one that is served."
        case .values: "Whether each change has its object."
        case .updated: "Keys; only updates that changed one of them are reported."
        case .changeLimit: "The maximum number of changes of a save; at most 1000."
        case .sectionBy: "A key path that sorts a live query first and gives each row its section."
        case .ticket: "A ticket for an event stream, in place of Authorization."
        case .q: "The address of each live query, percent-encoded as a whole."
        }
    }

    /// A value that every entity takes; nil if there is none.
    package var example: String? {
        switch self {
        case .where: "_id > 0"
        case .sort: "-_id"
        default: nil
        }
    }
}
