// The errors that Core Data has no code for.

extension ErrorCode {
    package static let target = ErrorCode(
        "request.target", status: 400, "The address cannot be read",
        "A percent escape is incomplete or wrong, or does not decode to UTF-8.")
    package static let parameter = ErrorCode(
        "request.parameter", status: 400, "A parameter's value cannot be used",
        "The parameter does not take this value; the detail says what it takes.")
    static let unknownParameter = ErrorCode(
        "request.unknown-parameter", status: 400, "Unknown query parameter",
        "Parameters are never ignored. The hint names the nearest one that the route takes.")
    static let duplicateParameter = ErrorCode(
        "request.duplicate-parameter", status: 400, "A query parameter is given twice",
        "Each parameter may be given once; lists are written with commas.")
    package static let cursor = ErrorCode(
        "request.cursor", status: 400, "The cursor does not belong to this query",
        "`after` takes the cursor in a page's Link header; entity, where, sort, select and "
            + "variables must be those of that page.")
    package static let header = ErrorCode(
        "request.header", status: 400, "A header field cannot be read",
        "The detail names the field and the values that it takes.")
    package static let malformed = ErrorCode(
        "request.malformed", status: 400, "The request violates HTTP",
        "The head of the request is malformed or ambiguous.")
    package static let id = ErrorCode(
        "request.id", status: 400, "Not an id",
        "An id is a whole number from 1 to 9223372036854775807.")
    package static let body = ErrorCode(
        "request.body", status: 400, "The body has the wrong form",
        "The body is JSON, but not in the form that this route takes; the detail describes it.")
    package static let unknownKey = ErrorCode(
        "request.unknown-key", status: 400, "Unknown key",
        "The entity has no property with this name. Keys are never ignored; the hint names "
            + "the nearest one.")
    package static let json = ErrorCode(
        "json.syntax", status: 400, "The body is not JSON",
        "The text violates the grammar of JSON (RFC 8259), or is incomplete; line and column "
            + "say where.")
    package static let duplicateKey = ErrorCode(
        "json.duplicate-key", status: 400, "A key occurs twice",
        "An object in the body has a key twice; Stele does not guess which one counts.")
    package static let invalidUTF8 = ErrorCode(
        "json.utf8", status: 400, "The body is not UTF-8",
        "JSON is UTF-8; send the text in that encoding.")
    package static let tooDeep = ErrorCode(
        "json.too-deep", status: 400, "The body nests too deeply",
        "The nesting of arrays and objects is limited.")
    package static let jsonNumber = ErrorCode(
        "json.number", status: 400, "A number is out of range",
        "No Double holds a JSON number that large.")
    package static let nulCharacter = ErrorCode(
        "json.nul", status: 400, "U+0000 in text", "Stores cannot keep U+0000 in text.")
    package static let emptyBody = ErrorCode(
        "json.empty", status: 400, "The body is empty", "This route takes a JSON body.")
    package static let predicate = ErrorCode(
        "predicate.syntax", status: 400, "The predicate cannot be read",
        "`position` and `near` say where reading stopped, `hint` what was probably meant.")
    static let predicateKey = ErrorCode(
        "predicate.unknown-key", status: 400, "Unknown key in an expression",
        "The entity has no property with this name; the hint names the nearest one.")
    static let predicateType = ErrorCode(
        "predicate.type", status: 400, "The expression's types do not fit",
        "Values of these types cannot be compared, such as a text with a number.")
    static let predicateVariable = ErrorCode(
        "predicate.variable", status: 400, "A variable has no usable value",
        "$NAME in an expression takes its value from the parameter var.NAME, which must be of "
            + "the type that it is compared with.")
    static let predicateLimit = ErrorCode(
        "predicate.limit", status: 400, "The expression is too large",
        "The length and nesting of expressions are limited, and so is the time of a regular "
            + "expression.")
    static let predicatePattern = ErrorCode(
        "predicate.pattern", status: 400, "Not a regular expression",
        "The pattern of MATCHES cannot be read; the detail says where and why.")
    static let predicateUnsupported = ErrorCode(
        "predicate.unsupported", status: 400, "Not part of the language",
        "There is no such function, cast or operator, or it is not allowed here.")
    package static let predicateValue = ErrorCode(
        "predicate.value", status: 400, "The expression fails on a value",
        "The expression is valid, but cannot be evaluated with the stored values.")
    package static let value = ErrorCode(
        "value.type", status: 422, "A value does not fit its attribute",
        "The value cannot be read as the attribute's type; the detail names both.")
    package static let readOnly = ErrorCode(
        "value.read-only", status: 422, "The property cannot be written",
        "Derived attributes and fetched properties are computed, and transient attributes are "
            + "not stored.")
    package static let abstract = ErrorCode(
        "entity.abstract", status: 422, "The entity is abstract",
        "An abstract entity has no objects of its own: name one of its subentities in _entity.")
    package static let wrongEntity = ErrorCode(
        "entity.mismatch", status: 422, "The entity does not fit here",
        "_entity must name the entity of the address or of the relationship's destination, or "
            + "a subentity of it.")
    package static let noDestination = ErrorCode(
        "object.missing-destination", status: 422, "The object to link does not exist",
        "A relationship names an id that no object of the destination entity has.")
    package static let reference = ErrorCode(
        "reference.unknown", status: 422, "No operation has this name",
        "_ref must be a name that another operation of the same transaction has in `as`.")
    package static let pointer = ErrorCode(
        "patch.path", status: 422, "The patch points to nothing",
        "`path` and `from` are JSON pointers (RFC 6901) into the object: to a property, or to "
            + "a place in a to-many relationship.")
    package static let patchTest = ErrorCode(
        "patch.test", status: 409, "A test of the patch fails",
        "`yours` is the value that the operation expects, `stored` the stored one; nothing is "
            + "changed.")
    package static let metadata = ErrorCode(
        "metadata.value", status: 422, "The store's metadata cannot have this",
        "Keys of Core Data and Stele are read-only, null is not a value, and keys, nesting and "
            + "size are limited; the detail names the key.")
    package static let backup = ErrorCode(
        "backup.impossible", status: 409, "The store cannot be backed up",
        "It has no file, or is only read, or another backup is being made; the detail says which.")
    package static let token = ErrorCode(
        "access.token", status: 401, "A token is needed",
        "Send Authorization: Bearer TOKEN with a token of the service.")
    package static let right = ErrorCode(
        "access.right", status: 403, "The token does not give this right",
        "The detail names the role, what is asked for, and the entity.")
    package static let host = ErrorCode(
        "access.host", status: 403, "The host is not allowed",
        "The Host header is neither an IP address nor localhost nor a name allowed by a setting.")
    package static let origin = ErrorCode(
        "access.origin", status: 403, "The origin is not allowed",
        "The Origin header names another host; allow it with the setting for hosts.")
    package static let route = ErrorCode(
        "route.unknown", status: 404, "No such route",
        "The hint names the nearest route, if there is one.")
    package static let entity = ErrorCode(
        "entity.unknown", status: 404, "No such entity",
        "The model has no entity with this name; the hint names the nearest one.")
    package static let object = ErrorCode(
        "object.unknown", status: 404, "No such object",
        "The entity has no object with this id: it never existed, or it is deleted.")
    package static let member = ErrorCode(
        "object.not-a-member", status: 404, "Not in this relationship",
        "The object is not among the relationship's destinations.")
    package static let noValue = ErrorCode(
        "value.none", status: 404, "The attribute has no value",
        "The object exists, but its Binary attribute is null.")
    package static let valueGone = ErrorCode(
        "value.gone", status: 410, "The file of the value is missing",
        "The object exists, and the file that its Binary attribute names is not beside the store. "
            + "Restore the file, or write or delete the value.")
    package static let method = ErrorCode(
        "method.not-allowed", status: 405, "The route does not take this method",
        "The Allow header names the methods that it takes.")
    package static let notAcceptable = ErrorCode(
        "accept.none", status: 406, "The format is not available",
        "This route has none of the formats that Accept names; application/json is always "
            + "available.")
    package static let identity = ErrorCode(
        "conflict.identity", status: 409, "The body names another object",
        "_id or _entity in the body does not agree with the address.")
    package static let versionConflict = ErrorCode(
        "conflict.version", status: 409, "The object has another version",
        "_version in the body is not the stored version; `conflicts` has the keys that "
            + "differ, with both values.")
    package static let precondition = ErrorCode(
        "precondition.failed", status: 412, "The object has another version",
        "If-Match names a version that is not the stored one.")
    package static let keyRunning = ErrorCode(
        "idempotency.running", status: 409, "The request is still running",
        "A request with the same Idempotency-Key has not been answered yet; try again in a moment.")
    package static let keyReused = ErrorCode(
        "idempotency.reused", status: 422, "The key belongs to another request",
        "An Idempotency-Key names one request: its method, path, query and body.")
    package static let contextUnknown = ErrorCode(
        "context.unknown", status: 404, "No such editing context",
        "No editing context has this id, or it belongs to another reader.")
    package static let contextGone = ErrorCode(
        "context.gone", status: 410, "The editing context is gone",
        "It expired, or it or its parent was deleted. Its unsaved changes are lost.")
    package static let contextLimit = ErrorCode(
        "context.limit", status: 429, "Too many editing contexts",
        "The number of editing contexts and the size of their changes are limited. Delete "
            + "contexts that are no longer needed, or try again after the seconds in Retry-After.")
    package static let contextFull = ErrorCode(
        "context.full", status: 422, "The editing context holds too much",
        "Its unsaved changes and the nesting of contexts are limited; the detail names the limit.")
    package static let contextEvaluation = ErrorCode(
        "context.evaluation", status: 422, "Too many objects to evaluate with unsaved changes",
        "In an editing context with unsaved changes, aggregates, distinct rows and lists "
            + "without a limit are evaluated object by object, up to a maximum. Narrow where, or "
            + "save first.")
    package static let contextStale = ErrorCode(
        "context.stale", status: 409, "The data that the changes rely on has changed",
        "Another save changed what no version guards: a linked object is gone, or members "
            + "were added or removed. Refresh the context, which keeps its changes, and save again."
    )
    package static let undoNothing = ErrorCode(
        "undo.nothing", status: 409, "Nothing to undo or redo",
        "The context has no change to undo or redo, or its undo is disabled.")
    package static let undoGroup = ErrorCode(
        "undo.group", status: 409, "The undo groups do not match",
        "An open group must be ended before undo, only an open group can be ended, and groups "
            + "nest at most 100 deep.")
    package static let bodyTooLarge = ErrorCode(
        "request.too-large", status: 413, "The body is too large", "Send it in several requests.")
    package static let targetTooLong = ErrorCode(
        "request.target-too-long", status: 414, "The address is too long",
        "The query is longer than the limit; send it as a body, by POST to the entity's path "
            + "with /query after it.")
    package static let headTooLarge = ErrorCode(
        "request.head-too-large", status: 431, "The header fields are too large",
        "Send fewer or shorter ones; a browser sends all cookies that it has for the host.")
    package static let rate = ErrorCode(
        "request.rate", status: 429, "Too many requests",
        "The client has sent more requests in a second than the service allows; try again after "
            + "the seconds that Retry-After says.")
    package static let range = ErrorCode(
        "range.unsatisfiable", status: 416, "The range cannot be satisfied",
        "The Range header begins after the value's last byte.")
    package static let mediaType = ErrorCode(
        "request.media-type", status: 415, "The format of the body is not supported",
        "Bodies are application/json; PATCH also takes application/merge-patch+json and "
            + "application/json-patch+json.")
    package static let notBuilt = ErrorCode(
        "feature.not-built", status: 501, "Not implemented",
        "The contract has it, but this version of Stele does not.")
    package static let unreadable = ErrorCode(
        "value.unreadable", status: 500, "A stored value cannot be read",
        "The attribute's transformer cannot read the stored bytes, most often because the "
            + "service was started with another key. The store is unchanged.")
    package static let busy = ErrorCode(
        "service.busy", status: 503, "Busy", "Try again after the seconds that Retry-After says.")
    package static let unavailable = ErrorCode(
        "service.unavailable", status: 503, "Not ready", "The service is starting or stopping.")
    package static let deadline = ErrorCode(
        "service.deadline", status: 503, "The query ran too long",
        "A statement ran longer than its deadline; narrow the query.")
    package static let readOnlyStore = ErrorCode(
        "store.read-only", status: 403, "The store is read-only",
        "The service was started with the setting read-only. Nothing was saved.")
    package static let storeGone = ErrorCode(
        "store.gone", status: 503, "The store is gone",
        "A file of the store was removed or replaced while the service had it open: nothing is "
            + "saved, and reads go on with what is still open. Or the store in a database was "
            + "migrated by another node to another version of the model, is another one, or was "
            + "taken back to an older state: nothing is read either.")
    package static let storeDamaged = ErrorCode(
        "store.damaged", status: 503, "The store is damaged",
        "A file of the store does not have what was written to it: the disk, the file system or "
            + "another program has changed it. Nothing is saved until the service is started again "
            + "with a store that is whole; reads go on as far as they can.")
    package static let storeUnavailable = ErrorCode(
        "store.unavailable", status: 503, "The store is not available",
        "Its database cannot be reached, or something in it must be mended, which the message "
            + "names. Nothing was saved.")
    package static let noRoom = ErrorCode(
        "store.no-room", status: 507, "No room",
        "The disk is full, a quota or the process's limit of a file's size is reached, or an entity "
            + "has no keys left. Nothing was saved.")
    package static let `internal` = ErrorCode(
        "internal", status: 500, "Internal error", "The log has it under the id in the answer.")

    package static let words: [ErrorCode] = [
        target, parameter, unknownParameter, duplicateParameter, cursor, header, malformed, id,
        body, unknownKey, json, duplicateKey, invalidUTF8, tooDeep, jsonNumber, nulCharacter,
        emptyBody, predicate, predicateKey, predicateType, predicateVariable, predicatePattern,
        predicateLimit, predicateUnsupported, predicateValue, value, readOnly, abstract,
        wrongEntity, backup,
        noDestination, reference, pointer, patchTest, metadata, token, right, host, origin, route,
        entity,
        object,
        member, noValue, valueGone, method, notAcceptable, identity, versionConflict, precondition,
        keyRunning,
        keyReused, contextUnknown, contextGone, contextLimit, contextFull, contextEvaluation,
        contextStale, undoNothing, undoGroup, bodyTooLarge, targetTooLong, headTooLarge, rate,
        range,
        mediaType, notBuilt, unreadable, busy,
        unavailable, deadline, readOnlyStore, storeGone, storeDamaged, storeUnavailable, noRoom,
        `internal`,
    ]
}
