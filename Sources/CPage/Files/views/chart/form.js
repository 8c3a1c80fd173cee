// The choices of a chart, as fields.

import {h, fill} from '../../parts/dom.js'
import {aggregates} from './choice.js'
import {unitNames, widths} from './classes.js'
import {amount} from './scale.js'

const kindNames = {bar: 'Bars', line: 'Line', histogram: 'Histogram'}

/**
 * `<stele-chart-form>`: what is shown, by what and how. It sends `choose` with the parameters of
 * the address that a choice changes.
 */
class ChartForm extends HTMLElement {
  constructor() {
    super()
    this.fields = h('div', {class: 'fields'})
    this.error = h('p', {class: 'error', id: 'chart-error', role: 'alert'})
  }

  connectedCallback() { if (!this.firstChild) this.append(this.fields, this.error) }

  /**
   * Shows a choice.
   * @param range the numbers that there are, and the `unit` of their classes, where they are known
   */
  show(choice, range) {
    const focused = this.contains(document.activeElement) ? document.activeElement.name : ''
    fill(this.error)
    fill(this.fields, this.#value(choice), this.#by(choice), this.#kind(choice),
      choice.hasClasses && range && this.#classes(choice, range))
    if (focused) this.querySelector(`[name="${focused}"]`)?.focus()
  }

  /** Shows an error of the choice. */
  refuse({message, hint}) {
    fill(this.error, message.replace(/^(select|groupBy): /, ''), hint && ` – ${hint}`)
  }

  #value(choice) {
    const paths = choice.numbers.map(it => it.path)
    if (choice.of && !paths.includes(choice.of)) paths.push(choice.of)
    const known = choice.aggregate && !aggregates[choice.aggregate]
      ? {[choice.aggregate]: choice.aggregate} : {}
    const options = paths.length ? Object.entries({...aggregates, ...known}) : []
    return [
      this.#select('Show', 'show', [['', 'Number of objects'], ...options], choice.aggregate,
        name => ({show: name && `${name}(${choice.of || paths[0]})`})),
      choice.aggregate && this.#select('of', 'of', paths.map(it => [it, it]), choice.of,
        path => ({show: `${choice.aggregate}(${path})`})),
    ]
  }

  #by(choice) {
    const groups = new Map()
    for (const {path, before} of choice.paths) {
      const name = before.join('.')
      groups.set(name, [...(groups.get(name) ?? []), [path, path]])
    }
    const own = groups.get('')
    if (!choice.paths.some(it => it.path === choice.by)) own.push([choice.by, choice.by])
    groups.delete('')
    return this.#select('by', 'by', own, choice.by, by => ({by, kind: '', per: '', width: ''}),
      groups)
  }

  #kind({kind, kinds}) {
    if (kinds.length < 2) return null
    return this.#select('as', 'kind', kinds.map(it => [it, kindNames[it]]), kind,
      value => ({kind: value === kinds[0] ? '' : value}))
  }

  /** The unit of a date, or the width of the classes of a number. */
  #classes(choice, {unit, ...range}) {
    if (choice.property.isDate) {
      return this.#select('per', 'per', unitNames.map(it => [it, it]), unit, per => ({per}))
    }
    const options = widths(range).map(it => [String(it), amount(it)])
    if (range.low >= 0) options.push(['growing', '1, 2, 5, 10, 20 …'])
    if (!options.some(([value]) => value === unit)) options.push([unit, unit])
    return this.#select('in classes of', 'width', options, unit, width => ({width}))
  }

  /** A labelled field for one of some values, `[value, text]`, and those of groups. */
  #select(label, name, options, value, parameters, groups = new Map()) {
    const option = ([value, text]) => h('option', {value}, text)
    const select = h('select', {name, 'aria-describedby': this.error.id, onchange: () =>
      this.dispatchEvent(new CustomEvent('choose', {detail: parameters(select.value)}))},
    options.map(option), [...groups].map(([name, members]) =>
      h('optgroup', {label: name}, members.map(option))))
    select.value = value
    return h('label', {}, h('span', {}, label), select)
  }
}

customElements.define('stele-chart-form', ChartForm)
