// The unsaved changes, as people read them before they save.

import {h} from '../../parts/dom.js'
import {showDialog} from '../../parts/dialog.js'
import {nameOf, namePaths, objectAddress} from '../../columns.js'
import {literal} from '../../conditions.js'
import {editing} from '../../editing.js'
import {service} from '../../service.js'
import {session} from '../../session.js'
import {text} from '../../values.js'

/** The objects of a kind that are shown, and the members of a change of a to-many relationship. */
const mostObjects = 200
const mostMembers = 8

/** Shows what is unsaved: which objects, and the values before and after. */
export async function review() {
  const {inserted, updated, deleted} = editing.changes
  const shown = [inserted, updated, deleted].map(it => it.slice(0, mostObjects))
  const names = new Names()
  shown.flat().forEach(it => names.want(session.model.entity(it._entity), it._id))
  shown[1].forEach(it => linked(it).forEach(([entity, id]) => names.want(entity, id)))
  await names.read()
  const list = (title, objects, all, show) => all.length > 0 && [
    h('h3', {}, `${title} (${all.length.toLocaleString()})`),
    h('ul', {class: 'problems'}, objects.map(it => h('li', {}, show(it)))),
    objects.length < all.length
      && h('p', {class: 'hint'}, `${(all.length - objects.length).toLocaleString()} more`),
  ]
  await showDialog('Unsaved changes', h('div', {},
    list('New', shown[0], inserted, object => link(object, names)),
    list('Changed', shown[1], updated, object => [link(object, names), changes(object, names)]),
    list('Deleted', shown[2], deleted, object => title(object, names))),
  [['Close', true, 'main']])
}

function title({_entity, _id}, names) {
  const name = names.of(session.model.entity(_entity), _id)
  const id = `${_entity} ${_id}`
  return [h('bdi', {}, name), name !== id && h('span', {class: 'hint'}, ` ${id}`)]
}

function link(object, names) {
  return h('a', {
    href: objectAddress(session.model.entity(object._entity), object._id),
    onclick: event => event.target.closest('dialog').close(),
  }, title(object, names))
}

/** The values of an object before and after. */
function changes({_entity, changed, committed}, names) {
  const entity = session.model.entity(_entity)
  return h('ul', {}, Object.entries(changed).map(([key, value]) => {
    const property = entity.property(key)
    const before = committed[key]
    if (!property?.isToMany) {
      return h('li', {}, `${key}: `, h('del', {dir: 'auto'}, shown(before, property, names)), ' → ',
        h('ins', {dir: 'auto'}, shown(value, property, names)))
    }
    const [added, removed] = difference(before, value)
    const members = ids => ids.slice(0, mostMembers).map(id => names.of(property.destination, id))
      .join(', ') + (ids.length > mostMembers ? ` and ${ids.length - mostMembers} more` : '')
    return h('li', {}, `${key}: `,
      removed.length > 0 && h('del', {dir: 'auto'}, members(removed)),
      removed.length > 0 && added.length > 0 && ' → ',
      added.length > 0 && h('ins', {dir: 'auto'}, members(added)),
      !added.length && !removed.length && 'another order')
  }))
}

/** The members that are only in the second list, and those only in the first. */
function difference(before, after) {
  const [old, present] = [new Set(before), new Set(after)]
  return [(after ?? []).filter(it => !old.has(it)), (before ?? []).filter(it => !present.has(it))]
}

/** The objects that the changed relationships of an object lead to: pairs of entity and id. */
function linked({_entity, changed, committed}) {
  return Object.keys(changed).flatMap(key => {
    const property = session.model.entity(_entity).property(key)
    if (property?.kind !== 'relationship') return []
    const ids = property.isToMany
      ? difference(committed[key], changed[key]).flatMap(it => it.slice(0, mostMembers))
      : [committed[key], changed[key]]
    return ids.filter(it => it !== null && it !== undefined).map(id => [property.destination, id])
  })
}

/** A value, cut to a line. */
function shown(value, property, names) {
  if (value === null || value === undefined) return 'no value'
  if (property?.kind === 'relationship') return names.of(property.destination, value)
  const whole = text(value, property?.type) || '""'
  return whole.length > 120 ? `${whole.slice(0, 120)}…` : whole
}

/** The names of objects, read with one request for each entity. */
class Names {
  #wanted = new Map()
  #found = new Map()

  want(entity, id) {
    if (typeof id !== 'number') return
    if (!this.#wanted.has(entity)) this.#wanted.set(entity, new Set())
    this.#wanted.get(entity).add(id)
  }

  async read() {
    const read = async ([entity, ids]) => {
      const list = [...ids].map(it => literal(it)).join(', ')
      // A deleted object is in the store alone.
      const {data} = await service.list(entity.path, {
        where: `_id IN {${list}}`, select: ['_id', ...namePaths(entity)].join(','),
        limit: ids.size,
      })
      for (const row of data) this.#found.set(key(entity, row._id), nameOf(entity, row._id, row))
    }
    await Promise.all([...this.#wanted].map(read))
    for (const object of editing.changes.inserted) {
      const entity = session.model.entity(object._entity)
      const name = entity.title && object[entity.title.name]
      if (name) this.#found.set(key(entity, object._id), name)
    }
  }

  of(entity, id) { return this.#found.get(key(entity, id)) ?? `${entity.name} ${id}` }
}

function key(entity, id) { return `${entity.root.name} ${id}` }
