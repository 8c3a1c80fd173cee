/// Where plans are executed: the store, or an editing context.

import SteleAnswers

/// Executes plans, and makes the answers that go with them.
final class Place: Sendable {
    let execution: Execution
    let answers: Answers
    /// The editing context, which is used by the thread that has its turn; nil for the store.
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
