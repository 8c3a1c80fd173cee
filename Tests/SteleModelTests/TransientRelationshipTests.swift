// Transient relationships in a checked model.

import SteleModel
import Testing

@Suite("Transient relationships")
struct TransientRelationshipTests {
    @Test("A transient relationship is checked like any other, and is in no list of them")
    func transientRelationships() throws {
        func model(_ more: String) throws -> Model {
            try read(
                """
                <entity name="A">
                  <relationship name="seen" transient="YES" maxCount="1" destinationEntity="B"
                    inverseName="seers" inverseEntity="B"/>
                  <relationship name="b" maxCount="1" destinationEntity="B"/>
                </entity>
                <entity name="B">
                  <relationship name="seers" toMany="YES" destinationEntity="A"
                    inverseName="seen" inverseEntity="A"/>\(more)
                </entity>
                """
            ).model()
        }
        let checked = try model("")
        let (a, b) = (
            try #require(checked.entity(named: "A")), try #require(checked.entity(named: "B"))
        )
        #expect(checked.relationships.map(\.name) == ["b", "seers"])
        #expect(checked.relationships.map(\.index) == [0, 1])
        #expect(a.slots.map(\.name) == ["b"])
        #expect(a.relationship(named: "seen") == nil)
        #expect(a.properties.map(\.name) == ["seen", "b"])
        #expect(try #require(b.relationship(named: "seers")).inverse == nil)
        #expect(checked.notes().contains { $0.message.contains("its inverse seen is transient") })
        let wrong = #expect(throws: ModelErrors.self) {
            try model(
                #"<relationship name="x" transient="YES" maxCount="1" destinationEntity="C"/>"#)
        }
        #expect(wrong?.description.contains("B.x") == true)
        let unique =
            "<uniquenessConstraints><uniquenessConstraint>"
            + #"<constraint value="gone"/></uniquenessConstraint></uniquenessConstraints>"#
        let column = #expect(throws: ModelErrors.self) {
            try model(
                #"<relationship name="gone" transient="YES" maxCount="1" destinationEntity="A"/>"#
                    + unique)
        }
        #expect(column?.description.contains("gone is transient") == true)
    }
}
