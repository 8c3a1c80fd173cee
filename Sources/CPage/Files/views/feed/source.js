// What the feed shows: the saves of an event stream, and those before them.

import {Save, exact, readSaves, savesRequest} from './changes.js'
import {nextPlace} from '../../service.js'
import {follow} from '../../stream.js'
import {literal} from '../../conditions.js'
import {Past} from './past.js'

/** The most saves that are kept. */
export const mostSaves = 5000
/** Milliseconds in which the last saves have to be found. A person can ask for them later. */
const longestLook = 1500

/** What the service says between saves: `expired` or `error`. */
export class Remark {
  /**
   * @param kind the type of the event
   * @param problem its data
   * @param last the position before it
   */
  constructor(kind, problem, last) {
    this.kind = kind
    this.at = new Date().toISOString()
    this.title = problem.title
    this.text = kind === 'expired'
      ? `What was saved since ${last} is missing here: ${problem.detail}.`
      : [problem.detail, problem.hint].filter(Boolean).join(' – ')
  }
}

/**
 * The feed of an address. It sends `saves` when there are saves to take, `older` with the `saves`
 * that were before it and with `isAsked`, whether a person has asked for them, and `state` when
 * `state` is another one:
 *
 * - `connecting`, `following`, and `away`: the service does not answer
 * - `full`: it began at a token, and has as many saves as are kept
 * - `refused`: by the service, with `error`
 */
export class Feed extends EventTarget {
  state = 'connecting'
  /** Whether older saves are being read. */
  isReading = false
  error = null
  /** The position at which it began, and that up to which saves were received. */
  begin = ''
  position = ''
  /** The number of saves that were received, and of those that have come since `take`. */
  received = 0
  waiting = 0
  #queue = []
  #past
  #end = new AbortController()

  /** @param address has `since`, `object`, `entity`, `updated` and `where` */
  constructor(address) {
    super()
    this.object = objectOf(address)
    this.since = address.get('since') || (this.object ? '0' : '')
    this.filter = filter(address, this.object)
    this.#past = new Past(this.filter)
  }

  /** The request of the event stream. */
  get request() {
    return savesRequest({...this.filter, since: this.since}, {Accept: 'text/event-stream'})
  }

  /** Whether nothing was saved before the oldest save that it gave. */
  get isWhole() { return this.since === '0' || this.#past.isRead }

  /**
   * Follows the feed until it is closed: from its token on, or from now on. In the latter case the
   * last saves are read as well.
   */
  async start() {
    try {
      await follow(this.request, {
        receive: event => this.#receive(event),
        state: (isOpen, position) => this.#opened(isOpen, position),
        parse: exact, signal: this.#end.signal,
      })
    } catch (error) {
      this.error = error
      this.#say('refused')
    }
  }

  /** Ends the feed. */
  close() { this.#end.abort() }

  /** The saves and remarks that have come, the oldest first. They are given once. */
  take() {
    const taken = this.#queue
    this.#queue = []
    this.waiting = 0
    return taken
  }

  /**
   * Reads the page of saves before a position, which are sent as `older`.
   * @param milliseconds that the search may take
   */
  async readOlder(position, milliseconds) {
    if (this.isReading) return
    this.isReading = true
    this.#say(this.state)
    try {
      const saves = await this.#past.before(position, milliseconds, this.#end.signal)
      const isAsked = milliseconds === Infinity
      this.dispatchEvent(new CustomEvent('older', {detail: {saves, isAsked}}))
    } catch (error) {
      if (!this.#end.signal.aborted) throw error
    } finally {
      this.isReading = false
      this.#say(this.state)
    }
  }

  /** The save after a position; undefined where the history does not have it. */
  async saveAfter(position) {
    const signal = this.#end.signal
    // A stream would wait for one.
    let since = position
    while (since !== undefined) {
      try {
        const {saves, headers} = await readSaves({...this.filter, since, limit: 1}, signal)
        if (saves.length) return saves[0]
        since = nextPlace(headers, 'since')
      } catch (error) {
        if (error.status !== 410) throw error
        return undefined
      }
    }
    return undefined
  }

  #say(state) {
    this.state = state
    this.dispatchEvent(new Event('state'))
  }

  #opened(isOpen, position) {
    const isBegin = !this.begin
    this.begin ||= position
    this.position = position
    this.#say(isOpen ? 'following' : 'away')
    if (!isBegin || !isOpen || this.since) return
    this.readOlder(position, longestLook)
  }

  #receive(event) {
    this.position = event.id
    if (event.type !== 'save') {
      this.#put(new Remark(event.type, event.data, event.after || this.since))
      return
    }
    this.received += 1
    this.waiting += 1
    this.#put(new Save(event.data, event.after))
    if (this.since && this.received >= mostSaves) {
      this.close()
      this.#say('full')
    }
  }

  #put(item) {
    this.#queue.push(item)
    if (this.#queue.length > mostSaves) this.#queue.shift()
    this.dispatchEvent(new Event('saves'))
  }
}

/** The object whose history an address asks for: `{entityName, id}`; null for none. */
export function objectOf(address) {
  const [, entityName, id] = /^(.*)\/(.*)$/.exec(address.get('object')) ?? []
  return entityName ? {entityName, id: /^\d+$/.test(id) ? Number(id) : id} : null
}

/** The parameters of `/changes` that say which changes are reported. */
function filter(address, object) {
  return {
    entity: object ? object.entityName : address.get('entity'),
    updated: address.get('updated'),
    where: object ? `_id == ${literal(object.id)}` : address.get('where'),
  }
}
