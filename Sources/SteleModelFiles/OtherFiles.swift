/// Files of Xcode and of the framework that are no models, or that cannot be read as one.

import SteleModel

extension ModelFile {
    /// Refuses a file of Apple's that is not a model or has no readable form of one, with what it
    /// is and what to give instead.
    /// - Throws: `ModelErrors`.
    static func refuseOther(_ path: ModelPath, _ bytes: [UInt8]) throws(ModelErrors) {
        let name = path.lastPart
        if name.hasSuffix(".cdm") {
            throw ModelErrors(
                path.path, "it is a compiled mapping model, which says how a store is migrated",
                hint: "put it into the folder of the model, where a migration finds it")
        }
        if name.hasSuffix(".omo") || bytes.starts(with: "momv2$".utf8) {
            throw ModelErrors(
                path.path, "it is an optimized compiled model, whose form is not published",
                hint: "give the .mom beside it, or the .xcdatamodeld that it was made from")
        }
        if name == "elements" || name == "layout" {
            throw ModelErrors(
                path.path, "it is the binary form of Xcode 3 (\(name)), which cannot be read",
                hint: elementsHint)
        }
    }
}
