// A list of saves, the newest first: only those in view are elements.

import {h, framed} from '../../parts/dom.js'
import {linesOf, row} from './save.js'

/** Below this width, in pixels, a save has its time above its changes and not beside them. */
const narrow = 640
let made = 0

/**
 * `<stele-feed-list>`: saves and remarks. A row is as high as its changes, which are lines of one
 * height, so the place of each row is known without making it. It sends `open` with the save.
 *
 * Lines are numbered from the oldest to the newest. So a new save changes no other number, whereas
 * all distances from the top change.
 */
export class FeedList extends HTMLElement {
  /** `{item, end}` from the oldest to the newest; `end` is the number of the line after it. */
  #places = []
  #rows = new Map()
  #active = null
  #lineHeight = 28
  /** The pixels that were added above what is in view. */
  #added = 0
  /** Whether the oldest save stays in view. */
  #isAtEnd = false
  #isNarrow = false
  #leaveEnd = () => { this.#isAtEnd = false }
  #draw = framed(() => this.#layOut())

  constructor() {
    super()
    const heads = ['Time', 'Saved by', 'Changes'].map(title =>
      h('div', {role: 'columnheader'}, title))
    this.probe = h('div', {class: 'line probe'})
    this.layer = h('div', {role: 'rowgroup', class: 'layer'})
    this.scroller = h('div', {
      role: 'grid', tabIndex: 0, class: 'scroller', 'aria-label': 'Saves, the newest first',
      onscroll: this.#draw, onwheel: this.#leaveEnd, ontouchmove: this.#leaveEnd,
      onpointerdown: this.#leaveEnd, onkeydown: event => this.#key(event),
      onclick: event => this.#click(event),
    }, h('div', {role: 'rowgroup', class: 'heads'},
      h('div', {role: 'row', class: 'head'}, heads)), this.layer)
    this.observer = new ResizeObserver(() => this.#resized())
  }

  connectedCallback() {
    if (!this.scroller.parentElement) this.append(this.scroller, this.probe)
    this.observer.observe(this.scroller)
  }

  disconnectedCallback() { this.observer.disconnect() }

  /** The number of saves. */
  get count() { return this.#places.filter(it => it.item.token).length }

  /** Whether there is neither a save nor a remark. */
  get isEmpty() { return !this.#places.length }

  /** The oldest save; undefined for none. */
  get oldest() { return this.#places.find(it => it.item.token)?.item }

  /** The save after a position; undefined where it is not here. */
  saveAfter(position) { return this.#places.find(it => it.item.after === position)?.item }

  /**
   * Takes everything away.
   * @param isFromEnd whether the oldest saves are then in view, until a person scrolls
   */
  clear(isFromEnd) {
    this.#places = []
    this.#active = null
    this.#added = 0
    this.#isAtEnd = isFromEnd
    this.#draw()
  }

  /**
   * Adds items that are newer than the others. Those in view stay where they are, unless the
   * newest one was in view.
   * @param isMarked whether the new rows are marked for a moment
   */
  add(items, isMarked) {
    const before = this.#end
    let end = before
    for (const item of items) {
      end += linesOf(item, this.#isNarrow)
      this.#places.push({item, end, isMarked})
    }
    this.#added += (end - before) * this.#lineHeight
    this.#draw()
  }

  /**
   * Adds items that are older than the others.
   * @param isShown whether they are brought into view
   */
  addOlder(items, isShown) {
    let end = this.#start
    const places = items.toReversed().map(item => {
      const place = {item, end}
      end -= linesOf(item, this.#isNarrow)
      return place
    })
    this.#places.unshift(...places.reverse())
    this.#layOut()
    const newest = this.#places[items.length - 1]
    if (isShown && newest) this.scroller.scrollTop = this.#topOf(newest)
  }

  /** Takes the oldest away until there are at most so many. */
  trim(most) {
    const {length} = this.#places
    if (length > most) this.#places.splice(0, length - most)
  }

  focus() { this.scroller.focus() }

  // Drawing

  /** The number of the line after the newest row, and that of the oldest row's first line. */
  get #end() { return this.#places.at(-1)?.end ?? 0 }
  get #start() { return this.#places.length ? this.#startOf(this.#places[0]) : 0 }
  #startOf({item, end}) { return end - linesOf(item, this.#isNarrow) }
  #topOf({end}) { return (this.#end - end) * this.#lineHeight }

  #resized() {
    const isNarrow = this.clientWidth < narrow
    if (isNarrow !== this.#isNarrow) this.#renumber(isNarrow)
    this.#draw()
  }

  /** Numbers all lines again, for another layout. */
  #renumber(isNarrow) {
    this.#isNarrow = isNarrow
    this.classList.toggle('narrow', isNarrow)
    let end = 0
    for (const place of this.#places) {
      end += linesOf(place.item, this.#isNarrow)
      place.end = end
    }
    for (const row of this.#rows.values()) row.remove()
    this.#rows.clear()
  }

  #layOut() {
    if (!this.isConnected) return
    // What is read comes before what is written, so that the browser lays out once.
    this.#lineHeight = this.probe.offsetHeight
    const {scrollTop, clientHeight} = this.scroller
    const room = clientHeight - this.layer.offsetTop
    const end = this.#end
    const height = (end - this.#start) * this.#lineHeight
    const top = this.#isAtEnd ? Math.max(0, height - room) : scrollTop && scrollTop + this.#added
    this.layer.style.height = `${height}px`
    if (top !== scrollTop) this.scroller.scrollTop = top
    this.#added = 0
    this.scroller.setAttribute('aria-rowcount', this.#places.length + 1)
    const from = this.#indexAt(end - (top + clientHeight) / this.#lineHeight)
    const to = this.#indexAt(end - top / this.#lineHeight)
    const shown = new Set(this.#places.slice(from, to + 1))
    for (const [place, row] of this.#rows) {
      if (shown.has(place)) continue
      row.remove()
      this.#rows.delete(place)
    }
    let index = from
    for (const place of shown) this.#show(place, index++)
    const active = this.#rows.get(this.#active)
    if (active) this.scroller.setAttribute('aria-activedescendant', active.id)
    else this.scroller.removeAttribute('aria-activedescendant')
  }

  /** The index of the first row that ends after a line. */
  #indexAt(line) {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#places[middle].end > line) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Shows a row. The one below it, which is older, is shown already if it is in view. */
  #show(place, index) {
    let element = this.#rows.get(place)
    if (!element) {
      element = row(place.item)
      element.id = `feed-row${++made}`
      element.style.height = `${linesOf(place.item, this.#isNarrow) * this.#lineHeight}px`
      if (place.isMarked) element.classList.add('flash')
      place.isMarked = false
      this.#rows.set(place, element)
      this.layer.insertBefore(element, this.#rows.get(this.#places[index - 1]) ?? null)
    }
    const isActive = place === this.#active
    element.style.transform = `translateY(${this.#topOf(place)}px)`
    element.classList.toggle('active', isActive)
    element.setAttribute('aria-selected', isActive)
    element.setAttribute('aria-rowindex', this.#places.length - index + 1)
  }

  // Keys and clicks

  #activate(index) {
    const last = this.#places.length - 1
    if (last < 0) return
    this.#active = this.#places[Math.max(0, Math.min(index, last))]
    const top = this.#topOf(this.#active)
    const bottom = (this.#end - this.#startOf(this.#active)) * this.#lineHeight
    const {scrollTop, clientHeight} = this.scroller
    const view = clientHeight - this.layer.offsetTop
    if (top < scrollTop) this.scroller.scrollTop = top
    else if (bottom > scrollTop + view) this.scroller.scrollTop = bottom - view
    this.#draw()
  }

  #key(event) {
    if (event.target !== this.scroller || event.ctrlKey || event.metaKey || event.altKey) return
    const index = this.#active ? this.#places.indexOf(this.#active) : this.#places.length
    const page = Math.max(1, this.#rows.size - 2)
    const moves = {
      ArrowUp: () => this.#activate(index + 1),
      ArrowDown: () => this.#activate(index - 1),
      PageUp: () => this.#activate(index + page),
      PageDown: () => this.#activate(index - page),
      Home: () => this.#activate(this.#places.length - 1),
      End: () => this.#activate(0),
      Enter: () => this.#open(),
    }
    if (!moves[event.key]) return
    event.preventDefault()
    this.#leaveEnd()
    moves[event.key]()
  }

  #click(event) {
    const element = event.target.closest('.save')
    if (!element || event.target.closest('a')) return
    const place = [...this.#rows].find(([, row]) => row === element)[0]
    this.#activate(this.#places.indexOf(place))
    this.#open()
  }

  #open() {
    const save = this.#active?.item
    if (save?.token) this.dispatchEvent(new CustomEvent('open', {detail: save}))
  }
}

customElements.define('stele-feed-list', FeedList)
