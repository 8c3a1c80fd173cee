/// The findings about a model: errors, which make it invalid, and notes, which do not.
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
