/// The model's fetch request templates, read once: what `/fetch/NAME` asks for.

import SteleModel
import StelePredicates

/// A fetch request template (NSManagedObjectModel.fetchRequestTemplate(forName:)).
package struct FetchTemplate: Sendable {
    package let declared: FetchRequestTemplate
    package let entity: Entity
    /// Its predicate as it is parsed; nil where all objects match.
    package let predicate: Predicate?
    /// Why its predicate cannot be read.
    package let failure: PredicateError?
    /// The variables that need a value, sorted.
    package let variables: [String]

    package var name: String { declared.name }
    /// The most objects that it gives; nil for no bound.
    package var limit: Int? { declared.fetchLimit > 0 ? declared.fetchLimit : nil }

    package init(_ declared: FetchRequestTemplate, of entity: Entity) {
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

/// All templates of one model, in its order.
package struct FetchTemplates: Sendable {
    package let all: [FetchTemplate]

    package init(_ model: Model) {
        all = model.declaration.fetchRequestTemplates.compactMap { declared in
            model.entity(named: declared.entityName).map { FetchTemplate(declared, of: $0) }
        }
    }

    /// The template of that name.
    /// - Throws: `Problem`, 404, with the nearest name.
    package func named(_ name: String, _ basePath: String) throws -> FetchTemplate {
        if let template = all.first(where: { $0.name == name }) { return template }
        let near = Nearest.name(to: name, among: all.map(\.name))
        throw Problem(
            .route, "the model has no fetch request \(name.prefix(100))",
            hint: near.map { "did you mean \(basePath)/fetch/\($0)?" }
                ?? "GET \(basePath)/fetch lists them")
    }
}
