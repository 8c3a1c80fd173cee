// Where the body of a large value goes, decided when the head of its request has come.

import SteleHTTP
import SteleModel
import SteleRequests

extension Service {
    /// The sink for a request's body: of a PUT to a Binary attribute that allows external storage.
    /// Nil for everything else, and for what will be refused: such a body is read as any other, and
    /// the whole request is answered.
    public func sink(for request: Request) -> (any BodySink)? {
        guard model.hasExternalAttributes, request.method == "PUT",
            (try? Body.checkIsWhole(request.headers)) != nil, (try? gate.admit(request)) != nil,
            let route = try? routes.match(request),
            // What no save may ever take is no file.
            route.context == nil, case .binary(_, _, let attribute) = route.resource,
            attribute.isExternal,
            let writer = try? coordinator.store.externalDataWriter()
        else { return nil }
        return BinaryUpload(
            writer, limit: options.uploadBytes,
            hasKey: request.headers.contains("Idempotency-Key"))
    }
}
