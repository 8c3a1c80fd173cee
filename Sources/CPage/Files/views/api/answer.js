// The answer to a request that was tried: its status, header fields and body.

import {h, fill} from '../../parts/dom.js'
import {bytes} from '../../values.js'
import {terms, unfold} from './schema.js'

/** The most bytes that are read of an answer, and of an event stream. */
const longest = 32_000_000
const longestStream = 100_000
/** The most bytes of a body that are shown. */
const longestShown = 100_000
/** The endings of files, by what is in their media types. */
const endings = {csv: 'csv', ndjson: 'ndjson', json: 'json', xml: 'xml', text: 'txt'}

/** The place where the answers to an operation are shown. */
export class Answer {
  /** @param name the name of the file in which a body is saved */
  constructor(name) {
    this.name = name
    this.status = h('p', {class: 'status', role: 'status'})
    this.content = h('div')
    this.element = h('section', {class: 'answer', 'aria-label': 'Answer', hidden: true},
      h('h2', {}, 'Answer'), this.status, this.content)
  }

  /** Says something in the place of an answer. */
  say(text) {
    this.element.hidden = false
    fill(this.status, text)
    fill(this.content)
    this.element.scrollIntoView()
  }

  /**
   * Reads and shows an answer. An event stream is shown as it comes.
   * @param started when the request was sent, by `performance.now()`
   */
  async receive(response, started) {
    const type = response.headers.get('Content-Type') ?? ''
    const isStream = type.startsWith('text/event-stream')
    const text = block()
    this.#status(response, isStream && 'The stream is open.')
    fill(this.content, headers(response), isStream && text)
    const chunks = []
    const decoder = new TextDecoder()
    const end = await read(response, isStream ? longestStream : longest, chunk => {
      chunks.push(chunk)
      if (isStream) text.append(decoder.decode(chunk, {stream: true}))
    })
    const time = Math.round(performance.now() - started)
    const body = new Blob(chunks, {type})
    const ended = isStream ? 'The stream ended.' : null
    this.#status(response, `${time} ms`, bytes(body.size), end ?? ended)
    if (!isStream) this.content.append(await shown(body, text))
    if (body.size) this.content.append(this.#saveButton(body))
    this.element.scrollIntoView()
  }

  #status(response, ...parts) {
    const text = `${response.status} ${response.statusText}`.trim()
    fill(this.status, h('strong', {class: response.status < 400 ? 'good' : 'bad'}, text),
      parts.filter(Boolean).map(it => ` · ${it}`))
  }

  #saveButton(body) {
    const found = Object.keys(endings).find(it => body.type.includes(it))
    const save = () => saveFile(body, `${this.name}.${endings[found] ?? 'bin'}`)
    return h('p', {}, h('button', {onclick: save}, 'Save the body'))
  }
}

/** Saves bytes as a file. */
export function saveFile(blob, name) {
  const link = h('a', {href: URL.createObjectURL(blob), download: name})
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A block of code that the keyboard can scroll. */
export function block(...content) {
  return h('pre', {class: 'body', dir: 'ltr', tabIndex: 0, role: 'group', 'aria-label': 'Text'},
    content)
}

/** JSON with a line for each member, and its digits as they are. */
export function prettyJSON(text) {
  const nodes = []
  let indent = ''
  const line = () => nodes.push(`\n${indent}`)
  const token = /("(?:\\.|[^"\\])*")(\s*:)?|[{[]\s*[}\]]|[{}[\],]|[^\s{}[\],:"]+/g
  for (const [part, string, isKey] of text.matchAll(token)) {
    if (string) {
      nodes.push(h('span', {class: isKey ? 'key' : 'string', dir: 'auto'}, string), isKey && ': ')
    } else if (part === '{' || part === '[') {
      indent += '  '
      nodes.push(part)
      line()
    } else if (part === '}' || part === ']') {
      indent = indent.slice(2)
      line()
      nodes.push(part)
    } else if (part === ',') {
      nodes.push(part)
      line()
    } else if (/^[{[]/.test(part)) nodes.push(part.replace(/\s+/, ''))
    else nodes.push(h('span', {class: /^[-\d]/.test(part) ? 'digits' : 'word'}, part))
  }
  return nodes
}

function headers(response) {
  const fields = [...response.headers]
  return fields.length > 0 && unfold('Header fields', () => terms(fields))
}

/** Reads a body. @returns what there is to say of its end */
async function read(response, most, receive) {
  const reader = response.body?.getReader()
  if (!reader) return null
  try {
    for (let size = 0; size < most;) {
      const {value, done} = await reader.read()
      if (done) return null
      receive(value)
      size += value.length
    }
    await reader.cancel()
    return 'The rest was not read.'
  } catch (error) {
    return error.name === 'AbortError' ? 'Stopped.' : 'The connection broke.'
  }
}

/** A body as people read it. */
async function shown(body, text) {
  if (!body.size) return h('p', {class: 'hint'}, 'No body.')
  if (!/json|text|xml|csv/.test(body.type)) return h('p', {class: 'hint'}, 'The body is no text.')
  const content = await body.slice(0, longestShown).text()
  fill(text, /[/+]json\b/.test(body.type) ? prettyJSON(content) : content)
  const isCut = body.size > longestShown
  return h('div', {},
    isCut && h('p', {class: 'hint'}, `The first ${bytes(longestShown)} of the body:`), text)
}
