// The bytes of a Binary attribute.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    /// Reads a value. One in a file is opened and not read.
    func binary(
        _ plan: BinaryPlan, _ terms: Terms, _ context: ManagedObjectContext
    ) throws -> Outcome {
        let snapshot = try existing(plan.owner, context)
        let content = try content(of: snapshot, plan)
        let tag = try tag(of: snapshot, plan.attribute, context)
        if let unchanged = try terms.unchanged(tag, version: snapshot.version) { return unchanged }
        return .binary(content, tag: tag)
    }

    /// The bytes that an address shows.
    /// - Throws: `Problem`, 404, if there is no value, and 410, if its file is missing.
    private func content(of snapshot: Snapshot, _ plan: BinaryPlan) throws -> BinaryContent {
        let attribute = plan.attribute
        guard snapshot.values.indices.contains(attribute.slot) else {
            throw Self.missing(plan.owner)
        }
        switch snapshot.values[attribute.slot] {
        case .data(let bytes): return .bytes(bytes)
        case .external(let data):
            guard let file = FileBody(path: data.path) else {
                let value =
                    "\(attribute.name) of \(plan.owner.entity.name) "
                    + TemporaryID.text(plan.owner.key)
                guard data.isMissing else {
                    throw StoreError.failed("the file \(data.path) of \(value) cannot be read")
                }
                throw Problem(
                    .valueGone,
                    "the file of \(value) is missing beside the store: "
                        + data.identifier.uuidString)
            }
            return .file(file)
        default:
            throw Problem(
                .noValue,
                "\(attribute.name) of \(plan.owner.entity.name) "
                    + "\(TemporaryID.text(plan.owner.key)) has no value")
        }
    }

    /// The tag of a value; nil below an editing context, whose changes have no version.
    private func tag(
        of snapshot: Snapshot, _ attribute: Attribute, _ context: ManagedObjectContext
    ) throws -> String? {
        guard context.parent == nil else { return nil }
        let generation = try context.cacheGeneration()
        guard attribute.isDerived else {
            return EntityTags.plain(version: snapshot.version, generation: generation)
        }
        // A derived value changes without a version.
        return EntityTags.object(
            version: snapshot.version, generation: generation, token: try context.token(), hash: 0)
    }
}

extension WritePlan {
    /// Runs the write and leaves an upload to the store: if it is saved, and if the disk fails in a
    /// way that does not tell whether it is.
    func settlingUpload<R>(_ write: () throws -> R) throws -> R {
        guard case .setBinary(_, _, .upload(let upload)) = deed else { return try write() }
        do {
            let result = try write()
            upload.keep()
            return result
        } catch {
            switch error as? StoreError {
            case .failed, .noRoom, .busy, .unavailable, .damaged: upload.keep()
            default: break
            }
            throw error
        }
    }
}
