// The part of the graph that is in view: scrolled, dragged and zoomed.

import {h} from '../../parts/dom.js'

const least = 0.05
const most = 2.5
const step = 1.25
/** The scale above which nothing is enlarged to fit. */
const largestFit = 1.2
/** The pixels that a pressed pointer may move before it drags. */
const slack = 4

/** A scroller with a plane of any size in it. */
export class Viewport {
  #size = {width: 0, height: 0}
  /** The least scale at which all is fitted into the view again when that changes its size. */
  #fitted = null

  /** @param plane the element that is shown, whose size `show` gives */
  constructor(plane) {
    this.plane = plane
    this.scale = 1
    this.extent = h('div', {class: 'extent'}, plane)
    this.scroller = h('div', {
      class: 'scroller', dir: 'ltr', onwheel: event => this.#wheel(event),
    }, h('div', {class: 'ground', onpointerdown: event => this.#drag(event)}, this.extent))
    this.observer = new ResizeObserver(() => {
      if (this.#fitted !== null) this.fit(this.#fitted)
    })
    this.level = h('output', {}, '100 %')
    this.controls = h('div', {class: 'controls', role: 'group', 'aria-label': 'Zoom'},
      button('−', 'Zoom out (−)', () => this.zoomOut()), this.level,
      button('+', 'Zoom in (+)', () => this.zoomIn()),
      button('Fit', 'Fit all into the view (0)', () => this.fit()))
  }

  /** Shows a plane of this size from its beginning, as small as needed, but readable. */
  show(size, readable) {
    this.#size = size
    this.plane.style.width = `${size.width}px`
    this.plane.style.height = `${size.height}px`
    this.scroller.scrollTo(0, 0)
    this.fit(readable)
    this.observer.observe(this.scroller)
  }

  /** Stops to follow the size of the view. */
  close() { this.observer.disconnect() }

  zoomIn() { this.#zoom(this.scale * step) }
  zoomOut() { this.#zoom(this.scale / step) }

  /** Shows the whole plane, or its beginning if it would be smaller than a scale. */
  fit(smallest = least) {
    const {offsetWidth, offsetHeight} = this.scroller
    const {width, height} = this.#size
    if (!offsetWidth || !width) return
    const whole = Math.min(offsetWidth / width, offsetHeight / height)
    this.#apply(Math.max(smallest, Math.min(largestFit, whole)))
    this.#fitted = smallest
  }

  /** Brings an element of the plane into view, at a place such as `center`. */
  reveal(element, place = 'nearest') { element.scrollIntoView({block: place, inline: place}) }

  #apply(scale) {
    this.scale = Math.max(least, Math.min(most, scale))
    this.extent.style.width = `${Math.floor(this.#size.width * this.scale)}px`
    this.extent.style.height = `${Math.floor(this.#size.height * this.scale)}px`
    this.plane.style.setProperty('--scale', this.scale)
    this.level.textContent = `${Math.round(100 * this.scale)} %`
  }

  /** Zooms, so that a place of the page stays what it is: the middle of the view of itself. */
  #zoom(scale, x, y) {
    const view = this.scroller.getBoundingClientRect()
    const [left, top] = [x ?? view.left + view.width / 2, y ?? view.top + view.height / 2]
    const before = this.extent.getBoundingClientRect()
    const place = [(left - before.left) / this.scale, (top - before.top) / this.scale]
    this.#fitted = null
    this.#apply(scale)
    const after = this.extent.getBoundingClientRect()
    this.scroller.scrollBy(after.left + place[0] * this.scale - left,
      after.top + place[1] * this.scale - top)
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    const turned = Math.max(-100, Math.min(100, event.deltaY * lines))
    this.#zoom(this.scale * Math.exp(-turned / 400), event.clientX, event.clientY)
  }

  /** Drags the plane by the mouse. Fingers and pens scroll of themselves. */
  #drag(event) {
    if (event.button !== 0 || event.pointerType !== 'mouse') return
    const {scroller} = this
    const {clientX, clientY, pointerId} = event
    const {scrollLeft, scrollTop} = scroller
    const ended = new AbortController()
    const move = ({clientX: x, clientY: y}) => {
      if (!scroller.hasPointerCapture(pointerId)) {
        if (Math.hypot(x - clientX, y - clientY) < slack) return
        // The click that ends a drag goes to the scroller then, and opens nothing.
        scroller.setPointerCapture(pointerId)
        scroller.classList.add('dragged')
        this.#fitted = null
      }
      scroller.scrollTo(scrollLeft + clientX - x, scrollTop + clientY - y)
    }
    const end = () => {
      ended.abort()
      scroller.classList.remove('dragged')
    }
    scroller.addEventListener('pointermove', move, {signal: ended.signal})
    for (const name of ['pointerup', 'pointercancel']) {
      addEventListener(name, end, {signal: ended.signal})
    }
  }
}

function button(text, name, onclick) {
  return h('button', {'aria-label': name, title: name, onclick}, text)
}
