import SteleModel
import StelePredicates

extension Relationship {
    /// A request for the objects whose relationship leads to any of the keys.
    func request(leadingTo keys: [Int64], in model: Model) -> FetchRequest {
        var request = FetchRequest(entity: model.entities[owner])
        let list = Expression.aggregate(keys.map { .constant(.key($0)) })
        request.predicate = .comparison(
            isToMany
                ? Comparison(.key(name), .in, list, modifier: .any)
                : Comparison(.key(name), .in, list))
        request.isChecked = true
        return request
    }
}
