/// What a store says to a question, so that two stores' words can be compared.

import SteleModel
import StelePersistence
import StelePredicates

/// One store's answer.
enum Answer: Equatable, CustomStringConvertible {
    case keys([Int64])
    case rows([[Value]])
    /// It refused; the text is for people and is not compared.
    case refused(String)
    /// It cannot yet.
    case notBuilt(String)

    /// - Parameter isCounted: whether only the number of rows is asked for.
    init(_ reader: any StoreReader, _ request: FetchRequest, isCounted: Bool = false) {
        do throws(StoreError) {
            if isCounted {
                self = .keys([Int64(try reader.count(request))])
            } else if request.propertiesToFetch.isEmpty {
                self = .keys(try reader.fetch(request).map(\.key))
            } else {
                self = .rows(try reader.fetchRows(request))
            }
        } catch {
            if case .unsupported(let text) = error {
                self = .notBuilt(text)
            } else {
                self = .refused("\(error)")
            }
        }
    }

    static func == (a: Answer, b: Answer) -> Bool {
        switch (a, b) {
        case (.keys(let x), .keys(let y)): x == y
        case (.rows(let x), .rows(let y)):
            x.count == y.count && zip(x, y).allSatisfy { $0.count == $1.count }
                && zip(x.joined(), y.joined()).allSatisfy(isSame)
        case (.refused, .refused), (.notBuilt, .notBuilt): true
        default: false
        }
    }

    /// Text byte by byte, numbers by value, whatever they are held as.
    private static func isSame(_ a: Value, _ b: Value) -> Bool {
        if case .string(let x) = a, case .string(let y) = b { return x.utf8.elementsEqual(y.utf8) }
        return a == b || (isNumber(a) && isNumber(b) && ValueOrder.equal(a, b))
    }

    private static func isNumber(_ value: Value) -> Bool {
        switch value {
        case .bool, .int, .double, .decimal, .key: true
        default: false
        }
    }

    var description: String {
        switch self {
        case .keys(let keys): "\(keys)"
        case .rows(let rows): "\(rows)"
        case .refused(let text): "refused: \(text)"
        case .notBuilt(let text): "not built: \(text)"
        }
    }
}
