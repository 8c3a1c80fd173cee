// Tables as text (RFC 4180): a parser that takes a file in pieces, and what the beginning of a
// file says about it.

/** The separators that are told apart, the likeliest first. */
const separators = [',', ';', '\t', '|']

/** The characters that a record may have. A quote that is never closed would take all the rest. */
const longestRecord = 4 * 1024 * 1024

/** Bytes of control characters that no text has. Tab, line ends and DOS's end mark are in texts. */
const control = /[\0-\x08\x0e-\x19\x1b-\x1f]/

/**
 * Reads records out of pieces of text. A record is `{line, cells, size, problem}`: the number of
 * its first line, its cells, its length, and what is wrong with its form. A cell is a text, or null
 * where nothing is between two separators; `""` is the empty text. Blank lines are no records.
 */
export class CSVParser {
  #text = ''
  #at = 0
  #line = 1
  #next = 1
  #cells = []
  #size = 0
  #problem = null
  /** How far into an open cell a closing quote has been looked for. */
  #searched = 1
  #ends

  constructor(separator) {
    this.separator = separator
    this.#ends = new RegExp(`[${separator === '|' ? '\\|' : separator}\r\n]`, 'g')
  }

  /** The records that are whole with this piece. */
  *push(text) {
    this.#text = this.#text.slice(this.#at) + text
    this.#at = 0
    yield* this.#records(false)
    if (this.#text.length - this.#at > longestRecord) {
      throw new Error(`Line ${this.#line} begins a record of more than ${longestRecord} `
        + 'characters. A quote is probably not closed, or the file has another form.')
    }
  }

  /** The record that the end of the file ends. */
  *end() { yield* this.#records(true) }

  *#records(isLast) {
    while (this.#at < this.#text.length || (isLast && this.#cells.length)) {
      const end = this.#cell(isLast)
      if (end === null) return
      if (end === this.separator) continue
      const record = {
        line: this.#line, cells: this.#cells, size: this.#size, problem: this.#problem,
      }
      this.#line = ++this.#next
      this.#cells = []
      this.#size = 0
      this.#problem = null
      if (record.cells.length > 1 || record.cells[0] !== null) yield record
    }
  }

  /** Reads a cell. @returns what ends it; null where the text does not reach so far. */
  #cell(isLast) {
    const text = this.#text
    let value = null
    let problem = null
    let from = this.#at
    if (text[from] === '"') {
      const close = this.#closing(from + this.#searched)
      // The quote at the end of a piece may be the first of two.
      if (close >= text.length - 1 && !isLast) return null
      if (close === text.length) problem = 'a quote is not closed'
      value = text.slice(from + 1, close).replaceAll('""', '"')
      from = Math.min(close + 1, text.length)
    }
    this.#ends.lastIndex = from
    const end = this.#ends.test(text) ? this.#ends.lastIndex - 1 : text.length
    if (!isLast && (end === text.length || (text[end] === '\r' && end + 1 === text.length))) {
      return null
    }
    if (end > from) {
      if (value !== null) problem = 'text follows a closing quote'
      value = (value ?? '') + text.slice(from, end)
    }
    if (value?.includes('\n')) this.#next += value.split('\n').length - 1
    this.#cells.push(value)
    this.#size += end - this.#at
    this.#problem ??= problem
    this.#searched = 1
    this.#at = end + (text.startsWith('\r\n', end) ? 2 : 1)
    return text[end] ?? ''
  }

  /** The place of the quote that closes a cell; the length of the text where there is none. */
  #closing(from) {
    for (;;) {
      this.#searched = from - this.#at
      const found = this.#text.indexOf('"', from)
      if (found < 0) return this.#text.length
      if (this.#text[found + 1] !== '"') return found
      from = found + 2
    }
  }
}

/** A line of CSV, with its line end. Null and the empty text stay different. */
export function csvLine(cells) {
  return cells.map(cell => {
    if (cell === null || cell === undefined) return ''
    const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
    const isPlain = text !== '' && !/[",;\t|\r\n]|^\s|\s$/.test(text)
    return isPlain ? text : `"${text.replaceAll('"', '""')}"`
  }).join(',') + '\r\n'
}

/**
 * The separator of a text: the one that gives most records the same number of cells.
 * @param text the beginning of a file
 */
export function separatorOf(text) {
  let best = {separator: ',', score: 0}
  for (const separator of separators) {
    const widths = beginning(text, separator).map(it => it.cells.length)
    const width = widths[0] ?? 1
    if (width === 1) continue
    const score = widths.filter(it => it === width).length / widths.length + width / 10_000
    if (score > best.score) best = {separator, score}
  }
  return best.separator
}

/** Whether the first of some records has names: different texts, of which none is a value. */
export function hasHeader(records) {
  // A name may be left out, as that of the first column often is.
  const names = (records[0]?.cells ?? []).filter(it => it !== null)
  const isName = cell => /\p{L}/u.test(cell) && cell.length <= 200
    && !/^(true|false|yes|no|null|n\/a)$/i.test(cell.trim()) && !/^\d+[-/.:]\d+/.test(cell)
  return names.length > 0 && names.every(isName) && new Set(names).size === names.length
}

/** The first records of a text that may end within one. */
export function beginning(text, separator, count = 50) {
  const records = []
  const parser = new CSVParser(separator)
  for (const record of parser.push(text)) if (records.push(record) === count) return records
  // The last record counts only where it is the only one.
  return records.length ? records : [...parser.end()]
}

/**
 * The encoding that the first bytes of a file show: `{name, isGuess}`; null where they are no text.
 */
export function encodingOf(bytes) {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return {name: 'utf-8'}
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return {name: 'utf-16le'}
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return {name: 'utf-16be'}
  const zeros = [0, 0]
  bytes.forEach((byte, index) => { if (!byte) zeros[index % 2]++ })
  const many = bytes.length / 5
  if (zeros[1] > many && !zeros[0]) return {name: 'utf-16le', isGuess: true}
  if (zeros[0] > many && !zeros[1]) return {name: 'utf-16be', isGuess: true}
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes, {stream: true})
    return control.test(text) ? null : {name: 'utf-8'}
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes)
    return control.test(text) ? null : {name: 'windows-1252', isGuess: true}
  }
}
