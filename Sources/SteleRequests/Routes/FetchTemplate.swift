/// The model's fetch request templates, parsed once, for `/fetch/NAME`.

import SteleModel
import StelePredicates

/// A fetch request template (NSManagedObjectModel.fetchRequestTemplate(forName:)).
package struct FetchTemplate: Sendable {
    package let declared: FetchRequestTemplate
    package let entity: Entity
    /// The parsed predicate; nil if all objects match.
    let predicate: Predicate?
    /// Why the predicate cannot be parsed.
    let failure: PredicateError?
    /// The free variables of the predicate, sorted.
    package let variables: [String]

    package var name: String { declared.name }
    /// The maximum number of objects; nil if the template has none.
    package var limit: Int? { declared.fetchLimit > 0 ? declared.fetchLimit : nil }

    init(_ declared: FetchRequestTemplate, of entity: Entity) {
        self.declared = declared
        self.entity = entity
        var predicate: Predicate?
        var failure: PredicateError?
        if let text = declared.predicateFormat, !text.isEmpty {
            do { predicate = try Predicate(format: text) } catch { failure = error }
        }
        self.predicate = predicate
        self.failure = failure
        variables = predicate?.freeVariables.sorted() ?? []
    }
}

/// All templates of a model, in its order.
package struct FetchTemplates: Sendable {
    package let all: [FetchTemplate]

    package init(_ model: Model) {
        all = model.declaration.fetchRequestTemplates.compactMap { declared in
            model.entity(named: declared.entityName).map { FetchTemplate(declared, of: $0) }
        }
    }

    /// The template with a name.
    /// - Throws: `Problem`, 404, with the nearest name.
    func named(_ name: String, _ basePath: String) throws -> FetchTemplate {
        if let template = all.first(where: { $0.name == name }) { return template }
        let near = Nearest.name(to: name, among: all.map(\.name))
        throw Problem(
            .route, "the model has no fetch request \(name.prefix(100))",
            hint: near.map { "did you mean \(basePath)/fetch/\($0)?" }
                ?? "GET \(basePath)/fetch lists them")
    }
}
