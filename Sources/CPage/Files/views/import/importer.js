// Sends the rows of a file to the service, each piece as one save.

import {Problem, Request, Unreachable, service} from '../../service.js'
import {pieces} from './file.js'

/** Statuses of an answer that a later one may replace: the service is busy or away. */
const passing = new Set([429, 502, 503, 504])
/** Statuses of a body that the service does not take. */
const refusing = new Set([400, 409, 413, 422])
/** Milliseconds before a request is sent again. */
const pause = 1000
/** Ranges of ids that an address can name. */
const mostRanges = 20

/**
 * An import of a file by a plan. It sends `progress` when rows are saved or refused, and when it
 * waits for the service.
 *
 * Each request has an `Idempotency-Key` of its own rows. A request whose answer is lost is sent
 * again, also by a second `run`, and its rows are saved once.
 */
export class Importer extends EventTarget {
  /** The number of rows that are saved, and how many of them met an object that was there. */
  saved = 0
  met = 0
  /** The rows that are not saved: those of the plan, with the service's reasons in `misfits`. */
  refused = []
  /** How the run ended: `done`, `cancelled`, `stopped` at a refusal, or `failed`; null before. */
  end = null
  /** The error of a run that failed, or for which it waits. */
  error = null
  /** The lines of a request without an answer: `[first, last]`. Its rows may be saved. */
  open = null
  #id = [...crypto.getRandomValues(new Uint8Array(12))].map(it => it.toString(16)).join('')
  /** The last line whose rows are all settled, and settled lines after it. */
  #line = 0
  #settled = new Set()
  #ranges = []
  /** The last id that there is, where rows may meet objects: a new object has a higher one. */
  #last = null

  /** @param stops whether the first row that the service refuses ends the run */
  constructor(plan, file, form, {stops}) {
    super()
    this.plan = plan
    this.file = file
    this.form = form
    this.stops = stops
  }

  /** Sends all rows that are not settled yet. The signal ends it after the present request. */
  async run(signal) {
    this.end = null
    this.error = null
    try {
      if (this.plan.policy !== 'error') this.#last ??= await this.#lastID(signal)
      for await (const records of pieces(this.file, this.form, {signal})) {
        const rows = (await this.plan.rows(records, signal))
          .filter(it => it.line > this.#line && !this.#settled.has(it.line))
        const good = rows.filter(it => !it.misfits.length)
        rows.filter(it => it.misfits.length).forEach(it => this.#refuse(it))
        // The rows of an open request are sent as they were, so that its key is the same.
        const [first, last] = this.open ?? [0, 0]
        const isOpen = it => it.line >= first && it.line <= last
        await this.#save(good.filter(isOpen), signal)
        await this.#save(good.filter(it => !isOpen(it)), signal)
        this.#line = Math.max(this.#line, records.at(-1).line)
        this.#settled.clear()
        this.dispatchEvent(new Event('progress'))
      }
      this.end = 'done'
    } catch (error) {
      this.error = error
      this.end = error instanceof Stop ? 'stopped' : signal.aborted ? 'cancelled' : 'failed'
    }
  }

  /** A predicate that the saved objects match; empty where they are too scattered for one. */
  get where() {
    if (!this.#ranges.length || this.#ranges.length > mostRanges) return ''
    return this.#ranges.map(([first, last]) => first === last
      ? `_id == ${first}` : `_id BETWEEN {${first}, ${last}}`).join(' OR ')
  }

  async #lastID(signal) {
    const rows = await service.get(this.plan.entity.path, {select: 'last:max(_id)'}, {signal})
    return rows[0]?.last ?? 0
  }

  /** Saves rows. The rows of a request that is refused are sent again without the wrong ones. */
  async #save(rows, signal) {
    if (!rows.length) return
    try {
      const {data} = await this.#send(rows, signal)
      this.saved += rows.length
      rows.forEach(it => this.#settled.add(it.line))
      data.forEach(it => this.#note(it._id))
    } catch (problem) {
      if (!(problem instanceof Problem && refusing.has(problem.status))) throw problem
      const named = this.#named(problem, rows)
      named.forEach(it => this.#refuse(it))
      if (this.stops && named.length) throw new Stop(problem.message)
      const rest = rows.filter(it => !it.misfits.length)
      const half = Math.ceil(rest.length / 2)
      await this.#save(rest.slice(0, half), signal)
      await this.#save(rest.slice(half), signal)
    }
  }

  /** The rows that a refusal names, with its reasons; the only row, if it names none. */
  #named(problem, rows) {
    // Of two rows with the same unique values the first entry is the one that is refused.
    const errors = (problem.errors ?? []).slice(0, problem.code === 133021 ? 1 : undefined)
    for (const {at, key, message} of errors) {
      const [, index, property] = (at ?? '').split('/')
      const row = rows[index]
      if (row) {
        const column = this.plan.columnOf(key ?? property)
        row.misfits.push({column, reason: problem.code === 133021 ? problem.detail : message})
      }
    }
    if (rows.length === 1 && !rows[0].misfits.length) {
      rows[0].misfits.push({column: -1, reason: problem.message})
    }
    return rows.filter(it => it.misfits.length)
  }

  #refuse(row) {
    this.refused.push(row)
    this.#settled.add(row.line)
  }

  /** Sends rows until they are answered. */
  async #send(rows, signal) {
    const {entity, policy} = this.plan
    const lines = [rows[0].line, rows.at(-1).line]
    const request = new Request('POST', entity.path, {
      query: {mergePolicy: policy === 'error' ? '' : policy},
      body: rows.map(it => it.object),
      headers: {'Idempotency-Key': `${this.#id}/${lines.join('-')}`},
    })
    for (;;) {
      signal.throwIfAborted()
      this.open = lines
      try {
        const answer = await service.send(request)
        this.open = null
        this.error = null
        return answer
      } catch (error) {
        const isPassing = error instanceof Unreachable || passing.has(error.status)
          || error.code === 'idempotency.running'
        if (error instanceof Problem && !isPassing) this.open = null
        if (!isPassing) throw error
        this.error = error
        this.dispatchEvent(new Event('progress'))
        await resting(signal)
        // A read waits until the service is back.
        await service.get('healthz', {}, {signal})
      }
    }
  }

  /** Notes the id of a row's object: whether it was there, and that it is saved. */
  #note(id) {
    if (this.#last !== null) {
      if (id <= this.#last) this.met++
      else this.#last = id
    }
    const range = this.#ranges.at(-1)
    if (range && range[1] + 1 === id) range[1] = id
    else if (this.#ranges.length <= mostRanges) this.#ranges.push([id, id])
  }
}

/** The end of a run that a refusal stops. */
class Stop extends Error {}

function resting(signal) {
  return new Promise(done => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      done()
    }
    const timer = setTimeout(end, pause)
    signal.addEventListener('abort', end)
  })
}
