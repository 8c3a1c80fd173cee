// One object beside the table: all its properties, to read and to change.

import {h, fill} from '../../parts/dom.js'
import {download} from '../../parts/download.js'
import {field} from '../../parts/field.js'
import {icon} from '../../parts/icon.js'
import {notice} from '../../parts/notice.js'
import {objectPicker} from './object-picker.js'
import {canRead, membersAddress, nameOf, namePaths, objectAddress} from '../../columns.js'
import {editing, isAbout} from '../../editing.js'
import {Problem, Request, service} from '../../service.js'
import {session} from '../../session.js'
import {bytes, grouped} from '../../values.js'

/** The number of members of a to-many relationship that are shown. */
const shownMembers = 12
let made = 0

/**
 * `<stele-object-panel>`: an object by its entity and id. It sends `close`.
 */
class ObjectPanel extends HTMLElement {
  #id = null
  #entity = null
  #object = null
  /** The generation of the editing context in which the object was read. */
  #generation = 0
  /** The problems of the last save or change, by key. */
  #problems = new Map()
  /** The elements of the properties, by name. */
  #fields = new Map()
  /** Whether what is shown may be another one than that of the context. */
  #isStale = false
  /** Whether the first field gets the focus when the object is there. */
  #beginsEditing = false

  constructor() {
    super()
    // The next element has the focus after the event.
    this.addEventListener('focusout', () => setTimeout(() => this.#catchUp()))
  }

  /** Shows an object. @param entity that of the list; the object may be of a subentity */
  async show(entity, id) {
    const isOther = id !== this.#id || entity.root !== this.#entity?.root
    this.#id = id
    this.#problems.clear()
    if (isOther) {
      // What is shown is of another object, and must not be changed in the name of this one.
      this.#entity = null
      this.#fields.clear()
      fill(this, this.#head(`${entity.name} ${id}`))
    }
    await this.#read(entity)
  }

  /** Gives the first field the focus when the next object is there. */
  beginEditing() { this.#beginsEditing = true }

  /** Reads the shown object again. A field that is being edited stays as it is. */
  async refresh() {
    if (this.#entity) await this.#read(this.#entity)
  }

  /** Reads the object again that has changed while a field had the focus. */
  async #catchUp() {
    if (this.#isStale && !this.#isInUse && !this.querySelector('[aria-invalid]')) {
      await this.refresh()
    }
  }

  /** Shows the problems of the entries of a refused save at their fields. */
  refuse(errors) {
    this.#problems = new Map(errors.map(it => [it.key, it.message]))
    // An object that is still read is drawn with them when it is there.
    if (this.#entity) this.#draw()
  }

  /** Whether a field may hold what is not sent yet. */
  get #isInUse() { return this.#entity !== null && this.contains(document.activeElement) }

  /** Reads the object and shows it, or what the service has against it. */
  async #read(entity) {
    const id = this.#id
    const {generation} = editing
    let object
    try {
      object = await service.get(editing.path(entity.pathOf(id)), {numbers: 'string'})
    } catch (error) {
      this.#beginsEditing = false
      if (!isOfPlace(error)) throw error
      if (id !== this.#id || this.#isInUse) return
      this.#entity = null
      const place = h('p', {class: 'empty'}, error.message)
      return fill(this, this.#head(`${entity.name} ${id}`), place)
    }
    if (id !== this.#id) return
    this.#isStale = this.#isInUse
    if (this.#isStale) {
      // A save of the same values: the next change is made to its version.
      if (generation === this.#generation && isSame(object, this.#object)) this.#object = object
      return
    }
    this.#generation = generation
    this.#object = object
    this.#entity = session.model.entity(object._entity)
    this.#draw()
  }

  #draw() {
    const entity = this.#entity
    const object = this.#object
    const title = entity.title && object[entity.title.name]
    const isNew = typeof object._id !== 'number'
    const properties = entity.properties.filter(it => !it.declared.transient)
    const {scrollTop} = this
    fill(this,
      this.#head(title || (isNew ? `New ${entity.name}` : `${entity.name} ${object._id}`)),
      h('p', {class: 'hint'}, isNew ? `${entity.name}, not saved yet` : [
        `${entity.name} ${object._id}, version ${object._version} · `,
        h('a', {href: `#/feed?object=${encodeURIComponent(`${entity.name}/${object._id}`)}`},
          'History')]),
      h('div', {class: 'fields'}, properties.map(it => this.#property(it))))
    this.scrollTop = scrollTop
    const first = this.#beginsEditing && '.field :is(input, select, textarea):enabled'
    this.#beginsEditing = false
    if (first) this.querySelector(first)?.focus()
  }

  #head(title) {
    const removable = this.#entity && session.may('delete', this.#entity)
    return h('div', {class: 'panel-head'},
      h('h2', {dir: 'auto'}, title), h('span', {class: 'space'}),
      removable && h('button', {class: 'plain', 'aria-label': 'Delete the object',
        title: 'Delete the object', onclick: () => this.#remove()}, icon('trash')),
      h('button', {class: 'plain', 'aria-label': 'Close the object', title: 'Close',
        onclick: () => this.dispatchEvent(new Event('close'))}, icon('close')))
  }

  #property(property) {
    const id = `field${++made}`
    const value = this.#object[property.name]
    const label = h('label', {for: id}, property.name)
    const details = h('span', {class: 'hint'}, kind(property))
    let content
    if (property.kind === 'fetchedProperty') content = this.#fetched(property)
    else if (property.kind === 'relationship') {
      if (!canRead(property)) return null
      content = property.isToMany ? this.#members(property, id) : this.#destination(property, id)
    } else if (property.type === 'Binary') content = this.#binary(property, value, id)
    else content = this.#attribute(property, value, id)
    const problem = this.#problems.get(property.name)
    const element = h('div', {class: 'field'}, label, details, content,
      h('p', {class: 'error-text', id: `${id}-error`, role: 'alert'}, problem))
    this.#fields.set(property.name, element)
    return element
  }

  get #isEditable() { return session.may('update', this.#entity) }

  #attribute(property, value, id) {
    const {element, control, read} = field(property, value, {id, isLong: true})
    if (!this.#isEditable) control.disabled = true
    control.setAttribute('aria-describedby', `${id}-error`)
    control.addEventListener('change', () => this.#change(property, control, read))
    return element
  }

  /** Sends the value of a field. What is wrong with it is said below it. */
  async #change(property, control, read) {
    const error = document.getElementById(`${control.id}-error`)
    fill(error)
    control.removeAttribute('aria-invalid')
    try {
      await this.#write({[property.name]: read()})
      await this.#validate(property, control, error)
    } catch (problem) {
      control.setAttribute('aria-invalid', 'true')
      fill(error, messageOf(problem, property))
      if (!(problem instanceof Problem) && problem.name !== 'Error') throw problem
    }
  }

  /** Changes the object. Another one may be shown when the service has answered. */
  async #write(body) {
    const [entity, id] = [this.#entity, this.#id]
    editing.check(id, this.#generation)
    const object = await editing.change(entity, id, body, this.#object._version)
    if (this.#entity === entity && this.#id === id) this.#object = object
  }

  /** Says what the model has against a value before it is saved. */
  async #validate(property, control, error) {
    const [entity, id] = [this.#entity, this.#id]
    const problem = await editing.validate()
    const mine = problem?.errors?.find(it =>
      it.key?.split('.')[0] === property.name && isAbout(it, entity, id))
    if (!mine) return
    control.setAttribute('aria-invalid', 'true')
    fill(error, mine.message)
  }

  /** The object as errors name it. */
  get #address() { return `${this.#entity.name}/${this.#id}` }

  #destination(property, id) {
    const to = this.#object[property.name]
    const destination = property.destination
    const title = h('span', {class: 'now', dir: 'auto'})
    if (to !== null && to !== undefined) sayIn(title, this.#nameInto(title, destination, to))
    if (!this.#isEditable || property.isReadOnly) return h('div', {}, title)
    return h('div', {class: 'to-one'}, title, objectPicker(destination, {
      id, isOptional: property.isOptional,
      choose: object => this.#link(property, object ? object._id : null),
    }))
  }

  async #nameInto(place, entity, id) {
    const object = await service.get(editing.path(entity.pathOf(id)), {select: selectName(entity)})
    fill(place, h('a', {href: objectAddress(entity, id)}, nameOf(entity, id, object)))
  }

  /** Changes a relationship, and shows it as it is then. */
  async #link(property, value) {
    const id = this.#id
    await this.#write({[property.name]: value})
    const shown = this.#fields.get(property.name)
    if (this.#id === id && shown) shown.replaceWith(this.#property(property))
  }

  #members(property, id) {
    const place = h('div', {class: 'members'})
    // What is below stays where it is until the members are read.
    const shown = this.#fields.get(property.name)?.querySelector('.members')
    if (shown) place.append(...shown.childNodes)
    place.inert = true
    sayIn(place, this.#membersInto(place, property, id))
    return place
  }

  async #membersInto(place, property, id) {
    const destination = property.destination
    // Another object may be shown when the members are there.
    const editable = this.#isEditable && !property.isReadOnly
    const route = editing.path(`${this.#entity.pathOf(this.#id)}/${property.name}`)
    const [rows, {count}] = await Promise.all([
      service.get(route, {limit: shownMembers, select: selectName(destination)}),
      service.get(`${route}/count`),
    ])
    const write = async members => {
      // A second change would begin with members that are no longer the present ones.
      place.inert = true
      try {
        await this.#link(property, members)
      } catch (error) {
        place.inert = false
        throw error
      }
    }
    const remove = async (row, name) => {
      await write(rows.map(it => it._id).filter(it => it !== row._id))
      notice.done(`${name} is taken out of ${property.name}${editing.isDirect ? ''
        : ' with the next save'}. The object itself stays.`)
    }
    const member = row => {
      const name = nameOf(destination, row._id, row)
      return h('li', {},
        h('a', {href: objectAddress(destination, row._id), dir: 'auto'}, name),
        editable && count <= shownMembers && h('button', {class: 'plain',
          'aria-label': `Remove ${name} from ${property.name}`,
          title: `Take out of ${property.name}`, onclick: () => remove(row, name)}, '×'))
    }
    place.inert = false
    fill(place, h('ul', {class: 'chips'}, rows.map(member)),
      destination.property(property.inverse) && h('a', {href: membersAddress(property, this.#id)},
        count > rows.length ? `All ${grouped(count)}` : 'As a table'),
      editable && count <= shownMembers && objectPicker(destination, {
        id, isOptional: false,
        choose: object => object && write([...rows.map(it => it._id), object._id]),
      }))
  }

  #fetched(property) {
    const list = h('ul', {class: 'chips'})
    const name = this.#entity.pathOf(this.#id)
    const route = editing.path(`${name}/${property.name}`)
    sayIn(list, service.get(route, {limit: shownMembers}).then(rows => {
      fill(list, rows.map(row => {
        const entity = session.model.entity(row._entity)
        return h('li', {}, entity ? h('a', {href: objectAddress(entity, row._id), dir: 'auto'},
          nameOf(entity, row._id, row)) : JSON.stringify(row))
      }))
    }))
    return list
  }

  #binary(property, value, id) {
    const size = value === null ? 'no value' : typeof value === 'object' ? bytes(value.bytes)
      : bytes(Math.floor(value.length * 3 / 4))
    const route = `${this.#entity.pathOf(this.#id)}/${property.name}`
    return h('div', {class: 'binary'}, h('span', {id}, size),
      value !== null && h('button', {onclick: () => this.#download(route, property)}, 'Download'))
  }

  async #download(route, property) {
    const request = new Request('GET', editing.path(route), {headers: {Accept: '*/*'}})
    const blob = await (await service.fetch(request)).blob()
    download(blob, `${this.#entity.name}-${this.#id}-${property.name}`)
  }

  async #remove() {
    if (editing.isDirect && !confirm(`Delete ${this.#address}?`)) return
    editing.check(this.#id, this.#generation)
    await editing.remove(this.#entity, this.#id)
    notice.done(`${this.#address} is deleted${editing.isDirect ? '' : ' when it is saved'}.`)
    this.dispatchEvent(new Event('close'))
  }
}

/** Whether an error is said where it arose. The page makes a context that is gone again. */
function isOfPlace(error) { return error instanceof Problem && !error.isContextGone }

/** Waits for what fills a place. What the service has against it is said there. */
async function sayIn(place, reading) {
  try {
    await reading
  } catch (error) {
    if (!isOfPlace(error)) throw error
    place.inert = false
    fill(place, h(place.localName === 'ul' ? 'li' : 'span', {class: 'error-text'}, error.message))
  }
}

/** Whether two readings of an object have the same values. */
function isSame(object, other) {
  return JSON.stringify({...object, _version: 0}) === JSON.stringify({...other, _version: 0})
}

/** The `select` that gives the name of an object. */
function selectName(entity) { return ['_id', ...namePaths(entity)].join(',') }

/** The type of a property in words. */
function kind(property) {
  if (property.kind === 'attribute') {
    return property.type + (property.isOptional ? '' : ', required')
      + (property.declared.derivation ? ', derived' : '')
  }
  if (property.kind === 'fetchedProperty') return 'fetched property'
  return `${property.isToMany ? 'to many' : 'to one'} ${property.destination?.name}`
}

/** The message of a problem for a property: that of its own entry, where there is one. */
function messageOf(problem, property) {
  return problem.errors?.find(it => it.key === property.name)?.message ?? problem.message
}

customElements.define('stele-object-panel', ObjectPanel)
