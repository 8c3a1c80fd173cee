// A request as code: a command of curl, JavaScript and Swift. All functions are pure.

/** The text of a body as a person typed it. It is sent as it is, so numbers keep their digits. */
export class TextBody extends Blob {
  constructor(content, type = 'application/json') {
    super([content], {type})
    this.content = content
  }
}

/**
 * The forms: each has an `id`, a `title`, and `code(requests, place)`, which gives the text for a
 * list of requests of service.js. `place` has the `base` of the service and `needsToken`. The
 * token itself is never in the text: each form reads it from the environment variable TOKEN.
 */
export const forms = [
  {id: 'curl', title: 'curl', code: curl},
  {id: 'javascript', title: 'JavaScript', code: javaScript},
  {id: 'swift', title: 'Swift', code: swift},
]

/** The longest body, in characters, that is shown as a value of Swift: its compiler is slow. */
const longestSwiftValue = 2000
/** Characters that change how a line is read or shown. */
const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** A command for each request, for any POSIX shell. */
export function curl(requests, place) {
  return requests.map(request => curlCommand(request, place)).join('\n\n') + '\n'
}

/** A function that sends the requests one after the other, for Node and a browser's console. */
export function javaScript(requests, place) {
  const token = 'const token = globalThis.process?.env.TOKEN ?? prompt(\'Token\')\n'
  const parts = requests.map(request => javaScriptStatements(request, place))
  const body = (place.needsToken ? token : '') + inBlocks(parts, '{', '  ')
  return `async function send() {\n${indented(body, '  ')}\n}\n\nsend().catch(console.error)\n`
}

/** The requests one after the other, as a file of Swift whose statements are executed. */
export function swift(requests, place) {
  const parts = requests.map(request => swiftStatements(request, place))
  return [
    'import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif',
    requests.some(isStream) && swiftPrinter,
    place.needsToken && 'let token = ProcessInfo.processInfo.environment["TOKEN"] ?? ""',
    inBlocks(parts, 'do {', '    '),
  ].filter(Boolean).join('\n\n') + '\n'
}

// What a request has

/** The header fields without the token: `[[name, value]]`. */
function headersOf(request) {
  const type = request.body instanceof Blob ? request.body.type : 'application/json'
  const own = request.body === undefined || !type ? {} : {'Content-Type': type}
  return Object.entries({...own, ...request.headers})
}

function header(request, name) {
  const found = headersOf(request).find(it => it[0].toLowerCase() === name.toLowerCase())
  return found?.[1]
}

function isStream(request) { return /event-stream/.test(header(request, 'Accept')) }

/**
 * The body as `text`, and as a `value` if JavaScript keeps all of it; or the name of a `file`.
 * Null for no body.
 */
function bodyOf({body}) {
  if (body === undefined) return null
  if (body instanceof TextBody) return {text: body.content, value: exactValue(body.content)}
  if (body instanceof Blob) return {file: body.name ?? 'body'}
  return {text: readable(body), value: JSON.parse(JSON.stringify(body))}
}

/** The value of a text, if it is JSON that means the same after JavaScript has read it. */
function exactValue(text) {
  try {
    const value = JSON.parse(text)
    return JSON.stringify(value) === compact(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** JSON on one line if that is short. */
function readable(value) {
  const line = JSON.stringify(value)
  return line.length < 70 ? line : JSON.stringify(value, null, 2)
}

/** JSON without the white space between its values. */
function compact(text) {
  return text.replace(/"(?:\\.|[^"\\])*"|\s+/g, part => part.startsWith('"') ? part : '')
}

// curl

function curlCommand(request, {base, needsToken}) {
  const body = bodyOf(request)
  const options = []
  if (isStream(request)) options.push('-N')
  // -G makes a query of the data, so a request with a body has its query in another option.
  const query = body ? '--url-query' : '--data-urlencode'
  if (request.query.length && !body) options.push('-G')
  if (request.method !== curlMethod(request, body)) options.push(`-X ${request.method}`)
  const lines = [['curl', ...options, quoted(base + request.path)].join(' ')]
  for (const [name, value] of request.query) {
    lines.push(`${query} ${quoted(`${encodeURIComponent(name)}=${value}`)}`)
  }
  if (needsToken) lines.push('-H "Authorization: Bearer $TOKEN"')
  const isJSON = isPlainJSON(request, body)
  for (const [name, value] of headersOf(request)) {
    if (!isJSON || name !== 'Content-Type') lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  // -g: a file's name is no pattern.
  if (body?.file) lines.push(`-g -T ${quoted(body.file)}`)
  else if (body) lines.push(`${isJSON ? '--json' : '--data-raw'} ${quoted(body.text)}`)
  return lines.join(' \\\n  ')
}

/** The method that curl takes for these options. */
function curlMethod(request, body) {
  if (!body) return 'GET'
  return body.file ? 'PUT' : 'POST'
}

/** Whether --json says all about the body. It would read a file for a text that begins with @. */
function isPlainJSON(request, body) {
  return Boolean(body) && !body.file && !body.text.startsWith('@')
    && header(request, 'Content-Type') === 'application/json'
}

/** A word for a POSIX shell. */
function quoted(text) {
  if (/^[\w/:.,=@%+-]+$/.test(text)) return text
  return `'${text.replaceAll('\'', '\'\\\'\'')}'`
}

// JavaScript

function javaScriptStatements(request, {base, needsToken}) {
  const body = bodyOf(request)
  const statements = []
  let address = javaScriptString(base + request.path)
  if (request.query.length) {
    const query = Object.fromEntries(request.query.map(([name, value]) => [name, String(value)]))
    statements.push(`const query = new URLSearchParams(${javaScriptValue(query)})`)
    address = `${javaScriptString(`${base}${request.path}?`)} + query`
  }
  if (body?.file) {
    statements.push('// For Node. A browser gives a file by an <input type="file">.',
      'const {openAsBlob} = await import(\'node:fs\')')
  }
  const options = javaScriptOptions(request, body, needsToken)
  statements.push(
    `const response = await fetch(${[address, options].filter(Boolean).join(', ')})`,
    'if (!response.ok) throw new Error(await response.text())',
    ...javaScriptAnswer(request))
  return statements.join('\n')
}

function javaScriptOptions(request, body, needsToken) {
  const headers = headersOf(request).map(([name, value]) =>
    `${javaScriptKey(name)}: ${javaScriptString(value)}`)
  if (needsToken) headers.unshift('Authorization: `Bearer ${token}`')
  const options = []
  if (request.method !== 'GET') options.push(`method: ${javaScriptString(request.method)}`)
  if (headers.length) {
    options.push(`headers: ${collection('{}', headers, {indent: '  ', step: '  '})}`)
  }
  if (body) options.push(`body: ${javaScriptBody(body)}`)
  return options.length ? collection('{}', options, {step: '  ', width: 40}) : null
}

function javaScriptBody({file, text, value}) {
  if (file) return `await openAsBlob(${javaScriptString(file)})`
  if (value === undefined) return javaScriptString(text)
  return `JSON.stringify(${javaScriptValue(value, '  ')})`
}

function javaScriptAnswer(request) {
  if (isStream(request)) {
    return [
      'const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()',
      'for (;;) {\n  const {value, done} = await reader.read()\n  if (done) break',
      '  console.log(value)\n}',
    ]
  }
  const accept = header(request, 'Accept') ?? 'application/json'
  const format = request.query.find(([name]) => name === 'format')?.[1] ?? 'json'
  if (accept === 'application/octet-stream') return ['console.log(await response.blob())']
  // An answer without a body is not JSON.
  if (request.method === 'DELETE' || bodyOf(request)?.file || header(request, 'Prefer')) {
    return ['console.log(response.status, await response.text())']
  }
  const isJSON = /json$/.test(accept) && !/ndjson/.test(accept) && format === 'json'
  return [`console.log(await response.${isJSON ? 'json' : 'text'}())`]
}

function javaScriptValue(value, indent = '') {
  const layout = {indent, step: '  ', width: 70}
  const deeper = indent + layout.step
  if (Array.isArray(value)) {
    return collection('[]', value.map(it => javaScriptValue(it, deeper)), layout)
  }
  if (value === null || typeof value !== 'object') {
    return typeof value === 'string' ? javaScriptString(value) : String(value)
  }
  const members = Object.entries(value).map(([key, it]) =>
    `${javaScriptKey(key)}: ${javaScriptValue(it, deeper)}`)
  return collection('{}', members, layout)
}

function javaScriptKey(key) {
  // A literal with this key would have another prototype, and no such member.
  if (key === '__proto__') return '[\'__proto__\']'
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : javaScriptString(key)
}

function javaScriptString(text) {
  const named = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}
  const escaped = text.replace(/[\\']/g, '\\$&').replace(hidden, it =>
    named[it] ?? '\\u' + it.charCodeAt(0).toString(16).padStart(4, '0'))
  return `'${escaped}'`
}

// Swift

const swiftPrinter = `/// Prints what arrives.
final class Printer: NSObject, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        print(String(decoding: data, as: UTF8.self), terminator: "")
    }
}`

function swiftStatements(request, {base, needsToken}) {
  const parts = []
  const address = swiftString(base + request.path)
  let url = `URL(string: ${address})!`
  if (request.query.length) {
    parts.push(swiftComponents(address, request.query))
    url = 'components.url!'
  }
  const settings = swiftSettings(request, needsToken)
  parts.push([`${settings.length ? 'var' : 'let'} request = URLRequest(url: ${url})`, ...settings]
    .join('\n'))
  parts.push(isStream(request) ? swiftStream : swiftAnswer)
  return parts.join('\n\n')
}

function swiftComponents(address, query) {
  const items = query.map(([name, value]) =>
    `    URLQueryItem(name: ${swiftString(name)}, value: ${swiftString(String(value))}),\n`)
  return `var components = URLComponents(string: ${address})!
components.queryItems = [\n${items.join('')}]
// URLQueryItem leaves a plus sign as it is, and services read it as a space.
components.percentEncodedQuery = components.percentEncodedQuery?
    .replacingOccurrences(of: "+", with: "%2B")`
}

function swiftSettings(request, needsToken) {
  const settings = []
  const set = (value, name) => settings.push(
    `request.setValue(${value}, forHTTPHeaderField: ${swiftString(name)})`)
  if (request.method !== 'GET') settings.push(`request.httpMethod = ${swiftString(request.method)}`)
  if (needsToken) set('"Bearer \\(token)"', 'Authorization')
  for (const [name, value] of headersOf(request)) set(swiftString(value), name)
  const body = bodyOf(request)
  if (body) settings.push(`request.httpBody = ${swiftBody(body)}`)
  return settings
}

function swiftBody({file, text, value}) {
  if (file) return `try Data(contentsOf: URL(fileURLWithPath: ${swiftString(file)}))`
  const isValue = value !== null && typeof value === 'object' && text.length < longestSwiftValue
  if (isValue) return `try JSONSerialization.data(withJSONObject: ${swiftValue(value)})`
  return `Data(${text.includes('\n') ? swiftText(text) : swiftString(text)}.utf8)`
}

const swiftAnswer = `let (data, response) = try await URLSession.shared.data(for: request)
print((response as? HTTPURLResponse)?.statusCode ?? 0)
print(String(decoding: data, as: UTF8.self))`

const swiftStream = `let session = URLSession(
    configuration: .default, delegate: Printer(), delegateQueue: nil)
let task = session.dataTask(with: request)
task.resume()
while task.state == .running { try await Task.sleep(nanoseconds: 100_000_000) }`

function swiftValue(value, indent = '') {
  const layout = {indent, step: '    ', width: 50}
  const deeper = indent + layout.step
  if (Array.isArray(value)) {
    return `${collection('[]', value.map(it => swiftValue(it, deeper)), layout)} as [Any]`
  }
  if (value === null) return 'NSNull()'
  if (typeof value === 'string') return swiftString(value)
  // JSONSerialization writes a Double with more digits than the request has.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    return `Decimal(string: "${value}")!`
  }
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).map(([key, it]) =>
    `${swiftString(key)}: ${swiftValue(it, deeper)}`)
  return `${members.length ? collection('[]', members, layout) : '[:]'} as [String: Any]`
}

function swiftString(text) {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(hidden, swiftEscape)}"`
}

/** A text as a literal of several lines. */
function swiftText(text) {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')
    .replace(hidden, it => it === '\n' ? it : swiftEscape(it))
  return `"""\n${indented(escaped, '    ')}\n    """`
}

function swiftEscape(character) {
  const named = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}
  // A half of a surrogate pair is no character of Swift.
  const code = /\p{Cs}/u.test(character) ? 0xfffd : character.codePointAt(0)
  return named[character] ?? `\\u{${code.toString(16)}}`
}

// Layout

/** A literal on one line if it fits there, else with a line for each of its parts. */
function collection([open, close], parts, {indent = '', step, width = 90}) {
  const line = open + parts.join(', ') + close
  if (indent.length + line.length < width && !line.includes('\n')) return line
  return `${open}\n${parts.map(it => `${indent}${step}${it},\n`).join('')}${indent}${close}`
}

/** Statements as they are, or those of several requests each in a block of its own. */
function inBlocks(parts, open, indent) {
  if (parts.length === 1) return parts[0]
  return parts.map(part => `${open}\n${indented(part, indent)}\n}`).join('\n')
}

function indented(text, indent) { return text.replace(/^(?=.)/gm, indent) }
