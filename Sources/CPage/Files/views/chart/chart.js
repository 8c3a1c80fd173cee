// The objects of an entity as a chart.

import {h, fill} from '../../parts/dom.js'
import '../../parts/predicate-bar.js'
import {codeButton} from '../../parts/code-dialog.js'
import {entityTabs} from '../../parts/entity-tabs.js'
import {Address} from '../../address.js'
import {both} from '../../conditions.js'
import {session} from '../../session.js'
import {Choice} from './choice.js'
import {ChartData} from './data.js'
import './form.js'
import './plot.js'

/** `<stele-chart>`: the view of `#/chart/Player?show=sum(goals)&by=team&kind=bar&where=…`. */
class ChartView extends HTMLElement {
  #address = null
  /** The numbers or dates of the key path that the last chart was by. */
  #range = {}
  #abort = new AbortController()

  /** Shows an address of the same entity. */
  async show(address) {
    const isFirst = !this.#address
    this.#address = address
    this.entity = session.model.entity(address.path[1])
    if (isFirst) this.#build()
    this.bar.show(this.entity, address)
    fill(this.tabs, entityTabs(this.entity, address))
    await this.#read()
  }

  disconnectedCallback() { this.#abort.abort() }

  #build() {
    this.tabs = h('div', {class: 'tabs'})
    this.bar = h('stele-predicate-bar')
    this.form = h('stele-chart-form', {onchoose: event => this.#choose(event.detail)})
    this.heading = h('h2')
    this.plot = h('stele-plot')
    this.table = h('div', {class: 'values'})
    this.code = codeButton(() => this.request)
    this.figure = h('section', {hidden: true},
      h('div', {class: 'heading'}, this.heading, this.code), this.plot,
      h('details', {}, h('summary', {}, 'The values as a table'), this.table))
    this.footer = h('div', {class: 'footer', role: 'status'})
    fill(this, this.tabs, this.bar, h('div', {class: 'scrolled'}, this.form, this.figure),
      this.footer)
  }

  #choose(parameters) { location.hash = this.#address.with(parameters).toString() }

  /** Reads the groups of the address. */
  async #read() {
    this.#abort.abort()
    this.#abort = new AbortController()
    const {signal} = this.#abort
    const choice = new Choice(this.entity, this.#address)
    const query = {
      where: this.#address.get('where'), subentities: this.#address.get('subentities'),
    }
    const reader = new ChartData(this.entity, choice, query)
    this.form.show(choice, this.#range[choice.by])
    this.figure.setAttribute('aria-busy', 'true')
    if (this.figure.hidden) fill(this.footer, 'Reading …')
    try {
      const data = await reader.read(signal)
      this.request = reader.request
      this.bar.clear()
      this.#showRange(choice, reader)
      this.#draw(choice, data)
    } catch (error) {
      if (signal.aborted) return
      fill(this.footer)
      this.#showRange(choice, reader)
      if (!this.#refuse(error)) throw error
    } finally {
      if (!signal.aborted) this.figure.removeAttribute('aria-busy')
    }
  }

  #showRange(choice, {range}) {
    this.#range = {[choice.by]: range}
    this.form.show(choice, range)
  }

  /** Shows an error at the field that it is about. @returns whether it is about one */
  #refuse(error) {
    const isOfChoice = error instanceof RangeError || /^(select|groupBy): /.test(error.detail)
    if (isOfChoice) this.form.refuse(error)
    return isOfChoice || this.bar.refuse(error)
  }

  #draw(choice, {marks, notes, levels, tick}) {
    const name = `${choice.valueTitle} by ${choice.by}`
    for (const mark of marks) mark.href = this.#objects(mark.where)
    this.heading.textContent = name
    this.figure.hidden = false
    this.code.hidden = !this.request
    this.plot.hidden = !marks.length
    this.plot.show({
      kind: choice.kind, name, marks, valueTitle: choice.valueTitle,
      title: choice.property?.isDate ? `${choice.by} (UTC)` : choice.by,
      hasZero: choice.isAdditive || choice.kind !== 'line', levels, tick,
    })
    fill(this.table, this.#tableOf(choice, marks))
    fill(this.footer, notes.map(note => h('span', {}, note)))
  }

  /** The address of the objects of a group. */
  #objects(condition) {
    return new Address(['rows', this.entity.name], {
      where: both(this.#address.get('where'), condition),
      subentities: this.#address.get('subentities'),
    }).toString()
  }

  #tableOf(choice, marks) {
    return h('table', {},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, choice.by),
        h('th', {scope: 'col', class: 'number'}, choice.valueTitle))),
      h('tbody', {}, marks.map(mark => h('tr', {},
        h('th', {scope: 'row'},
          h('a', {href: mark.href, dir: 'auto', class: mark.class}, mark.name)),
        h('td', {class: 'number'}, mark.text)))))
  }
}

customElements.define('stele-chart', ChartView)
