// The way back in the history. The service gives the saves after a token, and not those before
// it. A token ends in the number of its save, and these numbers have no gaps (Docs/Feed.md), so
// the token of any earlier position is known.

import {readSaves} from './changes.js'
import {Request, service} from '../../service.js'

/** The saves of a page. */
const pageSize = 100
/** The most saves that a request looks through: a page of the service ends after so many. */
const longestStride = 10_000

/** The saves before those that are shown, for a filter. */
export class Past {
  #filter
  /** The position before the oldest save that was read, and the number up to which to look. */
  #oldest = null
  #number = Infinity

  /** @param filter `entity`, `updated` and `where` of the feed */
  constructor(filter) { this.#filter = filter }

  /** Whether no save is left. */
  get isRead() { return this.#number === 0 }

  /**
   * Reads the page of saves before a position.
   * @param milliseconds that the search may take
   * @returns the saves, the oldest first; none where none were found in that time
   */
  async before(position, milliseconds, signal) {
    const deadline = performance.now() + milliseconds
    // The list may have dropped saves since the last page.
    if (position !== this.#oldest) this.#number = numberOf(position)
    this.#oldest = position
    const line = position.slice(0, position.lastIndexOf('-'))
    let found = []
    for (let stride = pageSize; found.length < pageSize / 2 && this.#number > 0; stride *= 10) {
      if (performance.now() > deadline) break
      const from = Math.max(0, this.#number - Math.min(stride, longestStride))
      found = [...await this.#numbers(line, from, this.#number, signal), ...found]
      this.#number = Math.min(from, this.#number)
    }
    if (!found.length) return []
    if (found.length > pageSize) this.#number = found.at(-pageSize) - 1
    found = found.slice(-pageSize)
    this.#oldest = `${line}-${found[0] - 1}`
    return readSaves(this.#filter, this.#oldest, found.length, signal)
  }

  /** The numbers of the saves after one number and up to another one. */
  async #numbers(line, from, to, signal) {
    const numbers = []
    let since = `${line}-${from}`
    let isMore = true
    while (isMore) {
      const {data, headers} = await this.#page(since, to - from, signal)
      numbers.push(...data.map(save => numberOf(save.transaction)))
      since = headers.get('Last-Event-ID')
      isMore = headers.has('Link') && numberOf(since) < to
    }
    return numbers.filter(number => number <= to)
  }

  /** The saves after a position; the oldest ones where the history begins later. */
  async #page(since, limit, signal) {
    const read = since => service.send(
      new Request('GET', 'changes', {query: {...this.#filter, since, limit}}), {signal})
    try {
      return await read(since)
    } catch (error) {
      if (error.status !== 410) throw error
      this.#number = 0
      return read('0')
    }
  }
}

function numberOf(token) { return Number(token.slice(token.lastIndexOf('-') + 1)) }
