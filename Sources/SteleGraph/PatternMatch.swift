/// Text against a regular expression, as a whole and in bounded time.

// Whole Foundation for NSRegularExpression alone: the one engine here that can be stopped.
import Foundation
import SteleMutex

/// What came of matching.
enum PatternMatch: Sendable {
    case matches, differs
    /// It ran longer than the limit and was stopped.
    case tooSlow
    /// The pattern is no regular expression.
    case unreadable

    /// The longest that one match may take.
    static let limit = Duration.milliseconds(100)

    private static let compiled = Mutex<[String: NSRegularExpression?]>([:])

    /// Matches the whole text (MATCHES), with ICU's syntax.
    static func of(_ text: String, _ pattern: String) -> PatternMatch {
        guard let expression = expression(pattern) else { return .unreadable }
        let deadline = ContinuousClock.now + limit
        var outcome = PatternMatch.differs
        expression.enumerateMatches(
            in: text, options: [.anchored, .reportProgress],
            range: NSRange(location: 0, length: text.utf16.count)
        ) { match, _, stop in
            if match != nil {
                outcome = .matches
                stop.pointee = true
            } else if ContinuousClock.now > deadline {
                outcome = .tooSlow
                stop.pointee = true
            }
        }
        return outcome
    }

    /// The pattern, made to match nothing but the whole; compiled once. Patterns come from the
    /// model, so there are only so many.
    private static func expression(_ pattern: String) -> NSRegularExpression? {
        compiled.withLock { compiled in
            if let known = compiled[pattern] { return known }
            // A pattern that ends in a comment (`(?x)`) would swallow the closing bracket.
            let made =
                (try? NSRegularExpression(pattern: "(?:" + pattern + ")\\z"))
                ?? (try? NSRegularExpression(pattern: "(?:" + pattern + "\n)\\z"))
            compiled[pattern] = .some(made)
            return made
        }
    }
}
