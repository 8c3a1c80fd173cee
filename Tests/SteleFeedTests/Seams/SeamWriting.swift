// The roads by which values are written.

import Foundation
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleService

/// What became of a value that was written.
enum SeamOutcome: Equatable {
    case stored(String)
    /// With the problem's code; nil for an import, which gives a text.
    case refused(String?)

    /// The outcome without the value.
    var sort: String {
        switch self {
        case .stored: "stored"
        case .refused(let code): "refused \(code ?? "")"
        }
    }
}

/// A road by which the text of a value in JSON is written.
enum WritingRoad: String, CaseIterable {
    case post, list, put, merge, jsonPatch, all, insert, update, context, ndjson, json, csv

    /// Those that take the text of a value in JSON as it is.
    static let ofJSON = allCases.filter { $0 != .csv }

    var isImport: Bool { [.ndjson, .json, .csv].contains(self) }

    /// Writes a value, and says what the store has then.
    func write(_ name: String, _ token: String, on stage: SeamStage) throws -> SeamOutcome {
        let member = "{\"\(name)\":\(token)}"
        switch self {
        case .post: return try outcome(stage, name, stage.ask("POST", "/Thing", member))
        case .list: return try outcome(stage, name, stage.ask("POST", "/Thing", "[\(member)]"))
        case .insert:
            let step = "[{\"op\":\"insert\",\"entity\":\"Thing\",\"values\":\(member)}]"
            return try outcome(stage, name, stage.ask("POST", "/transactions", step))
        case .put, .merge, .jsonPatch, .all, .update:
            let key = try made(stage)
            let answer =
                switch self {
                case .put: stage.ask("PUT", "/Thing/\(key)", member)
                case .merge: stage.ask("PATCH", "/Thing/\(key)", member)
                case .all: stage.ask("PATCH", "/Thing?where=mark%20==%20-7", member)
                case .jsonPatch:
                    stage.ask(
                        "PATCH", "/Thing/\(key)",
                        "[{\"op\":\"replace\",\"path\":\"/\(name)\",\"value\":\(token)}]",
                        [("Content-Type", "application/json-patch+json")])
                default:
                    stage.ask(
                        "POST", "/transactions",
                        "[{\"op\":\"update\",\"object\":\"Thing/\(key)\",\"values\":\(member)}]")
                }
            return try outcome(stage, name, answer)
        case .context:
            let opened = try stage.must("POST", "/contexts")
            let id = try #require(RawJSON.members(opened.text)["context"]).dropFirst().dropLast()
            defer { _ = stage.ask("DELETE", "/contexts/\(id)") }
            let answer = stage.ask("POST", "/contexts/\(id)/Thing", member)
            if answer.status >= 300 { return try outcome(stage, name, answer) }
            return try outcome(stage, name, stage.ask("POST", "/contexts/\(id)/save"))
        case .ndjson, .json, .csv:
            do {
                try stage.load(file(name, token), as: rawValue)
            } catch let error as ImportError {
                return .refused(error.description.isEmpty ? "" : nil)
            }
            return try newest(stage, name)
        }
    }

    /// A file of one thing.
    private func file(_ name: String, _ token: String) throws -> String {
        if self == .csv { return "mark,\(name)\n-8,\(try Self.cell(token, of: name))\n" }
        let object = "{\"\(name)\":\(token)}"
        return self == .json ? "[\(object)]" : object + "\n"
    }

    /// The cell of CSV for the text of a value in JSON.
    private static func cell(_ token: String, of name: String) throws -> String {
        if token == "null" { return "" }
        // A cell of JSON is JSON.
        let text = name == "json" ? token : try plain(token)
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    /// The text that a string of JSON stands for; the text of any other value.
    static func plain(_ token: String) throws -> String {
        guard token.hasPrefix("\"") else { return token }
        return try JSONDecoder().decode([String].self, from: Data("[\(token)]".utf8))[0]
    }

    private func made(_ stage: SeamStage) throws -> String {
        _ = stage.ask("DELETE", "/Thing?where=mark%20==%20-7")
        let made = try stage.must("POST", "/Thing", "{\"mark\":-7}")
        return try #require(made["Location"]).split(separator: "/").last.map(String.init) ?? ""
    }

    private func outcome(
        _ stage: SeamStage, _ name: String, _ answer: SeamStage.Answer
    ) throws -> SeamOutcome {
        if answer.status >= 500 { throw Missing("an answer: \(answer.text)") }
        return answer.status < 300 ? try newest(stage, name) : .refused(answer.code)
    }

    /// What the store has of the object with the largest key.
    private func newest(_ stage: SeamStage, _ name: String) throws -> SeamOutcome {
        let values = try #require(try stage.newest())
        return .stored(SeamStage.exact(values[name]))
    }
}
