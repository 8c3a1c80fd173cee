/// `stele predicate`: checking a predicate, and its SQL.

import ArgumentParser
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests
import SteleSQLite
import SteleService

/// Prints a predicate, and with a model its types, its SQL and the query plan.
struct PredicateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predicate", abstract: "Check a predicate, and print it.",
        discussion: """
            Without a model it checks the grammar, function names and BETWEEN's two bounds. With \
            a model it also checks the predicate against an entity, and prints the types, the SQL \
            of GET /ENTITY?where=…, its bindings and SQLite's plan. Nothing is stored.

              stele predicate 'name BEGINSWITH[c] "cr" AND age > 40'
              stele predicate 'ANY players.goals > $N' --model League.xcdatamodeld \\
                --entity Team --var N=10

            For a predicate with a mistake it prints the error and its place on standard error, \
            and the exit status is 1. Put a text that begins with a dash last, after two dashes.
            """)

    @Argument(help: "The predicate, in one argument.")
    var text: String

    @Option(
        help: ArgumentHelp(
            "The model: a model file, or a store with its model.",
            valueName: "model"))
    var model: String?

    @Option(help: ArgumentHelp("The entity whose objects it selects.", valueName: "name"))
    var entity: String?

    @Option(help: ArgumentHelp("The value of a variable, $NAME.", valueName: "name=value"))
    var `var`: [String] = []

    func run() throws {
        try Failure.reporting {
            let target = try target()
            let predicate: Predicate
            do throws(PredicateError) {
                predicate = try Predicate(format: text)
            } catch {
                throw Failure(Self.sentence(error, in: text))
            }
            if Self.hasForeignWildcards(predicate) {
                printError(
                    "note: in LIKE, % is a per cent sign; * matches any text, ? one "
                        + "character")
            }
            guard let (model, entity) = target else {
                write(predicate.predicateFormat + "\n", to: 1)
                return
            }
            write(try explanation(of: predicate, entity, model), to: 1)
        }
    }

    /// Whether a pattern of LIKE contains SQL's `%` and no wildcard of this language.
    private static func hasForeignWildcards(_ predicate: Predicate) -> Bool {
        switch predicate {
        case .constant: return false
        case .comparison(let it):
            guard it.type == .like, case .constant(.string(let pattern)) = it.right else {
                return false
            }
            return pattern.contains("%") && !pattern.contains { "*?".contains($0) }
        case .and(let parts), .or(let parts): return parts.contains(where: hasForeignWildcards)
        case .not(let inner): return hasForeignWildcards(inner)
        }
    }

    /// The model and the entity, where they are given.
    private func target() throws -> (Model, Entity)? {
        guard let path = model else {
            if let entity {
                throw Failure("--entity \(entity) needs a model: add --model MODEL")
            }
            if !`var`.isEmpty {
                throw Failure("--var needs a model: add --model and --entity")
            }
            return nil
        }
        try Transformers.registerFromEnvironment()
        let model = try Serving.model(path)
        let names = model.entities.map(\.name)
        guard let name = entity else {
            throw Failure(
                "--model needs an entity: add --entity NAME, one of "
                    + names.joined(separator: ", "))
        }
        guard let entity = model.entity(named: name) else {
            throw Failure(
                "\(model.name) has no entity \(name); "
                    + (Nearest.hint(to: name, among: names)
                        ?? "it has \(names.joined(separator: ", "))"))
        }
        return (model, entity)
    }

    private func explanation(
        of predicate: Predicate, _ entity: Entity, _ model: Model
    ) throws -> String {
        let check = PredicateCheck(
            model: model, entity: entity, variables: try variables())
        let checked: Predicate
        let types: [(text: String, type: ExpressionType)]
        do throws(PredicateError) {
            checked = try check.check(predicate)
            types = try check.types(in: checked)
        } catch {
            throw Failure(Self.sentence(error.located(in: text), in: text))
        }
        var request = FetchRequest(entity: entity)
        request.predicate = checked
        // A list requests one row more than a page has, to know whether there is a next page.
        request.fetchLimit = Limits().defaultListLimit + 1
        let fetch: ExplainedFetch
        do { fetch = try SQLiteStore.explain(request, model: model) } catch {
            guard let mistake = error.mistake else { throw error }
            throw Failure(Self.sentence(mistake.located(in: text), in: text))
        }
        var lines = [predicate.predicateFormat, "types:"]
        lines += Self.aligned(types.map { ($0.text, $0.type.name(in: model)) })
        lines += ["sql:", "  " + fetch.sql, "bindings:"]
        lines += fetch.bindings.enumerated().map { "  ?\($0 + 1) = \(Self.literal($1))" }
        lines.append("plan:")
        lines += fetch.plan.map { "  " + $0 }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `NAME=VALUE`s by name.
    private func variables() throws -> [String: VariableValue] {
        var values: [String: VariableValue] = [:]
        for text in `var` {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw Failure("--var is NAME=VALUE, such as MIN=40, not \(text)")
            }
            values[String(text[..<equals])] =
                .written(String(text[text.index(after: equals)...]))
        }
        return values
    }

    /// The error, its hint, and the text with a caret under the place.
    static func sentence(_ error: PredicateError, in text: String) -> String {
        let place = Caret.line(of: error.position, in: text) ?? "position \(error.position)"
        var sentence = "\(error.message) (\(place))"
        if let hint = error.hint { sentence += "; \(hint)" }
        return sentence + "\n" + Caret.picture(of: text, at: error.position)
    }

    private static func literal(_ value: Value) -> String {
        value.isNull ? "NULL" : Expression.constant(value).description
    }

    /// Two columns; a text that is too long for the first moves the second.
    private static func aligned(_ rows: [(String, String)]) -> [String] {
        let width = min(rows.map(\.0.count).max() ?? 0, 40)
        return rows.map { text, type in
            "  " + text + String(repeating: " ", count: max(width - text.count, 0)) + "  " + type
        }
    }
}

extension ExpressionType {
    /// Its name in a model.
    fileprivate func name(in model: Model) -> String {
        switch self {
        case .value(.undefined): "nothing"
        case .value(let type): type.name
        case .encrypted: "Transformable, encrypted"
        case .object(let index): model.entities[index].name
        case .collection(let element): "many: " + element.name(in: model)
        }
    }
}
