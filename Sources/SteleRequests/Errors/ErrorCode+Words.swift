// The codes that Core Data has no number for.

extension ErrorCode {
    package static let target = ErrorCode(
        "request.target", 400, "The address cannot be read",
        "A percent escape is cut short or wrong, or what it decodes to is not UTF-8.")
    package static let parameter = ErrorCode(
        "request.parameter", 400, "A parameter's value cannot be used",
        "The parameter is known, but not this value of it; the detail says what it takes.")
    static let unknownParameter = ErrorCode(
        "request.unknown-parameter", 400, "Unknown query parameter",
        "Parameters are never ignored. The detail names the nearest one that this route knows.")
    static let duplicateParameter = ErrorCode(
        "request.duplicate-parameter", 400, "A query parameter is given twice",
        "Each parameter may stand once; lists are written with commas.")
    package static let cursor = ErrorCode(
        "request.cursor", 400, "The cursor does not belong to this query",
        "`after` takes the cursor of a page's Link header, with the entity, where, sort, select "
            + "and variables of that page.")
    package static let header = ErrorCode(
        "request.header", 400, "A header field cannot be read",
        "The detail names the field and what it takes.")
    package static let malformed = ErrorCode(
        "request.malformed", 400, "The request is against the rules of HTTP",
        "The head of the request cannot be read without guessing, so it is refused.")
    package static let id = ErrorCode(
        "request.id", 400, "Not an id",
        "An id is a whole number from 1 to 9223372036854775807.")
    package static let body = ErrorCode(
        "request.body", 400, "The body has the wrong shape",
        "The body is JSON, but not of the shape that this route takes; the detail says which.")
    package static let unknownKey = ErrorCode(
        "request.unknown-key", 400, "Unknown key",
        "The entity has no property of this name. Keys are never ignored; the detail names the "
            + "nearest one.")
    package static let json = ErrorCode(
        "json.syntax", 400, "The body is not JSON",
        "The text breaks JSON's grammar (RFC 8259), or is cut short; line and column say where.")
    package static let duplicateKey = ErrorCode(
        "json.duplicate-key", 400, "A key stands twice",
        "One object of the body names a key twice; which one counts is not guessed.")
    package static let invalidUTF8 = ErrorCode(
        "json.utf8", 400, "The body is not UTF-8", "JSON is UTF-8; send the text in that encoding.")
    package static let tooDeep = ErrorCode(
        "json.too-deep", 400, "The body nests too deeply",
        "Arrays and objects may stand inside one another up to a bound.")
    package static let jsonNumber = ErrorCode(
        "json.number", 400, "A number is out of range",
        "A bare JSON number is at most 64 bits, or a Double; send a longer one as a string.")
    package static let nulCharacter = ErrorCode(
        "json.nul", 400, "U+0000 in text", "No store keeps U+0000 in text.")
    package static let emptyBody = ErrorCode(
        "json.empty", 400, "The body is empty", "This route takes a JSON body.")
    package static let predicate = ErrorCode(
        "predicate.syntax", 400, "The predicate cannot be read",
        "`position` and `near` say where reading stopped, `hint` what may have been meant.")
    static let predicateKey = ErrorCode(
        "predicate.unknown-key", 400, "Unknown key in an expression",
        "The entity has no property of this name; the hint names the nearest.")
    static let predicateType = ErrorCode(
        "predicate.type", 400, "The expression's types do not fit",
        "What is compared cannot be compared, such as a text with a number.")
    static let predicateVariable = ErrorCode(
        "predicate.variable", 400, "A variable has no value that fits",
        "$NAME in an expression takes its value from the parameter var.NAME; it has to be of the "
            + "kind that it is compared with.")
    static let predicateLimit = ErrorCode(
        "predicate.limit", 400, "The expression is too large",
        "Expressions are bounded in length and nesting, and regular expressions in time.")
    static let predicatePattern = ErrorCode(
        "predicate.pattern", 400, "Not a regular expression",
        "The pattern of MATCHES cannot be read; the detail says where and why.")
    static let predicateUnsupported = ErrorCode(
        "predicate.unsupported", 400, "Not a part of the language",
        "There is no such function, cast or operator, or it may not stand in a predicate here.")
    package static let predicateValue = ErrorCode(
        "predicate.value", 400, "The expression fails on a value",
        "The expression can be read, but not evaluated with the values at hand.")
    package static let value = ErrorCode(
        "value.type", 422, "A value does not fit its attribute",
        "The value cannot be read as the attribute's type; the detail names both.")
    package static let readOnly = ErrorCode(
        "value.read-only", 422, "The property cannot be written",
        "Derived attributes and fetched properties are computed, not written, and no store keeps "
            + "transient attributes.")
    package static let abstract = ErrorCode(
        "entity.abstract", 422, "The entity is abstract",
        "No object is of an abstract entity itself: name one of its subentities in _entity.")
    package static let wrongEntity = ErrorCode(
        "entity.mismatch", 422, "Not an entity for this place",
        "_entity names the entity of the address, or of the relationship's destination, or one of "
            + "its subentities.")
    package static let noDestination = ErrorCode(
        "object.missing-destination", 422, "The object to link does not exist",
        "A relationship is given an id that no object of the destination entity has.")
    package static let reference = ErrorCode(
        "reference.unknown", 422, "No operation has this name",
        "_ref names what another operation of the same transaction calls by `as`.")
    package static let pointer = ErrorCode(
        "patch.path", 422, "The patch points to nothing",
        "`path` and `from` are JSON pointers (RFC 6901) into the object: a property, or a place in "
            + "a to-many relationship.")
    package static let patchTest = ErrorCode(
        "patch.test", 409, "A test of the patch does not hold",
        "`yours` is what the operation expects, `stored` what stands there; nothing is changed.")
    package static let token = ErrorCode(
        "access.token", 401, "A token is needed",
        "Send Authorization: Bearer TOKEN with the token that the service was started with.")
    package static let host = ErrorCode(
        "access.host", 403, "Not a host of this service",
        "The Host header is neither an IP address nor localhost nor a name allowed by a setting.")
    static let origin = ErrorCode(
        "access.origin", 403, "Pages of that origin may not call this service",
        "The Origin header names another host; allow it by the setting for hosts.")
    package static let route = ErrorCode(
        "route.unknown", 404, "No such route", "The detail names the nearest route, if one is near."
    )
    package static let entity = ErrorCode(
        "entity.unknown", 404, "No such entity",
        "The model has no entity of this name; the detail names the nearest.")
    package static let object = ErrorCode(
        "object.unknown", 404, "No such object",
        "The entity has no object with this id: it never had, or it is deleted.")
    package static let member = ErrorCode(
        "object.not-a-member", 404, "Not in this relationship",
        "The object is not among the relationship's destinations.")
    package static let noValue = ErrorCode(
        "value.none", 404, "The attribute has no value",
        "The object is there, and its Binary attribute is null.")
    package static let method = ErrorCode(
        "method.not-allowed", 405, "The route does not take this method",
        "The Allow header names the methods that it takes.")
    static let notAcceptable = ErrorCode(
        "accept.none", 406, "No such format",
        "None of the formats that Accept names is given here; application/json always is.")
    package static let identity = ErrorCode(
        "conflict.identity", 409, "The body speaks of another object",
        "_id or _entity in the body does not agree with the address.")
    package static let versionConflict = ErrorCode(
        "conflict.version", 409, "The object has another version",
        "_version in the body is not the version that is stored; `conflicts` has the keys that "
            + "differ, with both values.")
    package static let precondition = ErrorCode(
        "precondition.failed", 412, "The object has another version",
        "If-Match names a version that is not the stored one.")
    package static let keyRunning = ErrorCode(
        "idempotency.running", 409, "The request is still running",
        "One with the same Idempotency-Key has not been answered yet; ask again in a moment.")
    package static let keyReused = ErrorCode(
        "idempotency.reused", 422, "The key was another request's",
        "An Idempotency-Key names one request: the same method, path, query and body.")
    package static let contextUnknown = ErrorCode(
        "context.unknown", 404, "No such editing context",
        "No editing context has this id, or it is another reader's.")
    package static let contextGone = ErrorCode(
        "context.gone", 410, "The editing context is no more",
        "It was left alone until it expired, or it was deleted, or its parent was. What was not "
            + "saved is lost.")
    package static let contextLimit = ErrorCode(
        "context.limit", 429, "Too many editing contexts",
        "Their number, and what they hold together, is limited. Delete those that are done with, or "
            + "come again after the seconds that Retry-After says.")
    package static let contextFull = ErrorCode(
        "context.full", 422, "The editing context holds too much",
        "Its unsaved changes, and how deep contexts nest, are limited; the detail says the limit.")
    package static let contextEvaluation = ErrorCode(
        "context.evaluation", 422, "Too many objects to look at with unsaved changes",
        "Aggregates, distinct rows and lists without a bound are worked out object by object where "
            + "an editing context has unsaved changes, up to a limit. Narrow where, or save first.")
    package static let contextStale = ErrorCode(
        "context.stale", 409, "What the changes rely on has changed",
        "Somebody has saved a change of what no version guards: an object that is linked is gone, or "
            + "members have come or gone. Refresh the context, which keeps its changes, and save "
            + "again.")
    package static let undoNothing = ErrorCode(
        "undo.nothing", 409, "Nothing to undo or redo",
        "The context has no change to take back, or to do again, or its undo is disabled.")
    package static let undoGroup = ErrorCode(
        "undo.group", 409, "An undo group is in the way",
        "A group that is open must be ended first, and only a group that is open can be ended; they "
            + "nest 100 deep at most.")
    package static let bodyTooLarge = ErrorCode(
        "request.too-large", 413, "The body is too large", "Send it in several requests.")
    package static let targetTooLong = ErrorCode(
        "request.target-too-long", 414, "The address is too long",
        "The query is longer than the limit; send it as a body, by POST to the entity's path with "
            + "/query behind it.")
    package static let headTooLarge = ErrorCode(
        "request.head-too-large", 431, "The header fields are too large",
        "Send fewer or shorter ones; a browser sends all cookies that it has for the host.")
    package static let range = ErrorCode(
        "range.unsatisfiable", 416, "None of these bytes are there",
        "The Range header begins beyond the value's last byte.")
    static let mediaType = ErrorCode(
        "request.media-type", 415, "The body is in another format",
        "Bodies are application/json; PATCH takes application/merge-patch+json and "
            + "application/json-patch+json, too.")
    package static let notBuilt = ErrorCode(
        "feature.not-built", 501, "Not there yet",
        "The contract has it, this version of Stele does not.")
    package static let unreadable = ErrorCode(
        "value.unreadable", 500, "A stored value cannot be read",
        "The attribute's transformer cannot read what the store holds, most often because the "
            + "service was started with another key. The store is as it was.")
    package static let busy = ErrorCode(
        "service.busy", 503, "Busy", "Try again after the seconds that Retry-After says.")
    package static let unavailable = ErrorCode(
        "service.unavailable", 503, "Not ready", "The service is starting or stopping.")
    package static let deadline = ErrorCode(
        "service.deadline", 503, "The query ran too long",
        "A statement ran longer than its deadline; narrow the query.")
    package static let noRoom = ErrorCode(
        "store.no-room", 507, "No room", "The disk is full. Nothing was saved.")
    package static let `internal` = ErrorCode(
        "internal", 500, "An error of the service",
        "It is in the log under the id that the answer names.")

    package static let words: [ErrorCode] = [
        target, parameter, unknownParameter, duplicateParameter, cursor, header, malformed, id,
        body, unknownKey, json, duplicateKey, invalidUTF8, tooDeep, jsonNumber, nulCharacter,
        emptyBody, predicate, predicateKey, predicateType, predicateVariable, predicatePattern,
        predicateLimit, predicateUnsupported, predicateValue, value, readOnly, abstract,
        wrongEntity,
        noDestination, reference, pointer, patchTest, token, host, origin, route, entity, object,
        member, noValue, method, notAcceptable, identity, versionConflict, precondition, keyRunning,
        keyReused, contextUnknown, contextGone, contextLimit, contextFull, contextEvaluation,
        contextStale, undoNothing, undoGroup, bodyTooLarge, targetTooLong, headTooLarge, range,
        mediaType, notBuilt, unreadable, busy,
        unavailable, deadline, noRoom, `internal`,
    ]
}
