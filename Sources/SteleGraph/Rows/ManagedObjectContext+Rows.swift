import SteleModel
import StelePredicates

extension ManagedObjectContext {
    /// The rows of a dictionary result by the names of their columns, without unsaved changes
    /// (NSDictionaryResultType). Null is a value, too.
    /// - Throws: the errors of `fetch`.
    public func dictionaries(_ request: FetchRequest) throws -> [[String: Value]] {
        let request = columned(request)
        let names = request.propertiesToFetch.map(\.name)
        return try rows(request).map { row in
            Dictionary(zip(names, row), uniquingKeysWith: { first, _ in first })
        }
    }

    /// The rows of a dictionary result, each decoded into a type, whose coding keys are names of
    /// columns. Unsaved changes are not part of it. A type with one value, such as `String`, takes
    /// rows of one column.
    ///
    /// Without `propertiesToFetch` the columns are the attributes of the entity.
    /// - Throws: the errors of `fetch`; `DecodingError` for a column that is missing, null or of
    ///   another type.
    public func rows<Row: Decodable>(
        _ request: FetchRequest, as type: Row.Type
    ) throws -> [Row] {
        let request = columned(request)
        var columns: [String: Int] = [:]
        for (place, column) in request.propertiesToFetch.enumerated() {
            columns[column.name] = columns[column.name] ?? place
        }
        return try rows(request).map { try RowDecoder(columns: columns, row: $0).decode(type) }
    }

    /// The rows of a typed request with the columns that a closure names, such as
    /// `rows(Player.fetchRequest(), as: Scorer.self) { [$0.name.column("name")] }`.
    /// - Throws: as `rows(_:as:)`.
    public func rows<T, Row: Decodable>(
        _ request: TypedFetchRequest<T>, as type: Row.Type,
        columns: ((ObjectKeys<T>) -> [ExpressionDescription])? = nil
    ) throws -> [Row] {
        var request = request.request(of: try entity(of: T.self))
        request.propertiesToFetch = columns?(ObjectKeys()) ?? []
        return try rows(request, as: type)
    }

    /// The request, with a column for each attribute if it names none.
    private func columned(_ request: FetchRequest) -> FetchRequest {
        guard request.propertiesToFetch.isEmpty else { return request }
        var request = request
        request.propertiesToFetch = request.entity.slots.compactMap { slot in
            guard case .attribute(let it) = slot, !it.isTransient, !it.isEncrypted else {
                return nil
            }
            return ExpressionDescription(name: it.name, expression: .keyPath(it.name))
        }
        return request
    }
}

extension AttributeKey {
    /// The value as a column of rows.
    public func column(_ name: String) -> ExpressionDescription {
        ExpressionDescription(name: name, expression: expression)
    }
}
