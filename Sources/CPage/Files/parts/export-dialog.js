// The dialog that saves the rows of a view as a file.

import {h, fill} from './dom.js'
import {download} from './download.js'
import {keyPaths, selection} from '../columns.js'
import {listRequest, nextPlace, service} from '../service.js'
import {bytes, grouped} from '../values.js'

/** Rows of a page of JSON: the most that the service gives at once. */
const pageRows = 10_000

const formats = {
  csv: {title: 'CSV', type: 'text/csv', hint: 'for spreadsheets; null is an empty cell'},
  ndjson: {title: 'NDJSON', type: 'application/x-ndjson', hint: 'one object a line'},
  json: {title: 'JSON', type: 'application/json', hint: 'one array'},
}

/** Shows the dialog for the rows of an address: its predicate, order and columns. */
export function showExport(entity, address) {
  const dialog = new ExportDialog(entity, address)
  document.body.append(dialog.element)
  dialog.element.showModal()
  dialog.count()
}

class ExportDialog {
  #abort = new AbortController()
  #total = null
  #format = 'csv'
  #isWhole = false

  constructor(entity, address) {
    this.entity = entity
    this.address = address
    this.note = h('p', {}, 'Counting the rows')
    this.state = h('div', {role: 'status'})
    this.save = h('button', {class: 'main', onclick: () => this.#export()}, 'Export')
    this.close = h('button', {onclick: () => this.element.close()}, 'Close')
    this.element = h('dialog', {
      class: 'export', 'aria-labelledby': 'export-title',
      onclose: () => {
        this.#abort.abort()
        this.element.remove()
      },
    }, h('h2', {id: 'export-title'}, `Export ${entity.name}`), this.note, this.#fields(),
    this.state, h('div', {class: 'actions'}, this.close, this.save))
  }

  /** Says how many rows there are. */
  async count() {
    const {where, subentities} = this.#filter
    try {
      const {count} = await service.get(`${this.entity.path}/count`, {where, subentities},
        {signal: this.#abort.signal})
      this.#total = count
      fill(this.note, counted(count),
        where ? [' with ', h('code', {dir: 'auto'}, where)] : ', all of the entity')
    } catch (error) {
      if (error.name === 'AbortError') return
      fill(this.note)
      this.#fail(error)
    }
  }

  get #filter() {
    return {where: this.address.get('where'), subentities: this.address.get('subentities')}
  }

  get #columns() {
    const {entity} = this
    const own = entity.subentities.length ? ['_id', '_entity'] : ['_id']
    // A column of a reserved word, #size, has the word as its name.
    return selection(entity, keyPaths(entity, this.address), own)
      .replace(/(^|,)#(\w+)(?=,|$)/g, '$1$2:#$2')
  }

  #fields() {
    const choices = Object.entries(formats).map(([name, {title, hint}]) =>
      choice('format', title, hint, name === this.#format, () => { this.#format = name }))
    return this.fields = h('div', {class: 'choices'},
      h('fieldset', {}, h('legend', {}, 'Format'), choices),
      h('fieldset', {}, h('legend', {}, 'Columns'),
        choice('columns', 'Those of the table', this.#columns.replaceAll(',', ', '), true,
          () => { this.#isWhole = false }),
        choice('columns', 'Whole objects', 'all attributes, and the ids of to-one relationships',
          false, () => { this.#isWhole = true })))
  }

  async #export() {
    const format = this.#format
    const day = new Date().toISOString().slice(0, 10)
    const name = `${this.entity.name}-${day}.${format}`
    const {signal} = this.#abort
    let file = null
    try {
      if (window.showSaveFilePicker) fill(this.state, h('p', {}, 'The browser asks for the file.'))
      file = await openFile(name, formats[format].type)
      this.#begin()
      const done = await this.#copy(format, file, signal)
      await file.close()
      fill(this.state, h('p', {class: 'good'},
        `Saved as ${name}: ${counted(done.rows)}, ${bytes(done.bytes)}.`,
        this.#total !== null && done.rows !== this.#total
          && ` ${grouped(this.#total)} were counted before.`))
      fill(this.close, 'Close')
    } catch (error) {
      await file?.abort()
      // The person has closed the dialog, or chosen no file.
      if (error.name === 'AbortError') return fill(this.state)
      this.#fail(error)
    }
  }

  #begin() {
    this.fields.hidden = this.save.hidden = true
    fill(this.close, 'Cancel')
    this.close.focus()
    this.bar = h('progress', {'aria-label': 'Rows that are saved'})
    if (this.#total) this.bar.max = this.#total
    this.text = h('p', {})
    fill(this.state, this.bar, this.text)
  }

  /** Copies the rows to a file. @returns the number of rows and bytes */
  async #copy(format, file, signal) {
    const query = {
      ...this.#filter, sort: this.address.get('sort'),
      select: this.#isWhole ? '' : this.#columns,
    }
    const done = {rows: 0, bytes: 0}
    const read = format === 'json' ? pages : whole
    for await (const {chunk, rows} of read(this.entity.path, query, format, signal)) {
      await file.write(chunk)
      done.bytes += chunk.length
      done.rows += rows
      if (this.#total !== null) this.bar.value = done.rows
      fill(this.text, `${counted(done.rows)}, ${bytes(done.bytes)}`)
    }
    return done
  }

  #fail(error) {
    this.fields.hidden = this.save.hidden = false
    fill(this.close, 'Close')
    fill(this.state, h('p', {class: 'bad'}, error.message, error.hint && ` – ${error.hint}`))
  }
}

function counted(rows) { return `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}` }

function choice(name, title, hint, checked, choose) {
  return h('label', {}, h('input', {type: 'radio', name, checked, onchange: choose}),
    h('span', {}, title, h('span', {class: 'hint'}, hint)))
}

/** A file that is written on the disk where the browser can do that, else when it is complete. */
async function openFile(name, type) {
  if (window.showSaveFilePicker) {
    const handle = await window.showSaveFilePicker({suggestedName: name})
    return handle.createWritable()
  }
  const chunks = []
  return {
    write: chunk => chunks.push(chunk),
    close: () => download(new Blob(chunks, {type}), name),
    abort: () => {},
  }
}

/** The bytes of a list without a maximum, in chunks with the number of rows that end in each. */
async function* whole(path, query, format, signal) {
  const request = listRequest(path, {...query, format})
  const reader = (await service.fetch(request, {signal})).body.getReader()
  const ended = lineCounter(format)
  for (;;) {
    const {value, done} = await reader.read().catch(error => {
      throw signal.aborted ? error : new Error('The answer broke off. Nothing is saved.')
    })
    if (done) return
    yield {chunk: value, rows: ended(value)}
  }
}

/**
 * The bytes of an array of all pages, with the number of rows of each. The digits of numbers stay
 * as the service wrote them.
 */
async function* pages(path, query, format, signal) {
  const encoder = new TextEncoder()
  let place = {}
  let before = '[\n'
  while (place) {
    const request = listRequest(path, {...query, limit: pageRows, ...place})
    const response = await service.fetch(request, {signal})
    const text = await response.text()
    // Pages of grouped or joined rows go on at an offset.
    const found = ['after', 'offset'].map(it => [it, nextPlace(response.headers, it)])
      .find(([, value]) => value !== undefined)
    place = found ? Object.fromEntries([found]) : null
    const rows = place ? pageRows : JSON.parse(text).length
    const members = text.trim().slice(1, -1)
    yield {chunk: encoder.encode(before + members), rows}
    before = ',\n'
  }
  yield {chunk: encoder.encode('\n]\n'), rows: 0}
}

/** A function that gives the number of rows that end in a chunk. The header of CSV is none. */
function lineCounter(format) {
  const [quote, lineEnd] = [34, 10]
  let isQuoted = false
  let heads = format === 'csv' ? 1 : 0
  return chunk => {
    let lines = 0
    for (const byte of chunk) {
      if (byte === quote && format === 'csv') isQuoted = !isQuoted
      else if (byte === lineEnd && !isQuoted) lines++
    }
    const rows = Math.max(0, lines - heads)
    heads = Math.max(0, heads - lines)
    return rows
  }
}
