import SteleModel
import StelePersistence
import StelePredicates

/// Fetched properties: the source objects, joined to the objects that each of them fetches.
extension Select {
    /// Joins the rows of the request's source, so that `$FETCH_SOURCE` and its key paths are
    /// columns; nil for a request without a source.
    static func join(
        _ source: FetchSource?, _ scope: Scope, _ translation: Translation
    ) throws(StoreError) -> Position? {
        guard let source else { return nil }
        let entity = translation.model.entities[source.entity]
        let table = translation.schema.table(of: entity.index)
        let alias = translation.makeAlias()
        let key = "\(alias).Z_PK"
        let condition =
            if source.keys.count == 1, let only = source.keys.first {
                "= \(translation.bind(.key(only)))"
            } else {
                translation.schema.dialect.isOneOf(
                    translation.bind(.string(KeyList.json(source.keys))))
            }
        scope.join(
            translation.translator.source(table.name), alias, on: "\(key) \(condition)",
            outer: false)
        scope.setRow(key, alias)
        return Position(scope: scope, key: key, entity: entity, isNullable: false)
    }

    /// Returns the objects for each source object: its key, then the columns of the object.
    func fetched(_ list: String) throws(StoreError) -> FetchStatement {
        guard let source else { throw .invalid("the request has no source") }
        let order = try order().keys.map { ", \($0.term)" }.joined()
        return statement(
            "\(source.key), \(list)", try filter(isCounted: false),
            tail: " ORDER BY \(source.key)\(order)\(limit())")
    }
}

extension FetchTranslator {
    /// Returns the SELECT of the objects for each source object: the source's key, then the columns
    /// of the object.
    /// - Throws: `StoreError`, as described at the type.
    public func fetchedSnapshots(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        let select = try Select(self, request)
        return try select.fetched(selectLists[request.entity.root] ?? "")
    }
}
