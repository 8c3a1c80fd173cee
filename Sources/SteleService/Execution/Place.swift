/// Where plans are executed: the store, or an editing context.

import SteleAnswers
import SteleRequests

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

    /// The same for a sender with some rights.
    /// - Parameter isWanted: whether the client still waits for what is read; nil not to ask.
    func limited(
        to rights: Rights, since number: Int64?, while isWanted: (@Sendable () -> Bool)?
    ) -> Place {
        if isWanted == nil, number == nil, rights.isAll, rights.name == execution.rights.name {
            return self
        }
        var execution = execution
        execution.since = number
        execution.rights = rights
        execution.isWanted = isWanted
        return Place(execution, answers)
    }

    /// The same inside an editing context.
    func editing(_ context: EditingContext) -> Place {
        var execution = execution
        execution.editing = context
        return Place(execution, answers.editing(context.id))
    }
}
