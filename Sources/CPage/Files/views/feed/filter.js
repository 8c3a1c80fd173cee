// What the feed is narrowed to: entities, and keys that were updated.

import {h, fill} from '../../parts/dom.js'
import {icon} from '../../parts/icon.js'
import {session} from '../../session.js'

/** `<stele-feed-filter>`: it changes `entity` and `updated` of the address. */
class FeedFilter extends HTMLElement {
  #address = null

  /** Shows the filter of an address. */
  show(address) {
    this.#address = address
    if (!this.entities) this.#build()
    const entities = listed(address, 'entity')
    this.entities.show(session.readable.map(it => it.name), entities)
    this.keys.show(keys(entities), listed(address, 'updated'))
    this.hidden = Boolean(address.get('object'))
  }

  #build() {
    this.entities = new Choices('Entities', 'All entities', names => this.#go({
      entity: names.join(','), where: names.length ? this.#address.get('where') : '',
    }))
    this.keys = new Choices('Updated keys', 'Any change', names =>
      this.#go({updated: names.join(',')}))
    fill(this, this.entities.elements, this.keys.elements)
  }

  #go(parameters) {
    location.hash = this.#address.with({...parameters, open: ''}).toString()
  }
}

/** A button with a list of names, of which several can be chosen. */
class Choices {
  #names = ''

  constructor(title, none, choose) {
    this.title = title
    this.none = none
    this.choose = choose
    this.list = h('div', {
      popover: 'auto', class: 'popover', role: 'group', 'aria-label': title,
      onbeforetoggle: event => { if (event.newState === 'open') this.#place() },
    })
    this.button = h('button', {popoverTargetElement: this.list})
    this.elements = [this.button, this.list]
  }

  /** Shows names with those that are chosen. Chosen names are shown even if they are no others. */
  show(names, chosen) {
    const all = [...new Set([...names, ...chosen])].sort((a, b) => a.localeCompare(b))
    if (all.join() !== this.#names) {
      this.#names = all.join()
      fill(this.list, all.map(name => h('label', {},
        h('input', {type: 'checkbox', value: name, onchange: () => this.#changed()}),
        h('bdi', {}, name))))
    }
    for (const box of this.#boxes) box.checked = chosen.includes(box.value)
    fill(this.button, h('span', {class: 'hint'}, `${this.title}: `),
      chosen.length ? chosen.join(', ') : this.none, icon('down'))
    this.button.hidden = !all.length
  }

  get #boxes() { return [...this.list.querySelectorAll('input')] }

  #changed() { this.choose(this.#boxes.filter(box => box.checked).map(box => box.value)) }

  #place() {
    const {left, bottom} = this.button.getBoundingClientRect()
    this.list.style.left = `${Math.max(8, Math.min(left, innerWidth - 260))}px`
    this.list.style.top = `${bottom + 4}px`
  }
}

/** The names in a parameter. */
function listed(address, name) {
  return address.get(name).split(',').map(it => it.trim()).filter(Boolean)
}

/** The keys of entities that an update can name. */
function keys(entities) {
  const properties = entities.flatMap(name => session.model.entity(name)?.properties ?? [])
  return properties.filter(it => it.kind !== 'fetchedProperty' && !it.declared.transient)
    .map(it => it.name)
}

customElements.define('stele-feed-filter', FeedFilter)
