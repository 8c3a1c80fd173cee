// The rows of a list that is followed: a live query.

import {Request, Problem} from '../../service.js'
import {follow} from '../../stream.js'

/** The most rows that are followed: those of the longest list. */
const mostRows = 10_000

/**
 * The rows of a live query, with the interface of `RowSource`. It sends `change` when the rows are
 * others, then `moved` with the indexes of those that came, moved or changed, `state` when the
 * stream begins or breaks, and `problem` with an error.
 */
export class LiveSource extends EventTarget {
  /** The number of rows. */
  count = 0
  /** Whether the rows are there. */
  isCounted = false
  /** Whether the stream is open. It is opened again when the service is back. */
  isFollowing = false
  #rows = []
  #end = new AbortController()

  /**
   * @param path the route of the list
   * @param query its parameters: `where`, `sort`, `select` …
   */
  constructor(path, query) {
    super()
    this.path = path
    this.query = query
  }

  /** Whether these are the first rows only, because a live query of more is not followed. */
  get isLimited() { return this.count >= mostRows }

  /** Begins to follow. @throws {Problem} where the query is refused. */
  open() {
    const query = {...this.query, numbers: 'string', limit: mostRows}
    return new Promise((resolve, reject) => {
      const fail = error => {
        this.close()
        if (this.isCounted) this.#send('problem', error)
        reject(error)
      }
      follow(new Request('GET', this.path, {query}), {
        receive: event => {
          if (event.type === 'error') return this.#refused(event.data, fail)
          this.#receive(event)
          resolve()
        },
        state: isOpen => {
          this.isFollowing = isOpen
          this.#send('state')
        },
        signal: this.#end.signal,
      }).then(resolve, fail)
    })
  }

  /** A row; undefined beyond the end. */
  row(index) { return this.#rows[index] }

  /** The index of a row with that id; -1 for none. */
  indexOf(id) { return this.#rows.findIndex(row => row._id === id) }

  /** The same: all rows are there. */
  async find(id) { return this.indexOf(id) }

  /** All rows are there. */
  need() {}

  /** The rows are always the present ones. */
  async reload() {}

  /** Ends the live query. */
  close() {
    this.#end.abort()
    this.isFollowing = false
  }

  #send(name, detail) { this.dispatchEvent(new CustomEvent(name, {detail})) }

  /** A query that took too long is tried again; any other error is the end of it. */
  #refused(document, fail) {
    const error = new Problem(document.status, document)
    if (document.status !== 503) fail(error)
    else this.#send('problem', error)
  }

  #receive({type, data}) {
    const indexes = type === 'snapshot' ? this.#replace(data.rows) : this.#apply(data)
    this.count = this.#rows.length
    this.isCounted = true
    this.#send('change')
    if (indexes.length) this.#send('moved', indexes)
  }

  /** Takes a snapshot. After the first one, the rows that look different are the moved ones. */
  #replace(rows) {
    const before = new Map(this.#rows.map(row => [row._id, row]))
    this.#rows = rows.map(row => row.object)
    if (!this.isCounted) return []
    return [...this.#rows.keys()].filter(index => {
      const row = this.#rows[index]
      return differ(before.get(row._id), row)
    })
  }

  /** Applies a change: first what is gone, then what comes, then what looks different. */
  #apply({deletes, inserts, moves, updates}) {
    const gone = new Set([...deletes.map(it => it.index), ...moves.map(it => it.from)])
    const come = new Map([
      ...inserts.map(it => [it.index, it.object]), ...moves.map(it => [it.to, it.object]),
    ])
    const stays = this.#rows.filter((_, index) => !gone.has(index)).values()
    const count = this.#rows.length - gone.size + come.size
    this.#rows = Array.from({length: count}, (_, index) =>
      come.has(index) ? come.get(index) : stays.next().value)
    // After a restart there may be updates of rows that look the same.
    const updated = updates.filter(({index, object}) => differ(this.#rows[index], object))
    for (const {index, object} of updated) this.#rows[index] = object
    return [...come.keys(), ...updated.map(it => it.index)]
  }
}

function differ(row, other) { return JSON.stringify(row) !== JSON.stringify(other) }
