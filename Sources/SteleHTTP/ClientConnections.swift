// Open connections: how many an address has, and how long each takes for a request.

import CMicroHTTPD
import Glibc
import SteleSystem

/// A connection that libmicrohttpd carries.
final class ClientConnection: Sendable {
    /// What the client is expected to do.
    enum Phase: UInt64 {
        /// To finish a handshake or the head of a request.
        case head
        /// To send the rest of a body.
        case body
        /// To wait for the answer, or to take it.
        case answer
        /// To send another request, or none.
        case idle
    }

    let socket: Int32
    let address: ClientAddress
    /// The phase in the last two bits, and in the others when it began, in nanoseconds of
    /// `MonotonicClock`: one number, so that they always belong together.
    private let state: Atomic<UInt64>
    private let received = Atomic<Int>(0)
    /// The `state` in which `hasFinished` has asked.
    private let asked = Atomic<UInt64>(0)

    init(socket: Int32, address: ClientAddress) {
        self.socket = socket
        self.address = address
        state = Atomic(MonotonicClock.now & ~3)
    }

    /// Seconds after which a body's speed is looked at where a head has no limit.
    private static let bodyGrace = 30.0

    /// Begins a phase.
    func begin(_ phase: Phase, at now: UInt64 = MonotonicClock.now) {
        if phase == .body { received.store(0, ordering: .relaxed) }
        // A server that stops either sees that this connection is idle, or is seen to be stopping.
        state.store(now & ~3 | phase.rawValue, ordering: .sequentiallyConsistent)
    }

    /// Whether the client is not waiting for an answer, and has begun no request.
    var isIdle: Bool {
        Phase(rawValue: state.load(ordering: .sequentiallyConsistent) & 3) == .idle
    }

    /// Ends the connection, after what was sent on it. Libmicrohttpd then finds it closed. To be
    /// called while the socket is still open.
    func end() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Bytes of the body have come.
    func receive(_ count: Int) { received.add(count, ordering: .relaxed) }

    /// Whether the client takes longer than it may.
    func isTooSlow(_ now: UInt64, _ limits: HTTPServer.Configuration) -> Bool {
        let state = state.load(ordering: .relaxed)
        let start = state & ~3
        guard now > start else { return false }
        let seconds = Double(now - start) / 1e9
        let patience = limits.headSeconds > 0 ? limits.headSeconds : .infinity
        switch Phase(rawValue: state & 3) {
        case .head: return seconds > patience
        // libmicrohttpd closes silent connections. One that is still there sends a bit now and then.
        case .idle:
            return limits.idleTimeout > 0
                && seconds > Double(limits.idleTimeout) + patience
        case .body:
            let received = Double(received.load(ordering: .relaxed))
            return seconds > (patience < .infinity ? patience : Self.bodyGrace)
                && received < seconds * Double(limits.bodyBytesPerSecond)
        case .answer, nil: return false
        }
    }

    /// Whether the client, a second or more after its last answer, has closed its side. It is asked
    /// once after each answer.
    ///
    /// libmicrohttpd 0.9.75 does not notice where the end arrives together with the last bytes:
    /// epoll reports both in one event, and after a read of fewer bytes than it has room for the
    /// library waits for another event. The second is time for a request that it has read already.
    /// An end that arrives later is an event of its own, which it notices.
    func hasFinished(_ now: UInt64) -> Bool {
        let state = state.load(ordering: .relaxed)
        guard Phase(rawValue: state & 3) == .idle, now > state + 1_000_000_000,
            asked.exchange(state, ordering: .relaxed) != state
        else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { peek(socket, into: $0) }
            == 0
    }
}

/// The address of a client, as far as its connections are counted together: an IPv4 address, or the
/// first 64 bits of an IPv6 address, which one client has to itself (RFC 6177).
struct ClientAddress: Hashable, Sendable {
    private let bits: UInt64

    init(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bits = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt64($0.pointee.sin_addr.s_addr) | 1 << 63
            }
        case AF_INET6:
            bits = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { bytes in
                    // An IPv4 address in the form of IPv6 (RFC 4291, 2.5.5.2).
                    let isV4 = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF
                    return isV4
                        ? UInt64(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) | 1 << 63
                        : bytes.loadUnaligned(as: UInt64.self)
                }
            }
        default: bits = 0
        }
    }
}

/// The connections of a server.
final class ClientConnections: Sendable {
    private struct State {
        var all: [ObjectIdentifier: ClientConnection] = [:]
        var counts: [ClientAddress: Int] = [:]
    }

    private let limits: HTTPServer.Configuration
    private let state = Mutex(State())

    init(_ limits: HTTPServer.Configuration) { self.limits = limits }

    /// Counts an accepted connection of an address; false where it has as many as it may have.
    func admit(_ address: ClientAddress) -> Bool {
        let limit = limits.connectionsPerAddress
        guard limit > 0 else { return true }
        return state.withLock { state in
            let count = state.counts[address, default: 0]
            guard count < limit else { return false }
            state.counts[address] = count + 1
            return true
        }
    }

    /// An admitted connection is closed.
    func leave(_ address: ClientAddress) {
        guard limits.connectionsPerAddress > 0 else { return }
        state.withLock { state in
            guard let count = state.counts[address] else { return }
            state.counts[address] = count > 1 ? count - 1 : nil
        }
    }

    /// libmicrohttpd has a connection, until `remove`.
    func add(_ connection: ClientConnection) {
        state.withLock { $0.all[ObjectIdentifier(connection)] = connection }
    }

    /// To be called while the socket is still open.
    func remove(_ connection: ClientConnection) {
        state.withLock { _ = $0.all.removeValue(forKey: ObjectIdentifier(connection)) }
        leave(connection.address)
    }

    /// Ends the connections of clients that take too long or have finished. Libmicrohttpd then
    /// finds them closed.
    func sweep() {
        let now = MonotonicClock.now
        // Under the lock, because a closed socket's number may be that of another one.
        state.withLock { state in
            for connection in state.all.values {
                if connection.isTooSlow(now, limits) {
                    connection.end()
                } else if connection.hasFinished(now) {
                    // An answer could still be sent.
                    shutdown(connection.socket, Int32(SHUT_RD))
                }
            }
        }
    }

    /// Ends the connections on which no request is answered: of a server that stops.
    func endIdle() {
        state.withLock { state in
            for connection in state.all.values where connection.isIdle { connection.end() }
        }
    }
}
