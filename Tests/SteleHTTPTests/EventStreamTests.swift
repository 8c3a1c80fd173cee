// Event streams: order, sharing, slow and vanished subscribers.

import Glibc
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

@Suite struct EventStreamTests {
    private func subscribe(
        to server: HTTPServer, _ target: String = "/events", receiveBuffer: Int32? = nil
    ) throws -> RawClient {
        let client = try RawClient(port: server.port, receiveBuffer: receiveBuffer)
        try client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        let head = try client.readHead()
        #expect(head.status == 200)
        #expect(head["Content-Type"] == "text/event-stream")
        return client
    }

    @Test func theHeadComesBeforeTheFirstEvent() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try subscribe(to: server)
        let stream = try #require(seen.streams.withLock { $0.first })
        #expect(seen.eventually { stream.isIdle })
        #expect(stream.send(Array("one".utf8)))
        #expect(try client.readChunk() == Array("one".utf8))
        stream.finish()
        #expect(try client.readChunk() == [])
        #expect(seen.eventually { seen.closed.load(ordering: .relaxed) == 1 })
        #expect(!stream.send([1]))
        // The connection is as good as new.
        #expect(try client.get("/inline").status == 200)
        server.stop(drain: 1)
        #expect(seen.closed.load(ordering: .relaxed) == 1)
    }

    /// What the system takes of its own accord, megabytes, would hide for long who reads slowly.
    @Test func whatAClientDoesNotTakeWaitsInTheQueue() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try subscribe(to: server, receiveBuffer: 16 << 10)
        let stream = try #require(seen.streams.withLock { $0.first })
        let event = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
        var sent = 0
        while stream.send(event) { sent += event.count }
        var queued = stream.queuedBytes
        // Until nothing moves any more.
        #expect(
            seen.eventually {
                usleep(50_000)
                defer { queued = stream.queuedBytes }
                return stream.queuedBytes == queued
            })
        #expect(sent - queued < 400_000, "\(sent) sent, \(queued) wait")
        // Each little that is read is seen there soon.
        for _ in 0..<3 {
            let (before, taken) = (stream.queuedBytes, stream.takenBytes)
            var read = 0
            while read < 200_000 { read += try #require(try client.readChunk()).count }
            #expect(seen.eventually { stream.queuedBytes < before && stream.takenBytes > taken })
        }
    }

    @Test func twentySubscribersGetAThousandSharedEventsInOrder() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let clients = try (0..<20).map { _ in try subscribe(to: server) }
        let streams = seen.streams.withLock { $0 }
        #expect(streams.count == 20)
        let port = server.port
        onThreads(2) { number in
            guard number == 0 else {
                // Requests beside it, so that resumes of both kinds meet.
                guard let client = try? RawClient(port: port) else { return }
                for _ in 0..<300 { _ = try? client.get("/worker") }
                return
            }
            for index in 0..<1000 {
                let event = Array("data: \(index)\n".utf8)
                for stream in streams where !stream.send(event) { Issue.record("full") }
            }
            for stream in streams { stream.finish() }
        }
        let wanted = (0..<1000).map { "data: \($0)\n" }.joined()
        for client in clients {
            var got: [UInt8] = []
            while let chunk = try client.readChunk(), !chunk.isEmpty { got += chunk }
            #expect(String(decoding: got, as: UTF8.self) == wanted)
        }
        #expect(seen.eventually { seen.closed.load(ordering: .relaxed) == 20 })
        #expect(server.openEventStreams == 0)
        server.stop(drain: 1)
    }

    @Test func aSlowSubscriberOverflowsAloneAndIsDropped() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let slow = try subscribe(to: server, "/small-events", receiveBuffer: 4096)
        let quick = try subscribe(to: server)
        let streams = seen.streams.withLock { $0 }
        let event = [UInt8](repeating: 120, count: 1024)
        var refusedAt: Int?
        for index in 0..<20_000 where refusedAt == nil {
            if !streams[0].send(event) {
                // A pool thread of a busy machine may be late; a client that is slow stays so.
                usleep(100_000)
                if !streams[0].send(event) { refusedAt = index }
            }
            #expect(streams[1].send(event))
            #expect(try quick.readChunk() == event)
        }
        #expect(refusedAt != nil)
        #expect(streams[0].queuedBytes <= 4096 && streams[0].queuedBytes > 3072)
        streams[0].drop()
        #expect(seen.eventually { seen.closed.load(ordering: .relaxed) == 1 })
        #expect(!streams[0].send(event))
        #expect(streams[1].send(event))
        #expect(try quick.readChunk() == event)
        while let chunk = try? slow.readChunk() { #expect(!chunk.isEmpty, "a last chunk") }
        server.stop(drain: 1)
        #expect(seen.closed.load(ordering: .relaxed) == 2)
    }

    @Test func anEventLargerThanTheQueueIsRefused() throws {
        let stream = EventStream(capacity: 10)
        #expect(!stream.send([UInt8](repeating: 1, count: 11)))
        #expect(stream.send([UInt8](repeating: 1, count: 10)))
        #expect(!stream.send([1]))
        #expect(stream.queuedBytes == 10)
    }

    @Test(arguments: [false, true])
    func aClientThatClosesIsNoticedAtOnce(byReset: Bool) throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try subscribe(to: server)
        let stream = try #require(seen.streams.withLock { $0.first })
        #expect(seen.eventually { stream.isIdle })
        if byReset { client.reset() } else { client.close() }
        #expect(seen.eventually { stream.isClosed })
        let heartbeat = Array(":\n".utf8)
        #expect(seen.eventually { server.openEventStreams == 0 })
        #expect(seen.eventually { seen.closed.load(ordering: .relaxed) == 1 })
        #expect(!stream.send(heartbeat))
        stream.finish()
        stream.drop()
        server.stop(drain: 1)
        #expect(seen.closed.load(ordering: .relaxed) == 1)
    }

    @Test func whatIsDroppedEndsWithoutALastChunk() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try subscribe(to: server)
        let stream = try #require(seen.streams.withLock { $0.first })
        #expect(seen.eventually { stream.isIdle })
        stream.drop()
        #expect(try client.readChunk() == nil)
        #expect(seen.eventually { seen.closed.load(ordering: .relaxed) == 1 })
        server.stop(drain: 1)
    }

    @Test func onCloseSetLateIsStillCalledOnce() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try subscribe(to: server)
        let stream = try #require(seen.streams.withLock { $0.first })
        let calls = Atomic<Int>(0)
        stream.onClose = { calls.add(1, ordering: .relaxed) }
        stream.drop()
        #expect(seen.eventually { calls.load(ordering: .relaxed) == 1 })
        stream.onClose = { calls.add(1, ordering: .relaxed) }
        #expect(calls.load(ordering: .relaxed) == 2)
        #expect(seen.closed.load(ordering: .relaxed) == 0)
        client.close()
        server.stop(drain: 1)
    }

    @Test func sendersDroppersAndLeaversMayMeet() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let clients = try (0..<60).map { _ in try subscribe(to: server, "/small-events") }
        let streams = seen.streams.withLock { $0 }
        let event = [UInt8](repeating: 120, count: 100)
        for (index, client) in clients.enumerated() where index % 3 == 0 { client.reset() }
        onThreads(4) { number in
            for round in 0..<200 {
                for (index, stream) in streams.enumerated() {
                    stream.send(event)
                    if round == 100, index % 3 == 1, index % 4 == number { stream.drop() }
                    if round == 150, index % 3 == 2, index % 4 == number { stream.finish() }
                }
            }
        }
        for client in clients { client.close() }
        server.stop(drain: 1)
        #expect(seen.closed.load(ordering: .relaxed) == 60)
    }
}
