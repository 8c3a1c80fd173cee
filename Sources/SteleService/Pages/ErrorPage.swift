/// `GET /docs/errors`: every code, what it means, what to do.

import SteleJSON
import SteleRequests

enum ErrorPage {
    /// The codes as JSON.
    static let json: [UInt8] = {
        let codes = ErrorCode.all.map { code -> JSONValue in
            var members: [(String, JSONValue)] = []
            switch code.identifier {
            case .number(let number): members.append(("code", .integer(Int64(number))))
            case .word(let word): members.append(("code", .string(word.text)))
            }
            if let name = code.name { members.append(("name", .string(name))) }
            members.append(("status", .integer(Int64(code.status))))
            members.append(("title", .string(code.title)))
            members.append(("explanation", .string(code.explanation)))
            return .object(members)
        }
        var writer = ByteWriter(capacity: 8192)
        JSONValue.array(codes).write(to: &writer)
        return writer.take()
    }()

    /// The codes as text, a paragraph each.
    static let text: [UInt8] = {
        var writer = ByteWriter(capacity: 8192)
        for code in ErrorCode.all {
            writer.write(code.text)
            if let name = code.name { writer.write(" \(name)") }
            writer.write(" (\(code.status))\n  \(code.title). \(code.explanation)\n")
        }
        return writer.take()
    }()
}
