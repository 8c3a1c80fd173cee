// The file of roles and tokens: what is wrong with it is named.

import SteleModel
import TestSupport
import Testing

@testable import SteleRequests

@Suite struct RightsFileTests {
    static let errors: [(text: String, error: String)] = [
        ("{", "it is not JSON"), ("[]", "it is no JSON object"),
        (#"{"role": {}}"#, "there is no key role"),
        (#"{"roles": []}"#, "roles is no object"),
        (#"{"roles": {"all": {}}}"#, "the role all is there already"),
        (#"{"roles": {"a": true}}"#, "the role a is no object"),
        (#"{"roles": {"a": {"Tag": "read"}}}"#, "the role a: Tag is no object"),
        (#"{"roles": {"a": {"Tag": {"write": true}}}}"#, "there is no right write"),
        (
            #"{"roles": {"a": {"/metadata": true}}}"#,
            "the role a: /metadata is no route that a role can be given (there are /metrics, /backup)"
        ),
        (#"{"roles": {"a": {"/metrics": {}}}}"#, "the role a: /metrics is neither true nor false"),
        (#"{"roles": {"a": {"Tag": {"read": 1}}}}"#, "neither true, false nor a predicate"),
        (#"{"roles": {"a": {"Tag": {"read": "name =="}}}}"#, "the role a: Tag: read: "),
        (
            #"{"roles": {"a": {"Tag": {"read": "name == $ME"}}}}"#,
            "the only variable of a rule is $USER, not $ME"
        ),
        (
            #"{"roles": {"a": {"Tag": {"read": "name != nil AND now() > now()"}}}}"#,
            "a rule cannot use now() or random()"
        ),
        (
            #"{"tokens": [{"name": "anonymous", "role": "all", "sha256": "\#(hash)"}]}"#,
            "anonymous is the name of requests without a token of the file"
        ),
        (#"{"tokens": [{"name": "t", "role": "all"}]}"#, "lacks name, sha256 or role"),
        (#"{"tokens": [{"name": "t", "role": "all", "sha256": "12"}]}"#, "64 hexadecimal digits"),
        (#"{"tokens": [{"nam": "t"}]}"#, "there is no key nam"),
        (
            #"{"tokens": [{"name": "t", "role": "b", "sha256": "\#(hash)"}]}"#,
            "the token t has the role b, which is not among the roles"
        ),
        (
            #"{"tokens": [{"name": "t", "role": "all", "sha256": "\#(hash)"}, "#
                + #"{"name": "t", "role": "all", "sha256": "\#(hash)"}]}"#,
            "two tokens with the name t"
        ),
        (#"{"anonymous": "b"}"#, "anonymous has the role b"),
        (#"{"anonymous": "all"}"#, "cannot have the role all"),
    ]

    private static let hash = String(repeating: "ab", count: 32)

    @Test(arguments: errors) func whatIsWrongIsNamed(_ text: String, _ message: String) {
        let error = #expect(throws: RightsError.self) { try RightsFile(text) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    static let misfits: [(role: String, error: String)] = [
        (#"{"Tga": {"read": true}}"#, "has no entity Tga (did you mean Tag?)"),
        (#"{"Tag": {"read": "title == 'x'"}}"#, "the role a: read of Tag: "),
        (
            #"{"Document": {"read": true}, "Report": {"read": "year > 2000"}}"#,
            "read of Document: Document has no property year"
        ),
        (#"{"Tag": {"read": "_id > 1 AND nme == 'x'"}}"#, "(at 12, near nme)"),
    ]

    @Test(arguments: misfits) func aRoleThatDoesNotFitTheModelIsNamed(
        _ role: String, _ message: String
    ) throws {
        let file = try RightsFile(#"{"roles": {"a": \#(role)}, "anonymous": "a"}"#)
        let model = try RightsModel.model()
        let error = #expect(throws: RightsError.self) {
            try Access(token: nil, file, model: model)
        }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
