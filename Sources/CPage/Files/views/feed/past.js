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
    let until = position === this.#position ? this.#until : position
    const tokens = new Set()
    while (tokens.size < pageSize / 2 && until !== null && performance.now() < deadline) {
      const query = {...this.#filter, until, limit: pageSize - tokens.size}
      const {data, headers} = await service.send(new Request('GET', 'changes', {query}), {signal})
      for (const save of data) tokens.add(save.transaction)
      until = nextPlace(headers, 'until') ?? null
    }
    const saves = tokens.size
      ? await readSaves(this.#filter, until ?? '0', tokens.size, signal) : []
    // The next page ends where this one begins.
    this.#position = saves.length ? until : position
    this.#until = until
    this.isRead = until === null
    // The oldest saves may have been deleted meanwhile, and later ones read in their place.
    return saves.filter(it => tokens.has(it.token))
  }
}
