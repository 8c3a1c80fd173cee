// A table of any number of rows: only those in view are elements.

import {h, fill, framed} from './dom.js'

const rowHeight = 32
/** Browsers limit the height of an element. Beyond it the scroll bar stands for more rows. */
const tallest = 12_000_000
/** The most rows that are filled in one frame; the others follow in the next one. */
const mostFilled = 12
let made = 0

/**
 * `<stele-table>`: a grid of rows that a source gives.
 *
 * The source has `count`, `row(index)` (undefined while it is not loaded) and `need(first, last)`,
 * and sends `change`. A column has `title`, `width` in pixels, `class`, `sort` (`ascending`,
 * `descending` or null; undefined where it cannot be sorted) and `show(row, cell)`, which fills a
 * cell.
 *
 * It sends `sort` with `{column}`, `open` and `edit` with `{index, column}`, and `active` with
 * `{index}`. `detail` of the events has these.
 */
export class Table extends HTMLElement {
  #source = null
  #columns = []
  #rows = new Map()
  #spare = []
  #active = {index: 0, column: 0}
  #id = `table${++made}`
  #draw = framed(() => this.#layOut())
  #onChange = () => { this.#content += 1; this.#draw() }
  /** The number of the present content. A row is filled again when it shows an earlier one. */
  #content = 0
  /** The elements of the active row and cell. */
  #marked = []
  /** The element of the editor, and the cell that it is for. */
  #editor = null

  constructor() {
    super()
    this.headRow = h('div', {role: 'row', 'aria-rowindex': '1', class: 'row head'})
    this.layer = h('div', {role: 'rowgroup', class: 'layer'})
    this.space = h('div', {role: 'presentation', class: 'extent'})
    this.scroller = h('div', {
      role: 'grid', tabIndex: 0, class: 'scroller',
      onscroll: this.#draw, onkeydown: event => this.#key(event),
      onclick: event => this.#click(event), ondblclick: event => this.#doubleClick(event),
    }, h('div', {role: 'rowgroup', class: 'heads'}, this.headRow), this.layer, this.space)
    this.observer = new ResizeObserver(this.#draw)
  }

  connectedCallback() {
    if (!this.scroller.parentElement) this.append(this.scroller)
    this.observer.observe(this.scroller)
  }

  disconnectedCallback() {
    this.observer.disconnect()
    this.#leave()
  }

  #leave() {
    this.#source?.removeEventListener('change', this.#onChange)
    this.#source?.removeEventListener('count', this.#draw)
  }

  /** The name of the table for a screen reader. */
  set label(text) { this.scroller.setAttribute('aria-label', text) }

  get source() { return this.#source }

  /** Shows another source, from its first row. */
  set source(source) {
    this.#leave()
    this.#source = source
    source.addEventListener('change', this.#onChange)
    source.addEventListener('count', this.#draw)
    this.scroller.scrollTop = 0
    this.#active.index = 0
    // At once: the first rows have been waited for.
    this.#content += 1
    this.#layOut()
  }

  get columns() { return this.#columns }

  set columns(columns) {
    this.#columns = columns
    this.#active.column = Math.min(this.#active.column, Math.max(0, columns.length - 1))
    this.scroller.setAttribute('aria-colcount', columns.length)
    this.scroller.style.setProperty('--columns', columns.map(it => `${it.width}px`).join(' '))
    this.scroller.style.setProperty(
      '--width', `${columns.reduce((sum, it) => sum + it.width, 0)}px`)
    fill(this.headRow, columns.map((column, index) => this.#head(column, index)))
    for (const element of this.#rows.values()) element.remove()
    this.#rows.clear()
    this.#spare = []
    this.#onChange()
  }

  /** The index of the active row. */
  get activeIndex() { return this.#active.index }

  /** Makes a cell active, and brings it into view. */
  activate(index, column = this.#active.column) {
    const last = Math.max(0, (this.#source?.count ?? 0) - 1)
    this.#active = {
      index: Math.max(0, Math.min(index, last)),
      column: Math.max(0, Math.min(column, this.#columns.length - 1)),
    }
    this.#reveal()
    this.#draw()
    this.#send('active')
  }

  focus() { this.scroller.focus() }

  /** Draws the rows again: what they show has changed. */
  refresh() { this.#onChange() }

  /** Marks a row for a moment. */
  flash(index) {
    const element = this.#rows.get(index)
    if (!element) return
    element.classList.remove('flash')
    void element.offsetWidth
    element.classList.add('flash')
  }

  /** Puts an editor over a cell; null takes it away. */
  edit(index, column, editor) {
    this.#editor?.element.remove()
    this.#editor = editor && {index, column, element: editor}
    if (!editor) return
    editor.classList.add('editor')
    this.layer.append(editor)
    this.#placeEditor(this.#first)
    editor.querySelector('input, select, textarea')?.focus()
  }

  // Drawing

  get #viewHeight() { return Math.max(0, this.scroller.clientHeight - this.headRow.offsetHeight) }
  get #count() { return this.#source?.count ?? 0 }
  get #extent() { return Math.min(this.#count * rowHeight, tallest) }

  /** The first row in view, with the part of it that is above. */
  get #first() {
    const scrollable = this.#extent - this.#viewHeight
    if (scrollable <= 0) return 0
    const rowsAbove = this.#count - this.#viewHeight / rowHeight
    return Math.min(this.scroller.scrollTop / scrollable, 1) * rowsAbove
  }

  #layOut() {
    if (!this.#source || !this.isConnected) return
    this.space.style.height = `${this.#extent}px`
    this.scroller.setAttribute('aria-rowcount', this.#count + 1)
    const first = this.#first
    const from = Math.max(0, Math.floor(first) - 2)
    const to = Math.min(this.#count, Math.ceil(first + this.#viewHeight / rowHeight) + 2)
    for (const [index, element] of this.#rows) {
      if (index >= from && index < to) continue
      this.#rows.delete(index)
      this.#spare.push(element)
    }
    let left = mostFilled
    for (let index = from; index < to; index++) left -= this.#place(index, first, left > 0)
    for (const element of this.#spare) element.hidden = true
    if (left <= 0) this.#draw()
    this.#placeEditor(first)
    this.#mark()
    this.#source.need(from, to)
  }

  /** Puts a row into its place, and fills it if it has to be and may be; 1 if it was. */
  #place(index, first, mayFill) {
    let element = this.#rows.get(index)
    if (!element) {
      if (!mayFill) return 0
      element = this.#spare.pop() ?? this.#makeRow()
      this.#rows.set(index, element)
      element.content = null
      element.hidden = false
      element.classList.remove('flash')
      element.dataset.index = index
      element.setAttribute('aria-rowindex', index + 2)
    }
    element.style.transform = `translateY(${(index - first) * rowHeight}px)`
    if (element.content === this.#content || !mayFill) return 0
    element.content = this.#content
    this.#fillRow(element, index)
    return 1
  }

  /** Marks the active cell and its row. */
  #mark() {
    for (const element of this.#marked) element.classList.remove('active')
    this.#marked[0]?.removeAttribute('aria-selected')
    const row = this.#rows.get(this.#active.index)
    const cell = row?.children[this.#active.column]
    this.#marked = [row, cell].filter(Boolean)
    for (const element of this.#marked) element.classList.add('active')
    row?.setAttribute('aria-selected', 'true')
    if (cell) this.scroller.setAttribute('aria-activedescendant', cell.id)
    else this.scroller.removeAttribute('aria-activedescendant')
  }

  #makeRow() {
    const id = `${this.#id}-${this.layer.childElementCount}`
    const element = h('div', {role: 'row', class: 'row'}, this.#columns.map((column, index) =>
      h('div', {
        role: 'gridcell', id: `${id}-${index}`, class: `cell ${column.class ?? ''}`,
        'data-column': index, 'aria-colindex': index + 1,
      })))
    this.layer.append(element)
    return element
  }

  #fillRow(element, index) {
    const row = this.#source.row(index)
    element.classList.toggle('loading', row === undefined)
    const changes = this.#source.changesOf?.(row) || {}
    for (const [index, cell] of [...element.children].entries()) {
      const column = this.#columns[index]
      if (row === undefined) cell.textContent = ''
      else column.show(row, cell)
      cell.toggleAttribute('data-changed', Object.hasOwn(changes, column.title))
    }
    const state = this.#source.stateOf?.(row) ?? ''
    if (element.dataset.state !== state) element.dataset.state = state
  }

  #placeEditor(first) {
    if (!this.#editor) return
    const {index, column, element} = this.#editor
    const left = this.#columns.slice(0, column).reduce((sum, it) => sum + it.width, 0)
    const y = (index - first) * rowHeight
    element.style.transform = `translate(${left}px, ${y}px)`
    element.style.minWidth = `${this.#columns[column]?.width ?? 0}px`
    element.hidden = y < -rowHeight || y > this.#viewHeight
  }

  #head(column, index) {
    const sortable = column.sort !== undefined
    return h('div', {
      role: 'columnheader', class: `cell ${column.class ?? ''}`, 'data-column': index,
      'aria-colindex': index + 1, 'aria-sort': sortable ? column.sort ?? 'none' : null,
      title: column.title,
    }, sortable
      ? h('button', {class: 'plain sort', tabIndex: -1}, column.title)
      : h('span', {}, column.title))
  }

  // Keys and clicks

  #send(name, detail = {}) {
    const {index, column} = this.#active
    this.dispatchEvent(new CustomEvent(name, {
      detail: {index, column: this.#columns[column], row: this.#source?.row(index), ...detail},
    }))
  }

  #reveal() {
    const first = this.#first
    const visible = Math.floor(this.#viewHeight / rowHeight)
    const {index} = this.#active
    if (index < Math.ceil(first)) this.#scrollTo(index)
    else if (index >= Math.floor(first) + visible) this.#scrollTo(index - visible + 1)
    // The first column is always in view, and covers what is scrolled.
    if (!this.#active.column) return
    const left = this.#columns.slice(0, this.#active.column).reduce((sum, it) => sum + it.width, 0)
    const width = this.#columns[this.#active.column]?.width ?? 0
    const {scrollLeft, clientWidth} = this.scroller
    const covered = this.#columns[0].width
    if (left - covered < scrollLeft) this.scroller.scrollLeft = left - covered
    else if (left + width > scrollLeft + clientWidth) {
      this.scroller.scrollLeft = left + width - clientWidth
    }
  }

  #scrollTo(row) {
    const rowsAbove = this.#count - this.#viewHeight / rowHeight
    if (rowsAbove <= 0) return
    // Rows that have come since the last frame can be scrolled to as well.
    this.space.style.height = `${this.#extent}px`
    this.scroller.scrollTop = (row / rowsAbove) * (this.#extent - this.#viewHeight)
  }

  #key(event) {
    if (event.target !== this.scroller) return
    const {index, column} = this.#active
    const page = Math.max(1, Math.floor(this.#viewHeight / rowHeight) - 1)
    const isWhole = event.ctrlKey || event.metaKey
    const isReversed = getComputedStyle(this).direction === 'rtl'
    const moves = {
      ArrowUp: () => this.activate(index - 1),
      ArrowDown: () => this.activate(index + 1),
      ArrowLeft: () => this.activate(index, column + (isReversed ? 1 : -1)),
      ArrowRight: () => this.activate(index, column + (isReversed ? -1 : 1)),
      PageUp: () => this.activate(index - page),
      PageDown: () => this.activate(index + page),
      Home: () => this.activate(isWhole ? 0 : index, 0),
      End: () => this.activate(isWhole ? this.#count - 1 : index, this.#columns.length - 1),
      Enter: () => this.#send('open'),
      F2: () => this.#send('edit'),
      Delete: () => this.#send('remove'),
      s: () => this.#send('sort'),
      o: () => this.#marked[1]?.querySelector('a')?.click(),
    }
    const move = moves[event.key]
    if (!move || (event.altKey || (isWhole && !/Home|End/.test(event.key)))) return
    event.preventDefault()
    move()
  }

  /** The cell of an event, which becomes the active one. */
  #cell(event) {
    const cell = event.target.closest('.cell')
    const row = cell?.closest('.row')
    if (!row || event.target.closest('.editor')) return null
    return {cell, row, column: Number(cell.dataset.column)}
  }

  #click(event) {
    const found = this.#cell(event)
    if (!found) return
    if (found.row === this.headRow) {
      if (event.target.closest('.sort')) {
        this.#send('sort', {column: this.#columns[found.column], event})
      }
      return
    }
    this.activate(Number(found.row.dataset.index), found.column)
  }

  #doubleClick(event) {
    const found = this.#cell(event)
    if (found && found.row !== this.headRow) this.#send('edit')
  }
}

customElements.define('stele-table', Table)
