// The summary that people read.

import SteleModel
import SteleModelFiles
import Testing

@Suite("The summary of a model")
struct SummaryTests {
    @Test("A small model prints in aligned columns")
    func small() throws {
        let declared = try ManagedObjectModel(
            json: Array(JSONFormTests.league.utf8), name: "League")
        let expected = """
            League  2 entities

              1 Player
                  name    String      required, length from 1
                  number  Integer 16  optional, 1 to 99
                  salary  Decimal     optional, default 0.1
                  bonus   Decimal     optional, default 12345678901234567890.12
                  born    Date        optional, from 1900-01-01T00:00:00Z
                  weight  Double      optional, default 80
                  team    → Team      optional, inverse players, delete Nullify
                  index byName: name, born descending
                  unique: team, number

              2 Team
                  name     String    required
                  players  ↠ Player  optional, inverse team, delete Cascade

            """
        #expect(ModelFile(declared).summary == expected)
    }

    @Test("No line is wider than 100 characters")
    func width() throws {
        for path in try Samples.all() {
            let file = try ModelFile.read(path)
            let text = file.summary
            for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
            for entity in file.current.entities {
                #expect(text.contains(entity.name))
                for property in entity.properties { #expect(text.contains(property.name)) }
            }
        }
    }

    @Test("A model with mistakes prints, with its mistakes at the end")
    func mistakes() throws {
        let file = try read(#"<entity name="A" parentEntity="B"/>"#)
        let text = file.summary
        #expect(text.hasSuffix("Errors\n  - A: its parent entity B is not in the model\n"))
    }
}
