// The dialog of a new object for a token that has no editing contexts: the object is saved at once,
// so its values come first.

import {h, fill} from '../../parts/dom.js'
import {showDialog} from '../../parts/dialog.js'
import {field} from '../../parts/field.js'
import {objectPicker} from './object-picker.js'
import {canRead} from '../../columns.js'
import {editing} from '../../editing.js'
import {Problem} from '../../service.js'

let made = 0

/** Asks for the values of an object, and creates it. @returns the object; null for none */
export async function newObject(entity) {
  const fields = entity.properties.filter(isAsked).map(it => new NewValue(it))
  const error = h('p', {class: 'error-text', role: 'alert'})
  const content = h('div', {class: 'fields'}, fields.map(it => it.element), error)
  const actions = [['Cancel', false], ['Create', true, 'main']]
  while (await showDialog(`New ${entity.name}`, content, actions)) {
    fill(error)
    fields.forEach(it => it.refuse(''))
    try {
      return await editing.create(entity, bodyOf(fields))
    } catch (problem) {
      if (!(problem instanceof Problem) && problem.name !== 'Error') throw problem
      const errors = problem.errors ?? []
      const fieldOf = it => fields.find(field => field.property.name === it.key)
      for (const it of errors) fieldOf(it)?.refuse(it.message)
      if (!errors.length || !errors.every(fieldOf)) fill(error, problem.message)
    }
  }
  return null
}

/** Attributes that are written as text, and to-one relationships. */
function isAsked(property) {
  if (property.isReadOnly) return false
  return property.kind === 'attribute' ? property.type !== 'Binary'
    : property.kind === 'relationship' && !property.isToMany && canRead(property)
}

/** What was given; the model's defaults stand for the rest. @throws {Error} for a wrong value */
function bodyOf(fields) {
  const body = {}
  for (const it of fields) {
    const value = it.read()
    if (value !== null) body[it.property.name] = value
  }
  return body
}

/** The field of a to-one relationship, as `field` makes those of attributes. */
function link(property, id) {
  let chosen = null
  const element = objectPicker(property.destination, {
    id, isOptional: property.isOptional, choose: object => { chosen = object },
  })
  const input = element.querySelector('input')
  return {element, control: input, read: () => {
    if (!input.value.trim()) return null
    if (input.value === chosen?.title) return chosen._id
    throw new Error(`${property.name} is not an object of the list: ${JSON.stringify(input.value)}`)
  }}
}

/** The field of a property. */
class NewValue {
  constructor(property) {
    this.property = property
    const id = `new${++made}`
    const {element, control, read} = property.kind === 'attribute' ? field(property, null, {id})
      : link(property, id)
    this.read = read
    this.error = h('p', {class: 'error-text', id: `${id}-error`, role: 'alert'})
    control.setAttribute('aria-describedby', this.error.id)
    const standard = property.declared.default
    this.element = h('div', {class: 'field'}, h('label', {for: id}, property.name),
      h('span', {class: 'hint'}, standard !== undefined && standard !== null
        ? `${JSON.stringify(standard)} if empty` : !property.isOptional && 'required'),
      element, this.error)
  }

  /** Shows what is wrong with the value. */
  refuse(message) { fill(this.error, message) }
}
