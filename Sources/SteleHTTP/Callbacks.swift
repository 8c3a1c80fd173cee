// The functions that libmicrohttpd calls, on its threads.

import CMicroHTTPD
import Glibc

func exchangeBegins(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let target else { return nil }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    core.exchanges.add(1, ordering: .relaxed)
    let client = connection.flatMap(stele_mhd_socket_context).map {
        Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue()
    }
    let exchange = Exchange(core: core, target: target, client: client)
    hideQuery(of: target)
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Hides the query, which is read by now, from libmicrohttpd. It would make a record of each
/// parameter, and where its buffer has no room for one (after about a hundred), 0.9.75 sends
/// nothing and waits indefinitely: it overwrites the state in which it would send its 431.
private func hideQuery(of target: UnsafePointer<CChar>) {
    guard let mark = strchr(target, Int32(UInt8(ascii: "?"))) else { return }
    // After the mark is at least the end of the text, in libmicrohttpd's own buffer, which it
    // changes itself when this returns.
    mark[1] = 0
}

func exchangeContinues(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let connection, let url, let method, let version, let size,
        let exchange = state?.pointee
    else { return .NO }
    let call = HandlerCall(url: url, method: method, version: version, data: data, size: size)
    return Unmanaged<Exchange>.fromOpaque(exchange)._withUnsafeGuaranteedRef {
        $0.receive(call, on: Connection(connection))
    }
}

func exchangeEnds(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let state, let exchange = state.pointee else { return }
    state.pointee = nil
    Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().finished(
        isWhole: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

func connectionChanges(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let state else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if what == .CONNECTION_NOTIFY_STARTED {
        guard let address = stele_mhd_client_address(connection) else { return }
        let client = ClientConnection(
            socket: stele_mhd_socket(connection), address: ClientAddress(address))
        state.pointee = Unmanaged.passRetained(client).toOpaque()
        core.connections.add(client)
        return
    }
    if let client = state.pointee {
        state.pointee = nil
        core.connections.remove(
            Unmanaged<ClientConnection>.fromOpaque(client).takeRetainedValue())
    }
    core.acceptor.connectionClosed()
}

/// Leaves the text escaped: the service decodes the target.
func leaveEscaped(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    guard let text else { return 0 }
    var length = 0
    while text[length] != 0 { length += 1 }
    return length
}
