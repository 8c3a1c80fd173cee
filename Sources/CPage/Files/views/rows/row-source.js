// The rows of a list, loaded in pieces as they come into view.

import {both} from '../../conditions.js'
import {editing} from '../../editing.js'
import {nextPlace, service} from '../../service.js'

/** The number of rows of a request. */
const size = 100
/** Milliseconds that scrolling has to rest before rows are requested that are far away. */
const rest = 60

/**
 * The rows that a list gives. It sends `change` when rows arrive, `count` when their number is
 * known, and `problem` with an error when a request is refused.
 */
export class RowSource extends EventTarget {
  /** The number of rows, as far as it is known. */
  count = 0
  /** Whether `count` is the number of all rows. */
  isCounted = false
  /** Settles when all rows are counted, or cannot be. */
  counted = Promise.resolve()
  #pieces = new Map()
  #after = new Map()
  #loading = new Map()
  #wanted = [0, 0]
  #timer = null

  /**
   * @param path the route of the list
   * @param query its parameters: `where`, `sort`, `select` …
   */
  constructor(path, query) {
    super()
    this.path = path
    this.query = query
  }

  /** Loads the first rows, and counts all of them. @throws {Problem} where the list is refused. */
  async open() {
    this.generation = editing.generation
    await this.#load(0)
    this.counted = this.#count()
  }

  /** A row; undefined while it is not there. */
  row(index) { return this.#pieces.get(Math.floor(index / size))?.[index % size] }

  /** The index of a row with that id among those that are loaded; -1 for none. */
  indexOf(id) {
    for (const [piece, rows] of this.#pieces) {
      const at = rows.findIndex(row => row._id === id)
      if (at >= 0) return piece * size + at
    }
    return -1
  }

  /** The index of a row with that id among all rows, where they are in the order of their ids. */
  async find(id) {
    const loaded = this.indexOf(id)
    if (loaded >= 0 || this.query.sort || typeof id !== 'number') return loaded
    const [before, own] = await Promise.all([
      this.#countOf(`_id < ${id}`), this.#countOf(`_id == ${id}`),
    ])
    await this.counted
    return own ? before : -1
  }

  /** Says which rows are in view. Requests for others are given up. */
  need(first, last) {
    this.#wanted = [Math.floor(first / size), Math.floor(Math.max(first, last - 1) / size)]
    const [from, to] = this.#wanted
    for (const [piece, abort] of this.#loading) {
      if (piece < from - 1 || piece > to + 1) abort.abort()
    }
    clearTimeout(this.#timer)
    const missing = this.#missing()
    if (!missing.length) return
    // The next rows are requested at once, and those that are jumped to when scrolling rests.
    if (this.#pieces.has(missing[0] - 1)) missing.forEach(piece => this.#load(piece))
    else this.#timer = setTimeout(() => this.#missing().forEach(it => this.#load(it)), rest)
  }

  /** Ends all requests. */
  close() {
    clearTimeout(this.#timer)
    for (const abort of this.#loading.values()) abort.abort()
    this.#loading.clear()
  }

  /** Reads the rows in view again, and forgets the others. */
  async reload() {
    this.close()
    this.generation = editing.generation
    const [from, to] = this.#wanted
    for (const piece of this.#pieces.keys()) {
      if (piece < from || piece > to) this.#pieces.delete(piece)
    }
    this.#after.clear()
    for (let piece = from; piece <= to; piece++) await this.#load(piece, true)
    this.#count()
  }

  #missing() {
    const [from, to] = this.#wanted
    const pieces = []
    for (let piece = from; piece <= to; piece++) {
      if (!this.#pieces.has(piece) && !this.#loading.has(piece)) pieces.push(piece)
    }
    return pieces
  }

  async #load(piece, isRead = false) {
    if (this.#loading.has(piece)) return
    const abort = new AbortController()
    this.#loading.set(piece, abort)
    // A page after the one before it costs the store less than one at an offset.
    const after = this.#after.get(piece - 1)
    const place = after ? {after} : {offset: piece ? piece * size : ''}
    const query = {...this.query, numbers: 'string', limit: size, ...place}
    try {
      const {data, headers} = await service.list(this.path, query, abort.signal)
      const known = this.#pieces.get(piece)
      if (isRead || !known) this.#pieces.set(piece, data)
      const next = nextPlace(headers, 'after')
      if (next) this.#after.set(piece, next)
      if (data.length < size) this.#counted(piece * size + data.length)
      else if (!this.isCounted) this.count = Math.max(this.count, (piece + 1) * size)
      this.dispatchEvent(new Event('change'))
    } catch (error) {
      if (error.name === 'AbortError') return
      if (piece === 0) throw error
      this.dispatchEvent(new CustomEvent('problem', {detail: error}))
    } finally {
      if (this.#loading.get(piece) === abort) this.#loading.delete(piece)
    }
  }

  async #count() {
    try {
      this.#counted(await this.#countOf(''))
      this.dispatchEvent(new Event('count'))
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.dispatchEvent(new CustomEvent('problem', {detail: error}))
      }
    }
  }

  /** The number of the rows that satisfy a condition as well. */
  async #countOf(condition) {
    const {where, ...rest} = this.query
    const kept = Object.entries(rest).filter(([name]) => /^var\.|^subentities$/.test(name))
    const query = {...Object.fromEntries(kept), where: both(where, condition)}
    return (await service.get(`${this.path}/count`, query)).count
  }

  #counted(count) {
    this.count = count
    this.isCounted = true
  }
}
