// The model as a graph: entities as boxes, relationships and inheritance as lines.

import {h, svg, fill} from '../../parts/dom.js'
import {layOut, nearest} from './layout/layout.js'
import {boxElement, measure, measurer, rowsElement, setMetrics} from './boxes.js'
import {lineElement} from './lines.js'
import {Viewport} from './viewport.js'
import {rowsAddress} from './words.js'

/** From this many entities on boxes have only names. */
const manyEntities = 40
/** The scale below which the graph is not fitted into the view of itself: texts are too small. */
const readable = 0.7

/** `<stele-model-graph>`: the boxes and lines of a content that `contentOf` gives. */
class ModelGraph extends HTMLElement {
  #content = {boxes: [], lines: []}
  #isCompact = false
  /** The box or line that is highlighted. */
  #lit = null
  /** The box with the focus, or that had it last: the Tab key comes back to it. */
  #current = null

  constructor() {
    super()
    this.lines = svg('svg', {'aria-hidden': 'true'})
    this.list = h('ul', {'aria-label': 'Entities'})
    this.plane = h('div', {
      class: 'plane', onkeydown: event => this.#key(event), onclick: event => this.#click(event),
      onfocusin: event => this.#focus(event), onfocusout: () => this.#leave(),
      onpointerover: event => this.#light(this.#under(event)),
      onpointerleave: () => this.#light(this.#focused ?? null),
    }, this.lines, this.list)
    this.viewport = new Viewport(this.plane)
    setMetrics(this.plane)
  }

  connectedCallback() {
    if (!this.firstChild) fill(this, this.viewport.scroller, this.viewport.controls)
  }

  disconnectedCallback() { this.viewport.close() }

  /** Focuses the box that the Tab key leads to. */
  focus() { this.#current?.focusable.focus() }

  /** Shows another content. */
  show(content) {
    this.#content = content
    this.#lit = null
    this.#isCompact = content.boxes.length >= manyEntities
    const {boxes, lines} = content
    const layout = this.#layOut()
    boxes.forEach((box, index) => {
      Object.assign(box, layout.places[index])
      boxElement(box, rowsAddress(box.entity), this.#isCompact)
      box.element.style.translate = `${box.x}px ${box.y}px`
    })
    fill(this.list, boxes.map(it => it.element))
    this.lines.setAttribute('width', layout.width)
    this.lines.setAttribute('height', layout.height)
    fill(this.lines, lines.map((line, index) => lineElement(line, layout.lines[index])))
    this.plane.classList.toggle('compact', this.#isCompact)
    this.viewport.show(layout, readable)
    this.#setCurrent(boxes[0] ?? null)
  }

  /** Marks the boxes of some entities, and brings the first into view; null marks none. */
  mark(entities) {
    const found = new Map()
    for (const box of this.#content.boxes) {
      const isFound = Boolean(entities?.has(box.entity))
      if (isFound) found.set(box.entity, box)
      box.element.classList.toggle('found', isFound)
      box.element.classList.toggle('other', entities !== null && !isFound)
    }
    const first = entities && found.get([...entities][0])
    if (!first) return
    this.viewport.reveal(first.element, 'center')
    this.#setCurrent(first)
  }

  #layOut() {
    const {boxes, lines} = this.#content
    const counts = new Map()
    for (const end of lines.flatMap(it => [it.from, it.to])) {
      counts.set(end.box, (counts.get(end.box) ?? 0) + 1)
    }
    const textWidth = measurer(this.plane)
    boxes.forEach((box, index) => {
      measure(box, this.#isCompact, counts.get(box) ?? 0, textWidth)
      box.index = index
    })
    const port = ({row}) => row ? row.port : null
    const edges = lines.map(({kind, from, to, weight}) => ({
      from: from.box.index, to: to.box.index, fromPort: port(from), toPort: port(to), weight,
      bundle: kind === 'inheritance' ? from.box : undefined,
    }))
    const {clientWidth, clientHeight} = this
    return layOut(boxes, edges, Math.max(0.6, Math.min(2, clientWidth / clientHeight || 1.5)))
  }

  // Focus and highlights

  get #focused() { return this.#content.boxes.find(it => it.focusable === document.activeElement) }

  #setCurrent(box) {
    if (this.#current) this.#current.focusable.tabIndex = -1
    this.#current = box
    if (box) box.focusable.tabIndex = 0
  }

  #focus({target}) {
    const box = this.#content.boxes.find(it => it.focusable === target)
    this.#setCurrent(box)
    this.#light(box)
    if (!this.#isCompact) return
    box.element.classList.add('open')
    box.element.append(...rowsElement(box))
  }

  #leave() {
    this.#light(null)
    if (!this.#isCompact) return
    this.#current.element.classList.remove('open')
    for (const rows of [...this.#current.element.querySelectorAll('dl')]) rows.remove()
  }

  /** The box or line at the place of an event. */
  #under({target}) {
    const element = target.closest('.box, .line')
    return this.#content.boxes.find(it => it.element === element)
      ?? this.#content.lines.find(it => it.element === element) ?? this.#focused ?? null
  }

  /** Highlights a box with its lines and neighbours, or a line with its boxes; null for none. */
  #light(thing) {
    if (thing === this.#lit) return
    this.#lit = thing
    const {boxes, lines} = this.#content
    const lit = new Set([thing])
    for (const line of lines) {
      const ends = [line, line.from.box, line.to.box]
      if (thing && ends.includes(thing)) for (const end of ends) lit.add(end)
    }
    this.plane.classList.toggle('lit', Boolean(thing))
    for (const each of [...boxes, ...lines]) each.element.classList.toggle('near', lit.has(each))
  }

  // Keys and clicks

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const act = {
      '+': () => this.viewport.zoomIn(), '-': () => this.viewport.zoomOut(),
      0: () => this.viewport.fit(),
    }[event.key]
    const next = this.#current && nearest(this.#content.boxes, this.#current, event.key)
    if (!act && !next) return
    event.preventDefault()
    if (act) return act()
    next.focusable.focus({preventScroll: true})
    this.viewport.reveal(next.element)
  }

  /** A click beside the name of a box focuses it. */
  #click({target}) {
    const element = target.closest('.box')
    if (!element || target.closest('a')) return
    this.#content.boxes.find(it => it.element === element).focusable.focus({preventScroll: true})
  }
}

customElements.define('stele-model-graph', ModelGraph)
