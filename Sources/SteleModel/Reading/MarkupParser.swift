internal import CExpat

/// Parses XML with expat, as a tree or in pieces. It refuses entity declarations, which no file of
/// Core Data needs and which attacks use, and it reads no other file.
final class MarkupParser {
    /// The limit on the depth of nested elements.
    static let depthLimit = 64
    /// The limit on the number of elements of a tree. In pieces it is the limit for each child of
    /// the root.
    static let elementLimit = 1_000_000
    /// The limit on the size of a text that is parsed as a tree, in bytes.
    static let byteLimit = 64 << 20

    private let parser: XML_Parser
    private let isInPieces: Bool
    /// The open elements, the innermost last.
    fileprivate var open: [MarkupElement] = []
    fileprivate var root: MarkupElement?
    /// In pieces: the complete children of the root that have not been taken.
    fileprivate var complete: [MarkupElement] = []
    fileprivate var elementCount = 0
    /// Why the text was refused although it is well-formed.
    fileprivate var refusal: String?
    /// What the XML declaration says of `standalone`; nil if it says nothing.
    fileprivate(set) var isStandalone: Bool?

    /// Creates a parser. In pieces the root has neither children nor text: each child is in
    /// `takeComplete()` once, so that the memory in use does not grow with the text.
    init(inPieces: Bool) throws(MarkupError) {
        guard let parser = XML_ParserCreate(nil) else {
            throw MarkupError("there is not enough memory to read it")
        }
        self.parser = parser
        isInPieces = inPieces
        // Unretained: the parser is freed with this object.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        Self.setCallbacks(parser)
    }

    deinit { XML_ParserFree(parser) }

    /// Parses an XML text and returns its root element.
    ///
    /// - Throws: `ModelErrors` with line and column if the text is not well-formed, declares
    ///   entities, or exceeds a limit.
    static func parse(_ bytes: [UInt8], place: String) throws(ModelErrors) -> MarkupElement {
        guard bytes.count <= byteLimit else {
            throw ModelErrors(place, "it is larger than \(byteLimit >> 20) MiB")
        }
        do throws(MarkupError) {
            let reading = try MarkupParser(inPieces: false)
            try reading.parse(bytes, isLast: true)
            if let root = reading.root { return root }
            throw reading.complaint()
        } catch {
            throw ModelErrors(place, error.message)
        }
    }

    /// Parses the next part of a text, of at most 2 GiB.
    ///
    /// - Throws: `MarkupError` with line and column, as above.
    func parse(_ bytes: [UInt8], isLast: Bool) throws(MarkupError) {
        let isWhole = bytes.withUnsafeBytes { buffer in
            stele_xml_parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: buffer.count), isLast ? 1 : 0) != 0
        }
        guard isWhole, refusal == nil else { throw complaint() }
    }

    /// The name of the root element; nil before its start tag.
    var rootName: String? { open.first?.name ?? root?.name }

    /// Returns the children of the root that have ended since the last call.
    func takeComplete() -> [MarkupElement] {
        var taken: [MarkupElement] = []
        swap(&taken, &complete)
        return taken
    }

    private func complaint() -> MarkupError {
        let line = XML_GetCurrentLineNumber(parser)
        let column = XML_GetCurrentColumnNumber(parser) + 1
        if let refusal { return MarkupError("\(refusal) (line \(line), column \(column))") }
        let code = XML_GetErrorCode(parser)
        let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "no reason given"
        return MarkupError(
            "it is not well-formed XML: \(reason) at line \(line), column \(column)")
    }

    fileprivate func refuse(_ sentence: String) {
        if refusal == nil { refusal = sentence }
        stele_xml_stop(parser)
    }

    fileprivate func begin(
        _ name: UnsafePointer<XML_Char>,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard refusal == nil else { return }
        elementCount += 1
        guard open.count < Self.depthLimit else {
            return refuse("its elements are nested more than \(Self.depthLimit) deep")
        }
        guard elementCount <= Self.elementLimit else {
            return refuse("it has more than \(Self.elementLimit) elements")
        }
        var element = MarkupElement(
            name: String(cString: name), line: Int(XML_GetCurrentLineNumber(parser)))
        var next = attributes
        while let pair = next, let key = pair[0], let value = pair[1] {
            element.attributes.append((String(cString: key), String(cString: value)))
            next = pair + 2
        }
        open.append(element)
    }

    fileprivate func end() {
        guard refusal == nil, let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else if isInPieces, open.count == 1 {
            complete.append(element)
            elementCount = 1
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    fileprivate func append(_ text: UnsafeBufferPointer<UInt8>) {
        // In pieces the root's own text is the space between its children, which would add up.
        guard refusal == nil, open.count > (isInPieces ? 1 : 0) else { return }
        open[open.count - 1].text += String(decoding: text, as: UTF8.self)
    }
}

extension MarkupParser {
    fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> MarkupParser? {
        pointer.map { Unmanaged<MarkupParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func setCallbacks(_ parser: XML_Parser) {
        XML_SetElementHandler(
            parser,
            { data, name, attributes in
                if let name { MarkupParser.of(data)?.begin(name, attributes) }
            },
            { data, _ in MarkupParser.of(data)?.end() })
        XML_SetCharacterDataHandler(parser) { data, start, count in
            guard let start else { return }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
            MarkupParser.of(data)?.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
        XML_SetXmlDeclHandler(parser) { data, _, _, standalone in
            MarkupParser.of(data)?.isStandalone = standalone < 0 ? nil : standalone != 0
        }
        // A small text can expand to a huge one through entities, and no file of Core Data declares
        // any.
        XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            MarkupParser.of(data)?.refuse("it declares XML entities, which are refused")
        }
        XML_SetSkippedEntityHandler(parser) { data, name, _ in
            let name = name.map { String(cString: $0) } ?? ""
            MarkupParser.of(data)?.refuse("it uses the unknown entity &\(name);")
        }
    }
}

/// The error of an XML text that cannot be read, with its place in the text.
package struct MarkupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, with the line in parentheses.
    package var message: String

    init(_ message: String) { self.message = message }

    /// An error in an element.
    init(_ message: String, in element: MarkupElement) {
        self.message = "\(message) (line \(element.line))"
    }

    /// The error as a sentence.
    package var description: String { message }
}
