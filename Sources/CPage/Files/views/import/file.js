// A file with rows, read in pieces: CSV, TSV and the like, or NDJSON.

import {CSVParser, beginning, encodingOf, hasHeader, separatorOf} from './csv.js'

/** Bytes of the beginning by which the form of a file is told. */
const beginningSize = 256 * 1024
/** Records and characters of a piece. A piece is one request, whose body is limited. */
const pieceRecords = 500
const pieceCharacters = 4 * 1024 * 1024
/** Milliseconds of work after which the browser has its turn. */
const turn = 8

/**
 * The form of a file: `{kind, encoding, isGuess}`, and of CSV `separator` and `hasHeader`.
 * @throws {Error} where it has no rows or is no text
 */
export async function formOf(file) {
  const bytes = new Uint8Array(await file.slice(0, beginningSize).arrayBuffer())
  if (!bytes.length) throw new Error('The file is empty.')
  const encoding = encodingOf(bytes)
  if (!encoding) throw new Error('The file is no text. A spreadsheet is saved as CSV first.')
  const text = new TextDecoder(encoding.name).decode(bytes, {stream: bytes.length < file.size})
  if (!text.trim()) throw new Error('The file has no rows.')
  if (/^\s*\[\s*[[{]/.test(text)) {
    throw new Error('The file is a JSON array. NDJSON has one object in each line.')
  }
  const form = {encoding: encoding.name, isGuess: encoding.isGuess}
  if (text.trimStart().startsWith('{')) return {...form, kind: 'ndjson'}
  const separator = separatorOf(text)
  return {...form, kind: 'csv', separator, hasHeader: hasHeader(beginning(text, separator))}
}

/**
 * The names of the columns: those of the header, or the keys of all objects.
 * @throws {Error} where the file has no rows, or its text is in another encoding
 */
export async function namesOf(file, form, signal) {
  if (form.kind === 'csv') {
    const {value} = await records(file, form, () => {}).next()
    if (!value) throw new Error('The file has no rows.')
    return value.cells.map((cell, index) =>
      (form.hasHeader && cell?.trim()) || `Column ${index + 1}`)
  }
  const keys = new Set()
  for await (const records of pieces(file, {...form, names: undefined}, {signal})) {
    for (const {cells} of records) cells.forEach(key => keys.add(key))
  }
  if (!keys.size) throw new Error('No line of the file is a JSON object.')
  return [...keys]
}

/**
 * The records of a file in pieces, without the header. The browser has its turn between them.
 * @param form as of `formOf`, with the `names` of `namesOf`
 * @param progress gets the number of bytes that are read
 */
export async function* pieces(file, form, {signal, progress = () => {}} = {}) {
  let piece = []
  let size = 0
  let isHead = form.hasHeader ?? false
  let started = performance.now()
  for await (const record of records(file, form, progress)) {
    signal?.throwIfAborted()
    if (!isHead) {
      size += record.size
      piece.push(record)
    }
    isHead = false
    if (piece.length >= pieceRecords || size >= pieceCharacters) {
      yield piece
      piece = []
      size = 0
    }
    if (performance.now() - started < turn) continue
    await yielded()
    started = performance.now()
  }
  if (piece.length) yield piece
}

/** Gives the browser its turn. */
function yielded() {
  return globalThis.scheduler?.yield?.() ?? new Promise(done => setTimeout(done))
}

async function* records(file, form, progress) {
  const parser = form.kind === 'csv' ? new CSVParser(form.separator) : new LineParser(form.names)
  for await (const text of texts(file, form.encoding, progress)) yield* parser.push(text)
  yield* parser.end()
}

async function* texts(file, encoding, progress) {
  const decoder = new TextDecoder(encoding, {fatal: true})
  const reader = file.stream().getReader()
  let bytes = 0
  try {
    for (;;) {
      const {value, done} = await reader.read()
      yield decode(decoder, value, !done)
      if (done) return
      progress(bytes += value.length)
    }
  } finally {
    reader.cancel()
  }
}

function decode(decoder, bytes, stream) {
  try {
    return decoder.decode(bytes, {stream})
  } catch {
    throw new Error(`The file has bytes that are no text in ${decoder.encoding}. `
      + 'Choose its encoding.')
  }
}

/**
 * Reads records out of NDJSON, as CSVParser does out of CSV. The cells are the values of some
 * names, or, without names, the keys of the object.
 */
class LineParser {
  #rest = ''
  #line = 0

  constructor(names) { this.names = names }

  *push(text) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) yield* this.#record(line)
  }

  *end() { yield* this.#record(this.#rest) }

  *#record(text) {
    const line = ++this.#line
    if (!text.trim()) return
    let object = null
    try {
      object = parse(text)
    } catch { /* The record says so. */ }
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object)
    const cells = this.names
      ? this.names.map(name => isObject && Object.hasOwn(object, name) ? object[name] : undefined)
      : Object.keys(isObject ? object : {})
    yield {line, cells, size: text.length, problem: isObject ? null : 'not a JSON object'}
  }
}

/** A JSON object. Its own numbers of more than 15 digits are texts, so that no digit is lost. */
function parse(text) {
  if (!/\d[\d.]{15}/.test(text)) return JSON.parse(text)
  const numbers = []
  const object = JSON.parse(text, function (key, value, context) {
    if (typeof value === 'number') numbers.push([this, key, context?.source ?? NaN])
    return value
  })
  for (const [owner, key, source] of numbers) if (owner === object) object[key] = source
  return object
}
