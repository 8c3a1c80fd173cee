/// `stele model from`: a model of the tables of a database.

import ArgumentParser
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePostgreSQL

/// Writes a model of the tables of another program as Xcode's source.
struct ModelFromCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from", abstract: "Make a model of the tables of a PostgreSQL database.",
        discussion: """
            Tables become entities, columns attributes, and foreign keys relationships. What is \
            left out is a note. Without --output the model is printed; with it a new .xcdatamodeld \
            is written. The database is only read.

              stele model from postgresql://stele@db.example/shop --output Shop.xcdatamodeld
            """)

    @Argument(help: ArgumentHelp("The URL of the database: postgresql://…", valueName: "URL"))
    var url: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The .xcdatamodeld to write; it must not exist.", valueName: "folder"))
    var output: String?

    @Option(help: "The schema with the tables; otherwise the first one of the search path.")
    var schema: String?

    func run() throws {
        try Failure.reporting {
            // The text may have a password, and is not repeated.
            guard let database = DatabaseOpening(url) else {
                throw Failure("the URL of a database begins with postgresql://")
            }
            let name = try output.map(versionName) ?? schema ?? "Model"
            let made: (model: ManagedObjectModel, notes: [String])
            do throws(StoreError) {
                made = try PostgreSQLTables.model(url: url, schema: schema, name: name)
            } catch { throw database.located(error) }
            if let output {
                try ModelFile(made.model).writeSource(to: output)
            } else {
                write(made.model.xml(), to: 1)
            }
            for note in made.notes { printError("stele: \(note)") }
        }
    }

    /// The name of the version in a folder.
    /// - Throws: `Failure` for a folder with another name than that of a model.
    private func versionName(_ output: String) throws -> String {
        let ending = ".xcdatamodeld"
        let folder = ModelPath(output).lastPart
        guard folder.hasSuffix(ending) else {
            throw Failure("\(output): the name of the folder must end in \(ending)")
        }
        return String(folder.dropLast(ending.count))
    }
}
