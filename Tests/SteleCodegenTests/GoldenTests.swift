// What is generated for the samples and the drawing, word for word.

import Foundation
import SteleCodegen
import SteleModel
import TestSupport
import Testing

@Suite struct GoldenTests {
    /// The samples whose classes are part of these tests.
    static let compiled: [Sample] = [.League, .Recipes, .Drawing]

    @Test(arguments: Sample.allCases.filter { !compiled.contains($0) })
    func aSamplesCodeIsWhatItWas(_ sample: Sample) throws {
        let golden = "Tests/SteleCodegenTests/Golden/\(sample.rawValue).swift"
        #expect(
            try code(sample.file()) == packageText(golden),
            "after a change that is meant: stele model swift MODEL > \(golden)")
    }

    @Test(arguments: compiled)
    func theClassesOfTheseTestsAreWhatIsGenerated(_ sample: Sample) throws {
        let folder = "Tests/SteleCodegenTests/Generated/\(sample.rawValue)"
        let files = try SwiftGenerator(sample.file()).files()
        let present = try FileManager.default.contentsOfDirectory(
            atPath: packageRoot.appendingPathComponent(folder).path)
        #expect(files.map(\.name).sorted() == present.sorted())
        for file in files {
            #expect(
                try file.text == packageText("\(folder)/\(file.name)"),
                "after a change that is meant: stele model swift MODEL --output \(folder)")
        }
    }
}
