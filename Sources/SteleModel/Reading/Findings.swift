/// What was met while a model was read: mistakes, which refuse it, and notes, which do not.

/// Mistakes and notes, in the order met.
struct Findings {
    var errors: [ModelError] = []
    var notes: [ModelError] = []

    mutating func error(_ place: String, _ message: String, hint: String? = nil) {
        errors.append(ModelError(place, message, hint: hint))
    }

    mutating func note(_ place: String, _ message: String, hint: String? = nil) {
        notes.append(ModelError(place, message, hint: hint))
    }
}
