/// Whether a history is one: each change fits what was there before it.

import Foundation

/// Plays a history on an empty store.
struct HistoryCheck {
    /// The objects as they are now, by family and id, as JSON text.
    private(set) var objects: [String: [String: Any]] = [:]
    private(set) var failures: [String] = []
    /// In which saves a mark was written, and on how many objects.
    private(set) var marked: [String: [String: Int]] = [:]
    /// In which saves an object was deleted.
    private(set) var deleted: [String: [String]] = [:]

    init(_ saves: [[String: Any]]) {
        for (index, save) in saves.enumerated() {
            let transaction = Torture.text(save["transaction"])
            if Torture.number(transaction) != Int64(index + 1) {
                failures.append("\(transaction) is the history's save \(index + 1)")
            }
            for change in save["changes"] as? [[String: Any]] ?? [] { play(change, transaction) }
        }
    }

    private mutating func play(_ change: [String: Any], _ transaction: String) {
        let entity = Torture.text(change["entity"])
        let id = (change["_id"] as? NSNumber)?.intValue ?? 0
        let key = "\(entity == "Team" ? "Team" : "Person") \(id)"
        let object = change["object"] as? [String: Any] ?? [:]
        let known = objects[key]
        func fail(_ what: String) { failures.append("\(transaction), \(key): \(what)") }
        let kind = change["change"] as? String
        switch kind {
        case "insert":
            if known != nil { fail("inserted twice") }
            objects[key] = object
        case "update":
            if Torture.json(FeedFilter.before(change))
                != Torture.json(Self.versioned(known, object))
            {
                fail(
                    "was \(Torture.json(known ?? [:])), and the update says \(Torture.json(change))"
                )
            }
            objects[key] = object
        default:
            if Torture.json(known ?? [:]) != Torture.json(object) {
                fail(
                    "was \(Torture.json(known ?? [:])), and the deletion says \(Torture.json(object))"
                )
            }
            objects[key] = nil
            deleted[key, default: []].append(transaction)
        }
        let keys = change["updated"] as? [String] ?? []
        if kind == "insert" || keys.contains("mark"), let mark = object["mark"] as? String {
            marked[mark, default: [:]][transaction, default: 0] += 1
        }
    }

    /// The object before an update, but with the version after it, which `before` does not tell.
    private static func versioned(_ known: [String: Any]?, _ object: [String: Any]) -> [String: Any]
    {
        var known = known ?? [:]
        known["_version"] = object["_version"]
        return known
    }

    /// What is wrong with what a writer was answered.
    func failures(of saves: [StaffWriter.Save]) -> [String] {
        saves.compactMap { save in
            let found =
                save.deleted.map { deleted[$0]?.count ?? 0 } ?? marked[save.mark]?.count ?? 0
            let said =
                "\(save.path) \(save.mark), answered \(save.status.map(String.init) ?? "nothing")"
            guard found < 2 else { return "\(said), was saved \(found) times" }
            if let objects = save.objects, let has = marked[save.mark]?.first?.value,
                has != objects
            {
                return "\(said), has \(has) of \(objects) objects"
            }
            // A mark that is in no save: PATCH with a `where` that nothing matched.
            if save.isSaved, found == 0, !save.path.contains("?where=") {
                return "\(said), is lost"
            }
            // Who is refused may ask for what another has deleted.
            if let status = save.status, status >= 400, found > 0, save.deleted == nil {
                return "\(said), was saved"
            }
            return nil
        }
    }
}
