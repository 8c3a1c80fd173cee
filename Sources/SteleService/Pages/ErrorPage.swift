/// `GET /docs/errors`: every error code, its meaning and its correction.

import SteleJSON
import SteleRequests

/// The list of error codes.
enum ErrorPage {
    static let json: [UInt8] = {
        let codes = ErrorCode.all.map { code -> JSONValue in
            var members: [(String, JSONValue)] = [("code", code.json)]
            if let name = code.name { members.append(("name", .string(name))) }
            members.append(("status", .integer(Int64(code.status))))
            members.append(("title", .string(code.title)))
            members.append(("explanation", .string(code.explanation)))
            return .object(members)
        }
        return Array(JSONValue.array(codes).compact.utf8)
    }()

    /// The codes as text, with a paragraph for each.
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
