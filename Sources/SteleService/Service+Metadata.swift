// What the store says of itself over HTTP.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Service {
    /// Answers `/metadata`: the metadata as a JSON object, after it was changed by PATCH.
    func metadata(_ call: Call) throws -> Response {
        if call.route.method == .patch {
            try change(call.body)
            if call.terms.wantsMinimal {
                return Response(
                    status: 204, headers: [("Preference-Applied", "return=minimal")])
            }
        }
        let values = try coordinator.store.metadata.sorted { $0.key < $1.key }
        var writer = ByteWriter(capacity: 2048)
        JSONValue.object(values.map { ($0.key, $0.value.json) }).write(to: &writer)
        return Response(
            status: 200,
            headers: [("Content-Type", MediaType.json.rawValue), ("Cache-Control", "no-store")],
            body: .bytes(writer.take()))
    }

    /// Applies a JSON merge patch (RFC 7396).
    private func change(_ body: JSONDocument?) throws {
        guard let root = body?.root, root.kind == .object else {
            throw Problem(
                .body, "the metadata is changed by a JSON merge patch, which is an object",
                hint: #"such as {"release": 3}; null removes a key"#)
        }
        do {
            try coordinator.store.changeMetadata { values in
                try root.forEachMember { key, node in
                    values[key] = try PropertyList.merge(node, into: values[key], at: key)
                }
            }
        } catch let error as PropertyList.JSONFailure {
            throw Problem(.metadata, error.description)
        } catch let error as MetadataError {
            throw Problem(.metadata, error.description)
        } catch StoreError.invalid(let reason) {
            throw Problem(.metadata, reason)
        }
    }
}
