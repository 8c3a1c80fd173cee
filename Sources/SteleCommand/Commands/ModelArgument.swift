/// The argument of commands that take a model.

import ArgumentParser

enum ModelArgument {
    static let help: ArgumentHelp =
        "The model: .xcdatamodeld, .xcdatamodel, contents, JSON, .momd, .mom, or a store with it."
}
