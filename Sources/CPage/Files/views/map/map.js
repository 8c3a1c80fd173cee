// The objects of an entity that has coordinates, on a map.

import {h, fill} from '../../parts/dom.js'
import '../../parts/predicate-bar.js'
import {codeButton} from '../../parts/code-dialog.js'
import {entityTabs} from '../../parts/entity-tabs.js'
import {Address} from '../../address.js'
import {both} from '../../conditions.js'
import {Request} from '../../service.js'
import {session} from '../../session.js'
import {distance} from './camera.js'
import {Places, within} from './places.js'
import {lengthText} from './plane.js'
import {amount} from '../chart/scale.js'

/** The number of places in the list. */
const listed = 12

/** `<stele-map>`: the view of `#/map/City?where=…&size=population&at=47.4,8.5,9`. */
class MapView extends HTMLElement {
  #address = null
  #places = null
  /** The places that are being opened. */
  #next = null

  /** Shows an address of the same entity. */
  async show(address) {
    const before = this.#address
    this.#address = address
    this.entity = session.model.entity(address.path[1])
    if (!this.entity.coordinates) return this.#refuse()
    if (!before) this.#build()
    this.bar.show(this.entity, address)
    fill(this.names, entityTabs(this.entity, address))
    this.size.value = address.get('size')
    const isMoved = address.get('at') && this.plane.camera.read(address.get('at'))
    const list = ['where', 'size', 'subentities']
    if (!before || list.some(name => before.get(name) !== address.get(name))) {
      await this.#read(isMoved)
    } else if (isMoved) this.plane.moved()
    else this.#fit()
  }

  disconnectedCallback() {
    this.#next?.close()
    this.#places?.close()
  }

  #refuse() {
    fill(this, h('div', {class: 'tabs'}, entityTabs(this.entity, this.#address)),
      h('p', {class: 'empty'}, `${this.entity.name} has no attributes latitude and longitude.`))
  }

  #build() {
    this.names = h('div', {class: 'names'})
    this.bar = h('stele-predicate-bar')
    this.size = this.#sizes()
    this.code = codeButton(() =>
      new Request('GET', this.entity.path, {query: this.#places.list}))
    this.code.hidden = true
    this.plane = h('stele-map-plane', {
      'aria-label': `Map of ${this.entity.name}`, 'aria-describedby': 'map-keys',
      onrest: () => this.#rested(), onopen: event => this.#open(event.detail.row),
    })
    this.plane.describe = row => this.#describe(row)
    this.list = h('ol')
    this.footer = h('div', {class: 'footer', role: 'status'})
    fill(this, h('div', {class: 'tabs'}, this.names, this.#tools()), this.bar,
      h('div', {class: 'world'}, this.plane,
        h('aside', {'aria-labelledby': 'map-nearest'},
          h('h2', {id: 'map-nearest'}, 'Nearest to the middle'), this.list,
          h('p', {id: 'map-keys', class: 'hint'}, 'On the map the arrow keys move, + and - zoom, '
            + 'and Enter opens the object nearest to the middle.'))),
      this.footer)
  }

  #tools() {
    const zoom = levels => {
      this.plane.camera.zoomBy(levels)
      this.plane.moved()
    }
    return h('div', {class: 'tools'},
      h('label', {}, h('span', {}, 'Size by'), this.size),
      h('button', {'aria-label': 'Zoom in', onclick: () => zoom(1)}, '+'),
      h('button', {'aria-label': 'Zoom out', onclick: () => zoom(-1)}, '−'),
      h('button', {onclick: () => this.#fit()}, 'All'),
      this.code)
  }

  /** The field for the attribute that the dots are sized by. */
  #sizes() {
    const places = Object.values(this.entity.coordinates)
    const numbers = this.entity.attributes
      .filter(it => it.isNumber && it.isSortable && !places.includes(it.name)).map(it => it.name)
    return h('select', {onchange: event => {
      location.hash = this.#address.with({size: event.target.value}).toString()
    }}, h('option', {value: ''}, 'nothing'), numbers.map(it => h('option', {value: it}, it)))
  }

  /** Reads the places of the address. @param isPlaced whether the address says what is shown */
  async #read(isPlaced) {
    const address = this.#address
    const places = new Places(this.entity, this.size.value, {
      where: address.get('where'), subentities: address.get('subentities'),
    })
    this.#next?.close()
    this.#next = places
    try {
      this.bounds = await places.open()
      this.bar.clear()
    } catch (error) {
      if (!this.bar.refuse(error)) throw error
      return
    }
    this.#places?.close()
    this.#places = places
    places.addEventListener('change', () => this.#say())
    this.plane.places = places
    if (isPlaced) this.plane.moved()
    else this.#fit()
    await this.#rested()
  }

  /** Shows all places. */
  #fit() {
    if (this.bounds) this.plane.camera.fit(this.bounds)
    this.plane.moved()
  }

  /** Keeps what is shown in the address, and reads its places. */
  async #rested() {
    const places = this.#places
    // An address that is not shown yet is not overwritten.
    const isShown = Address.of(location.hash).toString() === this.#address.toString()
    if (!places || !isShown) return
    this.#address = this.#address.with({at: this.plane.camera.toString()})
    this.bar.address = this.#address
    history.replaceState(null, '', this.#address.toString())
    const reading = places.need(this.plane.camera)
    this.#say()
    await reading
    this.#say()
  }

  #describe(row) {
    const {latitude, longitude} = this.entity.coordinates
    const {title, amount: name} = this.#places
    const lines = [row[title] || `${this.entity.name} ${row._id}`]
    if (name) lines.push(`${name}: ${amount(row[name])}`)
    return [...lines, `${Number(row[latitude]).toFixed(4)}, ${Number(row[longitude]).toFixed(4)}`]
  }

  #addressOf(parameters) {
    const {where, subentities} = this.#places.query
    return new Address(['rows', this.entity.name], {where, subentities, ...parameters}).toString()
  }

  #open(row) { location.hash = this.#addressOf({open: row._id}) }

  /** Says what is shown, and lists the places next to the middle. */
  #say() {
    const {camera} = this.plane
    const {latitude, longitude} = this.entity.coordinates
    const near = this.plane.nearest(camera.width / 2, camera.height / 2, listed).map(index => {
      const row = this.#places.rows[index]
      const place = {latitude: Number(row[latitude]), longitude: Number(row[longitude])}
      return {row, away: distance(camera.middle, place)}
    })
    near.sort((a, b) => a.away - b.away)
    fill(this.list, near.map(({row, away}) => {
      const [name, ...lines] = this.#describe(row)
      return h('li', {}, h('a', {href: this.#addressOf({open: row._id}), dir: 'auto'}, name),
        h('span', {class: 'hint'}, [lengthText(away), ...lines.slice(0, -1)].join(', ')))
    }))
    const where = both(this.#places.query.where, within(this.entity.coordinates, camera.bounds()))
    this.code.hidden = false
    fill(this.footer, h('span', {}, this.#summary()),
      h('a', {href: this.#addressOf({where})}, 'The objects in view'))
  }

  #summary() {
    const {count, placed, found, rows, isPart, isLocal, isReading, every} = this.#places
    const without = count - (isLocal ? placed : found)
    const missing = without ? ` ${amount(without)} without coordinates.` : ''
    if (isReading) return `Reading ${amount(rows.length)} of ${amount(found)} objects …`
    const of = isLocal ? ` of ${amount(placed)}` : ''
    if (!isPart) return `${amount(rows.length)}${of} objects${of && ' around here'}.${missing}`
    const which = every > 1 ? `one of ${every}` : 'the largest'
    return `${amount(rows.length)} of ${amount(found)} objects around here, ${which}. `
      + `The others are shown from closer by.${missing}`
  }
}

customElements.define('stele-map', MapView)
