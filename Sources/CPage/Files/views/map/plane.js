// The drawing of a map: a graticule, dots and names on a canvas, moved by pointer and keys.

import {h, fill, framed, settled} from '../../parts/dom.js'
import {Camera, xOf, yOf} from './camera.js'
import {Dots} from './dots.js'

/** Pixels that a pointer may move in a click. */
const still = 4
/** Pixels around a pointer within which a dot is under it. */
const reach = {mouse: 8, pen: 12, touch: 22}
/** Names that are shown at most, and dots that are tried for them. */
const [mostNames, mostTried] = [40, 400]
/** Up to this number of dots in view all have names, also if they have no size. */
const fewDots = 60
const steps = [45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]

/**
 * `<stele-map-plane>`: a map of places. It sends `rest` when it has stopped moving, and `open` with
 * `{row}` for a place that is chosen.
 */
class MapPlane extends HTMLElement {
  camera = new Camera()
  /** What a place is called: a function of a row that gives lines of text. */
  describe = () => []
  #places = null
  #dots = new Dots()
  #seen = []
  #pointers = new Map()
  #moved = 0
  #draw = framed(() => this.#drawNow())
  #rest = settled(250, () => this.dispatchEvent(new Event('rest')))
  #resized = new ResizeObserver(() => this.#resize())
  #themes = new MutationObserver(this.#draw)
  #scheme = matchMedia('(prefers-color-scheme: dark)')

  constructor() {
    super()
    this.canvas = h('canvas')
    this.tip = h('div', {class: 'tip', 'aria-hidden': 'true', hidden: true})
    this.scale = h('div', {class: 'scale'})
    this.said = h('div', {class: 'visually-hidden', role: 'status'})
    for (const [type, listener] of [
      ['pointerdown', this.#down], ['pointermove', this.#move], ['pointerup', this.#up],
      ['pointercancel', this.#up], ['pointerleave', this.#leave], ['wheel', this.#wheel],
      ['dblclick', this.#double], ['keydown', this.#key], ['focus', this.#draw],
      ['blur', this.#leave],
    ]) this.addEventListener(type, listener, {passive: false})
  }

  connectedCallback() {
    this.tabIndex = 0
    this.setAttribute('role', 'application')
    this.setAttribute('aria-roledescription', 'map')
    if (!this.firstChild) this.append(this.canvas, this.tip, this.scale, this.said)
    this.#resized.observe(this)
    this.#themes.observe(document.documentElement, {attributeFilter: ['data-theme']})
    this.#scheme.addEventListener('change', this.#draw)
    this.#resize()
  }

  disconnectedCallback() {
    this.#resized.disconnect()
    this.#themes.disconnect()
    this.#scheme.removeEventListener('change', this.#draw)
    this.#rest.cancel()
  }

  /** Shows places. They are drawn again when they change. */
  set places(places) {
    this.#places?.removeEventListener('change', this.#changed)
    this.#places = places
    places.addEventListener('change', this.#changed)
    this.#changed()
  }

  /** Says that the camera has moved. */
  moved() {
    this.tip.hidden = true
    this.#draw()
    this.#rest()
  }

  /** The indices of the places next to a point of the element, the nearest first. */
  nearest(left, top, count, within = Infinity) {
    const {camera} = this
    const {xs, ys} = this.#places
    const [x, y] = [camera.x + (left - camera.width / 2) / camera.size,
      camera.y + (top - camera.height / 2) / camera.size]
    let limit = (within / camera.size) ** 2
    const found = []
    for (let index = 0; index < xs.length; index++) {
      const away = (xs[index] - x) ** 2 + (ys[index] - y) ** 2
      if (!(away < limit)) continue
      const at = found.findIndex(it => it.away > away)
      found.splice(at < 0 ? found.length : at, 0, {index, away})
      if (found.length > count) found.pop()
      if (found.length === count) limit = found.at(-1).away
    }
    return found.map(it => it.index)
  }

  #changed = () => {
    this.#dots.places = this.#places
    this.#draw()
    if (this.matches(':focus-visible')) this.#tell(this.#middle())
    else this.tip.hidden = true
  }

  #resize() {
    const {clientWidth: width, clientHeight: height} = this
    if (!width || !height) return
    const ratio = Math.min(2, devicePixelRatio)
    Object.assign(this.camera, {width, height})
    Object.assign(this.canvas, {width: width * ratio, height: height * ratio})
    this.#drawNow()
  }

  // Drawing

  #drawNow() {
    if (!this.#places || !this.isConnected) return
    const context = this.canvas.getContext('2d')
    const ratio = this.canvas.width / this.camera.width
    const style = getComputedStyle(this)
    this.#seen = this.#dots.draw(context, this.camera, ratio, style.fill, mostTried)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.font = `${style.fontSize} ${style.fontFamily}`
    context.globalCompositeOperation = 'destination-over'
    this.#graticule(context, style)
    context.globalCompositeOperation = 'source-over'
    this.#names(context, style)
    this.#scaleBar()
  }

  #graticule(context, style) {
    const {camera} = this
    const {width, height} = camera
    const {north, south, west, east} = camera.bounds()
    const step = steps.findLast(it => it / 360 * camera.size >= 100) ?? steps[0]
    const digits = Math.max(0, -Math.floor(Math.log10(step)))
    context.strokeStyle = style.stroke
    context.fillStyle = style.color
    context.lineWidth = 1
    context.beginPath()
    const lines = (from, to, draw) => {
      for (let n = Math.ceil(from / step); n * step <= to; n++) draw(n * step)
    }
    lines(west, east, longitude => {
      const left = Math.round(camera.leftOf(xOf(longitude))) + 0.5
      context.moveTo(left, Math.max(0, camera.topOf(0)))
      context.lineTo(left, Math.min(height, camera.topOf(1)))
      context.fillText(degrees(longitude, digits, 'E', 'W'), left + 3, height - 5)
    })
    lines(Math.max(-85, south), Math.min(85, north), latitude => {
      const top = Math.round(camera.topOf(yOf(latitude))) + 0.5
      context.moveTo(Math.max(0, camera.leftOf(0)), top)
      context.lineTo(Math.min(width, camera.leftOf(1)), top)
      context.fillText(degrees(latitude, digits, 'N', 'S'), 4, top - 3)
    })
    context.stroke()
  }

  /** The names of places, the largest first, where there is room for them. */
  #names(context, style) {
    if (!this.#places.amounts && this.#seen.length > fewDots) return
    const {camera} = this
    const taken = []
    context.fillStyle = style.getPropertyValue('caret-color')
    context.strokeStyle = style.backgroundColor
    context.lineWidth = 3
    context.lineJoin = 'round'
    for (const index of this.#seen) {
      const [name] = this.describe(this.#places.rows[index])
      const left = camera.leftOf(this.#places.xs[index]) + this.#dots.radius(index, camera) + 3
      const top = camera.topOf(this.#places.ys[index])
      const box = [left, top - 8, left + context.measureText(name).width, top + 8]
      if (box[2] > camera.width || taken.some(it => overlap(it, box))) continue
      taken.push(box)
      context.strokeText(name, left, top + 4)
      context.fillText(name, left, top + 4)
      if (taken.length === mostNames) return
    }
  }

  #scaleBar() {
    const longest = 120 * this.camera.pixelLength
    const power = 10 ** Math.floor(Math.log10(longest))
    const metres = [5, 2, 1].find(it => it * power <= longest) * power
    this.scale.style.width = `${metres / this.camera.pixelLength}px`
    fill(this.scale, lengthText(metres))
  }

  /** Shows what a place is, beside it. */
  #tell(index) {
    this.tip.hidden = index === undefined
    this.style.cursor = index === undefined ? '' : 'pointer'
    if (index === undefined) return
    const [name, ...lines] = this.describe(this.#places.rows[index])
    fill(this.tip, h('b', {dir: 'auto'}, name), lines.map(line => h('span', {}, line)))
    const left = this.camera.leftOf(this.#places.xs[index])
    const top = this.camera.topOf(this.#places.ys[index])
    const {offsetWidth, offsetHeight} = this.tip
    const above = top - offsetHeight - 10
    this.tip.style.left = `${Math.max(0, Math.min(left - offsetWidth / 2,
      this.camera.width - offsetWidth))}px`
    this.tip.style.top = `${above < 0 ? top + 10 : above}px`
  }

  // Pointers and keys

  #place(event) {
    const own = this.getBoundingClientRect()
    return {left: event.clientX - own.left, top: event.clientY - own.top}
  }

  /** The place under a pointer; undefined for none. */
  #under(event) {
    const {left, top} = this.#place(event)
    return this.nearest(left, top, 1, reach[event.pointerType] ?? reach.mouse)[0]
  }

  #down(event) {
    if (event.button) return
    this.setPointerCapture(event.pointerId)
    this.#pointers.set(event.pointerId, this.#place(event))
    if (this.#pointers.size === 1) this.#moved = 0
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId)
    if (!before) {
      if (this.#places) this.#tell(this.#under(event))
      return
    }
    const now = this.#place(event)
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1]
    this.#moved += Math.hypot(now.left - before.left, now.top - before.top)
    this.#pointers.set(event.pointerId, now)
    if (this.#moved < still) return
    // With two pointers each moves the map by half, and their distance is the zoom.
    const share = other ? 2 : 1
    this.camera.move((before.left - now.left) / share, (before.top - now.top) / share)
    if (other) {
      const apart = at => Math.max(1, Math.hypot(at.left - other.left, at.top - other.top))
      this.camera.zoomBy(Math.log2(apart(now) / apart(before)),
        (now.left + other.left) / 2, (now.top + other.top) / 2)
    }
    this.moved()
  }

  #up(event) {
    const wasDown = this.#pointers.delete(event.pointerId)
    const isClick = wasDown && this.#moved < still && event.type === 'pointerup'
    if (!isClick || this.#pointers.size) return
    const index = this.#under(event)
    if (index !== undefined) this.#open(index)
  }

  #leave() { this.tip.hidden = true }

  #wheel(event) {
    event.preventDefault()
    const {left, top} = this.#place(event)
    const lines = event.deltaMode ? 20 : 1
    this.camera.zoomBy(Math.max(-1, Math.min(1, -event.deltaY * lines / 300)), left, top)
    this.moved()
  }

  #double(event) {
    const {left, top} = this.#place(event)
    this.camera.zoomBy(event.shiftKey ? -1 : 1, left, top)
    this.moved()
  }

  #key(event) {
    const {camera} = this
    const pace = Math.min(camera.width, camera.height) / 6
    const keys = {
      ArrowLeft: () => camera.move(-pace, 0), ArrowRight: () => camera.move(pace, 0),
      ArrowUp: () => camera.move(0, -pace), ArrowDown: () => camera.move(0, pace),
      '+': () => camera.zoomBy(0.5), '=': () => camera.zoomBy(0.5), '-': () => camera.zoomBy(-0.5),
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.key === 'Escape') this.tip.hidden = true
    if (event.key === 'Enter') this.#open(this.#middle())
    if (!isPlain || !keys[event.key]) return
    event.preventDefault()
    keys[event.key]()
    this.moved()
    this.#tell(this.#middle())
    const lines = this.tip.hidden ? [] : [...this.tip.children]
    fill(this.said, lines.map(it => it.textContent).join(', '))
  }

  /** The place next to the middle; undefined where there is none. */
  #middle() { return this.nearest(this.camera.width / 2, this.camera.height / 2, 1)[0] }

  #open(index) {
    if (index === undefined) return
    this.dispatchEvent(new CustomEvent('open', {detail: {row: this.#places.rows[index]}}))
  }
}

const [inMetres, inKilometres] = ['meter', 'kilometer'].map(unit =>
  new Intl.NumberFormat(undefined, {style: 'unit', unit, maximumSignificantDigits: 3}))

/** A length in metres or kilometres. */
export function lengthText(metres) {
  return metres < 1000 ? inMetres.format(metres) : inKilometres.format(metres / 1000)
}

function degrees(value, digits, positive, negative) {
  const text = `${Math.abs(value).toFixed(digits)}°`
  return value === 0 ? text : `${text} ${value > 0 ? positive : negative}`
}

function overlap(a, b) { return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] }

customElements.define('stele-map-plane', MapPlane)
