// The drawing of a chart: bars, a histogram or a line, as SVG.

import {h, svg, fill} from '../../parts/dom.js'
import {Ruler, scale, tickFormat} from './scale.js'

const barHeight = 26
const widestName = 280
const columnsHeight = 340
/** Up to this number the points of a line are shown. */
const fewPoints = 150

/**
 * `<stele-plot>`: a chart of marks, `{name, value, text, href}`: a group, its number or null, the
 * number in words, and where a click leads. Each mark is a link. The Tab key reaches one of them,
 * and the arrow keys the others.
 */
class Plot extends HTMLElement {
  #plot = null
  #active = 0
  #observer = new ResizeObserver(() => this.#draw())
  #width = 0

  constructor() {
    super()
    this.tip = h('div', {class: 'tip', 'aria-hidden': 'true', hidden: true})
    this.addEventListener('pointerover', event => this.#point(event.target))
    this.addEventListener('pointerleave', () => { this.tip.hidden = true })
    this.addEventListener('focusin', event => this.#focused(event.target))
    this.addEventListener('focusout', () => { this.tip.hidden = true })
    this.addEventListener('keydown', event => this.#key(event))
  }

  connectedCallback() { this.#observer.observe(this) }
  disconnectedCallback() { this.#observer.disconnect() }

  /**
   * Shows a chart.
   * @param plot `{kind, name, marks, valueTitle, title, hasZero}`, and for a histogram and a line
   *   `levels` and `tick`: which bounds of the marks can be labelled, and with what
   */
  show(plot) {
    this.#plot = plot
    this.#active = 0
    this.#width = 0
    this.#draw()
  }

  #draw() {
    const width = Math.floor(this.clientWidth)
    if (!this.#plot || !width || width === this.#width) return
    this.#width = width
    this.ruler = new Ruler(this)
    this.tip.hidden = true
    const {kind, name} = this.#plot
    const {height, parts} = kind === 'bar' ? this.#bars(width) : this.#columns(width)
    const hadFocus = this.contains(document.activeElement)
    fill(this, svg('svg', {
      width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': name,
    }, parts), this.tip)
    this.links = [...this.querySelectorAll('.mark')]
    if (hadFocus) this.links[this.#active]?.focus()
  }

  /** A mark as a link around its shapes. */
  #mark(mark, index, ...shapes) {
    return svg('a', {
      class: 'mark', href: mark.href, 'aria-label': `${mark.name}: ${mark.text}`,
      tabindex: index === this.#active ? 0 : -1,
    }, shapes)
  }

  // Bars

  #bars(width) {
    const {marks, hasZero, valueTitle} = this.#plot
    const names = Math.min(this.ruler.widest(marks.map(it => it.name)) + 12,
      widestName, width * 0.4)
    const texts = this.ruler.widest(marks.map(it => it.text)) + 16
    const length = Math.max(20, width - names - texts)
    const top = 40
    const {place, ticks} = scale(marks.map(it => it.value ?? 0),
      {length, count: Math.max(2, length / 90), hasZero})
    const bottom = top + marks.length * barHeight
    const axis = this.#shown(ticks, tick => names + place(tick))
    return {height: bottom + 8, parts: [
      svg('text', {class: 'title', x: names, y: 13}, valueTitle),
      axis.map(({at, text}) => [
        svg('path', {class: 'grid', d: `M${at} ${top - 4}V${bottom}`}),
        svg('text', {class: 'tick middle', x: at, y: top - 9, 'aria-hidden': 'true'}, text),
      ]),
      marks.map((mark, index) => {
        const from = names + place(Math.min(0, mark.value))
        const to = names + place(Math.max(0, mark.value))
        const y = top + index * barHeight
        return this.#mark(mark, index,
          svg('rect', {class: 'hit', x: 0, y, width, height: barHeight}),
          svg('text', {class: `end ${mark.class ?? ''}`, x: names - 8, y: y + 17},
            this.ruler.fitted(mark.name, names - 12)),
          svg('rect', {
            class: 'shape', x: from, y: y + 4, height: barHeight - 8,
            width: mark.value ? Math.max(1, to - from) : 0,
          }),
          svg('text', {class: 'text', x: to + 6, y: y + 17}, mark.text))
      }),
    ]}
  }

  // Columns and lines

  #columns(width) {
    const {marks, hasZero, valueTitle, title, kind} = this.#plot
    const [top, bottom, end] = [28, 48, 24]
    const height = columnsHeight - top - bottom
    const values = marks.map(it => it.value).filter(it => it !== null)
    const {place, ticks} = scale(values, {length: height, count: 6, hasZero})
    const tickText = tickFormat(ticks)
    const start = this.ruler.widest(ticks.map(tickText)) + 12
    const slot = (width - start - end) / marks.length
    const y = value => top + height - place(value)
    const x = index => start + index * slot
    return {height: columnsHeight, parts: [
      svg('text', {class: 'title', x: 0, y: 13}, valueTitle),
      ticks.map(tick => [
        svg('path', {
          class: tick === 0 ? 'axis' : 'grid', d: `M${start} ${y(tick)}H${width - end}`,
        }),
        svg('text', {class: 'tick end', x: start - 6, y: y(tick) + 4, 'aria-hidden': 'true'},
          tickText(tick)),
      ]),
      this.#boundTicks(slot).map(({at, text}) => [
        svg('path', {class: 'axis', d: `M${start + at} ${top + height}v5`}),
        svg('text', {
          class: 'tick middle', x: start + at, y: top + height + 18, 'aria-hidden': 'true',
        }, text),
      ]),
      svg('text', {class: 'title end', x: width - end, y: columnsHeight - 8}, title),
      marks.map((mark, index) => this.#mark(mark, index,
        svg('rect', {class: 'hit', x: x(index), y: top, width: slot, height}),
        mark.value !== null && this.#shape(mark, {x: x(index), y, slot}))),
      kind === 'line' && svg('path', {class: 'line', d: this.#line(x, y, slot)}),
    ]}
  }

  #shape({value}, {x, y, slot}) {
    const {kind, marks} = this.#plot
    if (kind === 'line') {
      const r = marks.length <= fewPoints ? 3 : 0.5
      return svg('circle', {class: 'shape', cx: x + slot / 2, cy: y(value), r})
    }
    const gap = slot > 6 ? 1 : 0
    const height = value === 0 ? 0 : Math.max(1, Math.abs(y(0) - y(value)))
    return svg('rect', {
      class: 'shape', x: x + gap / 2, y: value > 0 ? y(0) - height : y(0), height,
      width: Math.max(0.5, slot - gap),
    })
  }

  /** The path through the values. It is interrupted where there is none. */
  #line(x, y, slot) {
    let isDown = false
    return this.#plot.marks.map(({value}, index) => {
      const command = isDown ? 'L' : 'M'
      isDown = value !== null
      return isDown ? `${command}${(x(index) + slot / 2).toFixed(1)} ${y(value).toFixed(1)}` : ''
    }).join('')
  }

  /** The labels below the marks, of the finest level that has room for them. */
  #boundTicks(slot) {
    const {marks, levels, tick, kind} = this.#plot
    const isLine = kind === 'line'
    const last = isLine ? marks.length - 1 : marks.length
    const indices = Array.from({length: last + 1}, (_, index) => index)
    for (const [level, test] of levels.entries()) {
      const shown = indices.filter(test)
      const labels = shown.map(index =>
        ({at: (index + (isLine ? 0.5 : 0)) * slot, text: tick(index, level)}))
      const room = Math.min(...shown.slice(1).map((index, i) => index - shown[i])) * slot
      if (room >= this.ruler.widest(labels.map(it => it.text)) + 12) return labels
    }
    return [{at: 0, text: tick(0, 0)}]
  }

  /** Those ticks of a horizontal axis that have room for their labels. */
  #shown(ticks, place) {
    const text = tickFormat(ticks)
    const labels = ticks.map(tick => ({at: place(tick), text: text(tick)}))
    const room = labels.length > 1 ? labels[1].at - labels[0].at : Infinity
    const every = Math.ceil((this.ruler.widest(labels.map(it => it.text)) + 12) / room)
    return labels.filter((_, index) => index % every === 0)
  }

  // Pointer and keys

  #point(target) {
    const index = this.links?.indexOf(target.closest('.mark')) ?? -1
    if (index < 0) this.tip.hidden = true
    else this.#tell(index)
  }

  #focused(target) {
    const index = this.links.indexOf(target)
    if (index < 0) return
    this.links[this.#active]?.setAttribute('tabindex', -1)
    this.#active = index
    target.setAttribute('tabindex', 0)
    this.#tell(index)
  }

  #key(event) {
    if (event.key === 'Escape') this.tip.hidden = true
    const last = this.links.length - 1
    const goals = {
      ArrowUp: this.#active - 1, ArrowLeft: this.#active - 1, ArrowDown: this.#active + 1,
      ArrowRight: this.#active + 1, Home: 0, End: last,
    }
    const goal = goals[event.key]
    if (goal === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    this.links[Math.max(0, Math.min(goal, last))].focus()
  }

  /** Shows the name and the value of a mark beside its shape, unless they are there already. */
  #tell(index) {
    const {name, text} = this.#plot.marks[index]
    const link = this.links[index]
    this.tip.hidden = link.querySelector('text')?.textContent === name
    if (this.tip.hidden) return
    fill(this.tip, h('b', {}, text), h('span', {dir: 'auto'}, name))
    const own = this.getBoundingClientRect()
    const shape = (link.querySelector('.shape') ?? link).getBoundingClientRect()
    const {offsetWidth, offsetHeight} = this.tip
    const isBar = this.#plot.kind === 'bar'
    const left = shape.left - own.left + (isBar ? 8 : (shape.width - offsetWidth) / 2)
    const above = shape.top - own.top - offsetHeight - 6
    this.tip.style.left = `${Math.max(0, Math.min(left, own.width - offsetWidth))}px`
    this.tip.style.top = `${Math.max(0, above)}px`
  }
}

customElements.define('stele-plot', Plot)
