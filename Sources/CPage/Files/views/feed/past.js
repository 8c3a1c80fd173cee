// The way back in the history: the saves before those that are shown, a page at a time.

import {readSaves} from './changes.js'
import {nextPlace} from '../../service.js'

/** The saves of a page. */
const pageSize = 50

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
    let saves = []
    while (saves.length < pageSize / 2 && until !== null && performance.now() < deadline) {
      const query = {...this.#filter, until, limit: pageSize - saves.length}
      const page = await readSaves(query, signal)
      until = nextPlace(page.headers, 'until') ?? null
      if (page.saves.length) page.saves[0].after = until ?? '0'
      if (saves.length) saves[0].after = page.saves.at(-1)?.token ?? until ?? '0'
      saves = [...page.saves, ...saves]
    }
    // The next page ends where this one begins.
    this.#position = saves.length ? saves[0].after : position
    this.#until = until
    this.isRead = until === null
    return saves
  }
}
