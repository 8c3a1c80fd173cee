import SteleModel
import StelePersistence

extension AtomicStore {
    /// Reads a store's file into memory, for work that is not kept. The file is not locked, and never
    /// written; where there is none, the store is empty.
    /// - Throws: `StoreError`, as `open`, but never `.busy`.
    public static func openCopy(
        of path: String, model: Model, format: any FileFormat
    ) throws(StoreError) -> any PersistentStore {
        try check(model)
        let path = WholeFile.resolved(path)
        let contents = try contents(of: path, model, format) ?? StoreContents()
        return try memory(path, model, format, contents) { _ throws(StoreError) in }
    }
}
