// The way back in the history: the saves before those that are shown, a page at a time.

import {readSaves} from './changes.js'
import {Request, nextPlace, service} from '../../service.js'

/** The saves of a page. */
const pageSize = 100

/** The saves before those that are shown, for a filter. */
export class Past {
  /** Whether no save is left. */
  isRead = false
  #filter
  /** Where to read on from a position, which has been searched up to there. */
  #position = null
  #until = null

  /** @param filter `entity`, `updated` and `where` of the feed */
  constructor(filter) { this.#filter = filter }

  /**
   * Reads the page of saves up to a position.
   * @param milliseconds that the search may take
   * @returns the saves, the oldest first; none where none were found in that time
   */
  async before(position, milliseconds, signal) {
    const deadline = performance.now() + milliseconds
    // The list may have dropped saves since the last page.
    if (position !== this.#position) this.#until = position
    this.#position = position
    let count = 0
    while (count < pageSize / 2 && this.#until !== null && performance.now() < deadline) {
      const query = {...this.#filter, until: this.#until, limit: pageSize - count}
      const {data, headers} = await service.send(new Request('GET', 'changes', {query}), {signal})
      count += data.length
      this.#until = nextPlace(headers, 'until') ?? null
    }
    this.isRead = this.#until === null
    if (!count) return []
    // The next page ends where this one begins.
    this.#position = this.#until
    return readSaves(this.#filter, this.#until ?? '0', count, signal)
  }
}
