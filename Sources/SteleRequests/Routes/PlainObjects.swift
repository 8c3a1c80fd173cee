/// The paths of plain objects: `/Person/42` under the base path.

import SteleModel

/// Finds the object that a path names, without splitting the path.
package struct PlainObjects: Sendable {
    private let basePath: [UInt8]
    private let entities: KeyTable<Entity>

    init(_ model: Model, basePath: String) {
        self.basePath = Array(basePath.utf8)
        entities = KeyTable(
            model.entities.filter { Routes.livesAtRoot($0.name) }.map { ($0.name, $0) })
    }

    /// The object at a path; nil for every other path, and for one with escapes.
    package func address(_ path: String) -> ObjectAddress? {
        path.utf8.withContiguousStorageIfAvailable { address($0) } ?? nil
    }

    private func address(_ path: UnsafeBufferPointer<UInt8>) -> ObjectAddress? {
        let start = basePath.count + 1
        guard path.count > start, path[start - 1] == UInt8(ascii: "/"),
            path.prefix(basePath.count).elementsEqual(basePath)
        else { return nil }
        // From the end: the digits of the id, then the slash.
        var at = path.count
        var key: Int64 = 0
        var scale: Int64 = 1
        while at > start, (0x30...0x39).contains(path[at - 1]) {
            at -= 1
            key &+= Int64(path[at] & 0xF) &* scale
            scale &*= 10
        }
        let digits = path.count - at
        guard digits > 0, digits < 19, path[at] != 0x30, at > start + 1,
            path[at - 1] == UInt8(ascii: "/")
        else { return nil }
        let name = UnsafeBufferPointer(rebasing: path[start..<at - 1])
        return entities[name].map { ObjectAddress($0, key: key) }
    }
}
