/// Archived composite attributes.

import SteleModel

extension CompiledModelReader {
    /// How deep composites may be nested.
    private static let compositeDepth = 16

    /// Reads a composite attribute, and its composite. An archive has the elements in the attribute
    /// itself, and no name of the composite: it is named after the attribute, such as `Trip_home`.
    mutating func compositeAttribute(
        _ name: String, _ fields: PropertyList, depth: Int = 1
    ) throws(ArchiveError) -> AttributeDescription {
        guard depth <= Self.compositeDepth else {
            throw ArchiveError("nests composites more than \(Self.compositeDepth) deep")
        }
        let composite = newCompositeName()
        let (own, outer) = (try attribute(name, fields, composite: composite), place)
        var description = CompositeDescription(name: composite)
        for (reference, className) in try elements(fields) {
            let element = try object(reference).fields
            let name = try text(element["NSPropertyName"])
            try Self.checkName(name, "an attribute of a composite")
            place = "\(outer).\(name)"
            description.attributes.append(
                className == Self.compositeClass
                    ? try compositeAttribute(name, element, depth: depth + 1)
                    : try attribute(name, element))
        }
        place = outer
        composites.append(description)
        return own
    }

    /// The name of the composite of the attribute that is being read: `Trip_home`, or with a number
    /// where another one has that name (`Trip.home_x` and `Trip_home.x`).
    private mutating func newCompositeName() -> String {
        let name = place.replacing(".", with: "_")
        var (unique, number) = (name, 2)
        while !compositeNames.insert(unique).inserted {
            unique = "\(name)_\(number)"
            number += 1
        }
        return unique
    }

    static let compositeClass = "NSCompositeAttributeDescription"

    /// The elements of a composite attribute, with their classes.
    ///
    /// Their key is in no documentation and no file at hand. They are found by what they are: the
    /// only list of attributes among the object's fields.
    private mutating func elements(
        _ fields: PropertyList
    ) throws(ArchiveError) -> [(PropertyList, className: String)] {
        var found: [[(PropertyList, className: String)]] = []
        for entry in fields.entries ?? [] {
            guard let references = try? unarchiver.list(entry.value), !references.isEmpty else {
                continue
            }
            var elements: [(PropertyList, className: String)] = []
            for reference in references {
                guard let name = try? object(reference).className,
                    name == "NSAttributeDescription" || name == Self.compositeClass
                else { break }
                elements.append((reference, name))
            }
            if elements.count == references.count { found.append(elements) }
        }
        guard found.count == 1 else {
            throw ArchiveError(
                "contains a composite attribute without a list of its elements: give the model "
                    + "in another form, such as the .xcdatamodeld that it was made from")
        }
        return found[0]
    }
}
