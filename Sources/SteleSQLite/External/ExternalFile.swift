import Glibc
import SteleModel
import StelePersistence
import SteleSystem

/// Writes a value in pieces. A small value is held in memory and stored in the row; a larger one
/// goes to a file of the external folder at once.
final class ExternalFile: ExternalDataWriter {
    private enum State: Sendable {
        case held([UInt8])
        case writing(ExternalData, descriptor: Int32)
        case finished(Value)
        case failed(StoreError)
    }

    private let folder: ExternalFolder
    private let state = Mutex(State.held([]))

    init(_ folder: ExternalFolder) { self.folder = folder }

    deinit {
        // A file that remains after a crash is removed when the store is next opened.
        state.withLock { state in
            if case .writing = state { Self.drop(state) }
        }
    }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            do throws(StoreError) { state = try taking(bytes, state) } catch {
                Self.drop(state)
                state = .failed(error)
            }
        }
    }

    private func taking(_ bytes: [UInt8], _ state: State) throws(StoreError) -> State {
        switch state {
        case .held(let held):
            guard held.count + bytes.count > Limits.inlineBytes else { return .held(held + bytes) }
            let (data, descriptor) = try folder.create()
            do throws(StoreError) {
                try ExternalFolder.append(held, to: descriptor, data.path)
                try ExternalFolder.append(bytes, to: descriptor, data.path)
            } catch {
                Self.drop(.writing(data, descriptor: descriptor))
                throw error
            }
            return .writing(data, descriptor: descriptor)
        case .writing(let data, let descriptor):
            try ExternalFolder.append(bytes, to: descriptor, data.path)
            return state
        case .finished, .failed: return state
        }
    }

    func finish() throws(StoreError) -> Value {
        try state.withLock { state throws(StoreError) in
            switch state {
            case .held(let bytes):
                state = .finished(.data(bytes))
                return .data(bytes)
            case .writing(let data, let descriptor):
                do throws(StoreError) {
                    try folder.finish(descriptor, data.path)
                } catch {
                    unlink(data.path)
                    state = .failed(error)
                    throw error
                }
                state = .finished(.external(data))
                return .external(data)
            case .finished(let value): return value
            case .failed(let error): throw error
            }
        }
    }

    func discard() {
        state.withLock { state in
            Self.drop(state)
            state = .failed(.closed)
        }
    }

    private static func drop(_ state: State) {
        switch state {
        case .writing(let data, let descriptor):
            close(descriptor)
            unlink(data.path)
        case .finished(.external(let data)): unlink(data.path)
        case .held, .finished, .failed: break
        }
    }
}
