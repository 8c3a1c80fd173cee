/// Where plans are executed: the store, or an editing context.

import SteleAnswers

/// A way to execute plans, with the answers that fit it.
final class Place: Sendable {
    let execution: Execution
    let answers: Answers
    /// The editing context; nil for the store. The thread that uses it has its turn.
    var editing: EditingContext? { execution.editing }

    init(_ execution: Execution, _ answers: Answers) {
        self.execution = execution
        self.answers = answers
    }

    /// The same inside an editing context.
    func editing(_ context: EditingContext) -> Place {
        var execution = execution
        execution.editing = context
        return Place(execution, answers.editing(context.id))
    }
}
