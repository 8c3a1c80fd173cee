// A Binary attribute's bytes by themselves.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    /// Reads a value; one in a file is opened, not read.
    func binary(_ plan: BinaryPlan, _ terms: Terms) throws -> Outcome {
        try reading { try binary(plan, terms, in: $0) }
    }

    func binary(
        _ plan: BinaryPlan, _ terms: Terms, in context: ManagedObjectContext
    ) throws -> Outcome {
        let snapshot = try existing(plan.owner, context)
        let tag = try tag(of: snapshot, plan.attribute, context)
        try terms.checkRead(tag, version: snapshot.version)
        if let known = terms.known(tag) { return .notModified(tag: known) }
        let attribute = plan.attribute
        guard snapshot.values.indices.contains(attribute.slot) else {
            throw Self.missing(plan.owner.entity, plan.owner.key)
        }
        switch snapshot.values[attribute.slot] {
        case .data(let bytes): return .binary(.bytes(bytes), tag: tag)
        case .external(let data):
            guard let file = FileBody(path: data.path) else {
                throw StoreError.failed(
                    "\(attribute.name) of \(plan.owner.entity.name) \(plan.owner.key): its "
                        + "file \(data.path) is gone or cannot be read")
            }
            return .binary(.file(file), tag: tag)
        default:
            throw Problem(
                .noValue,
                "\(attribute.name) of \(plan.owner.entity.name) "
                    + "\(TemporaryID.text(plan.owner.key)) has no value")
        }
    }

    /// Nil below an editing context, whose changes no version tells of.
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
    /// Runs the write, after which an upload is the store's: where it is saved, and where the disk
    /// failed in a way that leaves open whether it is.
    func settlingUpload<R>(_ write: () throws -> R) throws -> R {
        guard case .setBinary(_, _, .upload(let upload)) = deed else { return try write() }
        do {
            let result = try write()
            upload.keep()
            return result
        } catch {
            switch error as? StoreError {
            case .failed, .noRoom, .busy: upload.keep()
            default: break
            }
            throw error
        }
    }
}
