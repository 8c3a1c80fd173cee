// The OpenAPI document of a service.

import SteleGraph
import SteleJSON
import SteleRequests

extension Service {
    /// Makes the document of a service with these options, or that of its editing contexts.
    static func openAPI(
        _ coordinator: PersistentStoreCoordinator, _ routes: Routes, _ options: Options,
        isEditing: Bool = false
    ) -> @Sendable () -> JSONValue {
        {
            let model = coordinator.model
            return OpenAPIDocument(
                model: model, routes: routes, title: options.modelName ?? model.name,
                basePath: options.basePath, version: version,
                needsToken: options.token != nil || options.rights != nil,
                configurations: coordinator.persistentStores.compactMap(\.model.configuration),
                limits: options.limits, isEditing: isEditing
            ).json
        }
    }
}
