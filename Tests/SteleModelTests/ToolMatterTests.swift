// What a model file has for the editor alone, kept through reading and writing.

import Foundation
import SteleJSON
import TestSupport
import Testing

@testable import SteleModel

@Suite("What only the editor reads")
struct ToolMatterTests {
    /// The `contents` files of the checkout and of the shared data.
    static func files() throws -> [String] {
        var folders = [packageRoot.path + "/Config/Models", packageRoot.path + "/Tests"]
        if let sharedFolder { folders.append(sharedFolder.path + "/data/coredata") }
        return folders.flatMap { folder in
            (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".xcdatamodel/contents") }.map { "\(folder)/\($0)" }
        }.sorted()
    }

    /// Each attribute as the path of its element and its name.
    private static func attributes(
        _ element: MarkupElement, _ path: String = ""
    ) -> [String: String] {
        var found: [String: String] = [:]
        for (name, value) in element.attributes { found["\(path)@\(name)"] = value }
        var counts: [String: Int] = [:]
        for child in element.children {
            let key = child.name + (child.attribute("name").map { "=\($0)" } ?? "")
            counts[key, default: 0] += 1
            found.merge(
                attributes(child, "\(path)/\(key)#\(counts[key] ?? 0)"),
                uniquingKeysWith: { a, _ in a }
            )
        }
        return found
    }

    private static func lost(from bytes: [UInt8], in written: [UInt8]) throws -> [String] {
        let (old, new) = (
            attributes(try MarkupParser.parse(bytes, place: "old")),
            attributes(try MarkupParser.parse(written, place: "new"))
        )
        return old.compactMap { key, value in
            guard let kept = new[key] else { return key }
            if kept == value { return nil }
            // Numbers may be written with other digits.
            let digits = value.trimmingCharacters(in: .whitespaces)
            let areNumbers = Double(kept) != nil && Double(kept) == Double(digits)
            return areNumbers ? nil : "\(key): \(value) became \(kept)"
        }.sorted()
    }

    @Test func noAttributeOfAFileIsLost() throws {
        let files = try Self.files()
        // The project's own; others' files may be beside it.
        #expect(files.count >= 19)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
            let (model, _) = try ContentsReader.read(bytes, name: "M", place: file)
            let written = model.xml()
            #expect(try Self.lost(from: bytes, in: written) == [], "\(file)")
            #expect(try ContentsReader.read(written, name: "M", place: file).0 == model, "\(file)")
            let json = Array(model.json().pretty.utf8)
            #expect(try ManagedObjectModel(json: json, name: "M") == model, "\(file)")
        }
    }

    private static let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        lastSavedToolsVersion="1" userDefinedModelVersionIdentifier="">
            <entity name="A" positionX="1" elementID="" optional="NO">
                <attribute name="d" attributeType="Date" minValueString="12/4/2013" \
        minDateTimeInterval="408258000" usesScalarValueType="NO" allowsCloudEncryption="YES">
                    <note by="me">a &lt; b<b>c</b></note>
                </attribute>
                <attribute name="n" optional="NO" attributeType="Integer 16" defaultValueString=" 1"/>
                <relationship name="r" toMany="YES" destinationEntity="A" color="red"/>
                <fetchedProperty name="f" x="1">
                    <fetchRequest name="q" entity="A" y="2"><z/></fetchRequest>
                </fetchedProperty>
                <fetchIndex name="i" w="1">
                    <fetchIndexElement property="n" type="Binary" order="ascending" v="2"/>
                </fetchIndex>
            </entity>
            <fetchRequest name="t" entity="A" u="3"/>
            <configuration name="c" s="4"><memberEntity name="A"/></configuration>
            <composite name="p" t="5"/>
            <elements>
                <element name="A" positionX="-63" positionY="-18" width="128" height="59"/>
            </elements>
        </model>
        """

    @Test func unknownAttributesAndElementsAreKept() throws {
        let bytes = Array(Self.text.utf8)
        let (model, notes) = try ContentsReader.read(bytes, name: "M", place: "M")
        #expect(notes.map(\.message).filter { $0.contains("positionX") }.count == 1)
        #expect(try Self.lost(from: bytes, in: model.xml()) == [])
        #expect(try ContentsReader.read(model.xml(), name: "M", place: "M").0 == model)
        #expect(try ManagedObjectModel(json: Array(model.json().compact.utf8), name: "") == model)
        let note = try #require(try model.entity("A").attribute("d").toolElements.first)
        #expect(note.name == "note" && note.text == "a < b" && note.elements.first?.text == "c")
        // A value that is set replaces what the file had.
        var changed = model
        guard case .attribute(var n)? = changed.entities[0].properties[safe: 1] else {
            Issue.record("no attribute")
            return
        }
        n.isOptional = true
        changed.entities[0].properties[1] = .attribute(n)
        let text = String(decoding: changed.xml(), as: UTF8.self)
        #expect(text.contains(#"<attribute name="n" optional="YES" attributeType="Integer 16""#))
        #expect(!text.contains(#"name="n" optional="YES" attributeType="Integer 16" optional"#))
    }

    @Test(arguments: [
        (#""toolElements": [{"name": "a b"}]"#, "\"a b\" is not a name of XML"),
        (#""toolElements": [{"name": "a", "attributes": {"<": "1"}}]"#, "\"<\" is not a name"),
        (#""toolAttributes": {"x y": "1"}"#, "\"x y\" is not a name"),
        (#""toolElements": [1]"#, "its toolElements must be a list of objects"),
        (#""toolElements": [{"name": "a", "more": 1}]"#, "the key \"more\" is not known"),
    ])
    func whatXMLCannotHoldIsRefused(_ member: String, _ words: String) throws {
        let error = #expect(throws: ModelErrors.self) {
            try ManagedObjectModel(json: Array("{\(member)}".utf8), name: "M")
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
