// The place of the body of a large value, chosen when the head of its request has arrived.

import SteleHTTP
import SteleModel
import SteleRequests

extension Service {
    /// The sink for the body of a PUT to a Binary attribute that allows external storage. Nil for
    /// other requests, and for those that will be refused: their bodies are read as usual, and the
    /// whole request is answered.
    public func sink(for request: Request) -> (any BodySink)? {
        guard model.hasExternalAttributes, request.method == "PUT",
            (try? Body.checkIsWhole(request.headers)) != nil, let rights = try? gate.admit(request),
            let route = try? routes.match(request),
            // A value that no save can take must not become a file.
            route.context == nil, case .binary(_, let attribute) = route.resource,
            attribute.isExternal,
            (try? rights.check(.update, model.entities[attribute.owner])) != nil,
            let writer = try? coordinator.store.externalDataWriter()
        else { return nil }
        return BinaryUpload(
            writer, limit: options.uploadBytes,
            hasKey: request.headers.contains("Idempotency-Key"))
    }
}
