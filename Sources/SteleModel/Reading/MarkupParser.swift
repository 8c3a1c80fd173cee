internal import CExpat

/// Parses an XML text into a tree of elements, with expat. It refuses entity declarations, which no
/// model file needs and which attacks use.
final class MarkupParser {
    /// Limits: the depth of nested elements, their number, and the size of the text in bytes.
    static let depthLimit = 64
    static let elementLimit = 1_000_000
    static let byteLimit = 64 << 20

    private let parser: XML_Parser
    /// The open elements, the innermost last.
    fileprivate var open: [MarkupElement] = []
    fileprivate var root: MarkupElement?
    fileprivate var elementCount = 0
    /// Why the text was refused although it is well-formed.
    fileprivate var refusal: String?

    private init(_ parser: XML_Parser) { self.parser = parser }

    /// The root element of an XML text.
    ///
    /// - Throws: `ModelErrors` with line and column if the text is not well-formed, declares
    ///   entities, or exceeds a limit.
    static func parse(_ bytes: [UInt8], place: String) throws(ModelErrors) -> MarkupElement {
        guard bytes.count <= byteLimit else {
            throw ModelErrors(place, "it is larger than \(byteLimit >> 20) MiB")
        }
        guard let parser = XML_ParserCreate(nil) else {
            throw ModelErrors(place, "there is not enough memory to read it")
        }
        defer { XML_ParserFree(parser) }
        let reading = MarkupParser(parser)
        // Unretained: the object outlives the parse, because it is used below.
        XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
        setCallbacks(parser)
        let isWhole = bytes.withUnsafeBytes { buffer in
            stele_xml_parse_all(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(buffer.count)) != 0
        }
        if isWhole, reading.refusal == nil, let root = reading.root { return root }
        throw ModelErrors(place, reading.complaint())
    }

    private func complaint() -> String {
        let line = XML_GetCurrentLineNumber(parser)
        let column = XML_GetCurrentColumnNumber(parser) + 1
        if let refusal { return "\(refusal) (line \(line), column \(column))" }
        let code = XML_GetErrorCode(parser)
        let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "no reason given"
        return "it is not well-formed XML: \(reason) at line \(line), column \(column)"
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
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    fileprivate func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard refusal == nil, !open.isEmpty else { return }
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
        // A small text can expand to a huge one through entities, and no model declares any.
        XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            MarkupParser.of(data)?.refuse("it declares XML entities, which are refused")
        }
        XML_SetSkippedEntityHandler(parser) { data, name, _ in
            let name = name.map { String(cString: $0) } ?? ""
            MarkupParser.of(data)?.refuse("it uses the unknown entity &\(name);")
        }
    }
}
