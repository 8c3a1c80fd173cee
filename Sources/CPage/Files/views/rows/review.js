// The unsaved changes, as people read them before they save.

import {h} from '../../parts/dom.js'
import {showDialog} from '../../parts/dialog.js'
import {nameOf, namePaths, objectAddress} from '../../columns.js'
import {literal} from '../../conditions.js'
import {editing} from '../../editing.js'
import {service} from '../../service.js'
import {session} from '../../session.js'
import {grouped, text} from '../../values.js'

/** The objects of a kind that are shown, and the members of a change of a to-many relationship. */
const mostObjects = 200
const mostMembers = 8

/** Shows what is unsaved: which objects, and the values before and after. */
export async function review() {
  const {inserted, updated, deleted} = editing.changes
  const shown = [inserted, updated, deleted].map(it => it.slice(0, mostObjects))
  const names = new Names()
  const list = (title, objects, all, show) => all.length > 0 && [
    h('h3', {}, `${title} (${grouped(all.length)})`),
    h('ul', {class: 'problems'}, objects.map(it => h('li', {}, show(it)))),
    objects.length < all.length
      && h('p', {class: 'hint'}, `${grouped(all.length - objects.length)} more`),
  ]
  const content = h('div', {},
    list('New', shown[0], inserted, object => link(object, names)),
    list('Changed', shown[1], updated, object => [link(object, names), changes(object, names)]),
    list('Deleted', shown[2], deleted, object => title(object, names)))
  const closed = showDialog('Unsaved changes', content, [['Close', true, 'main']])
  names.read()
  await closed
  names.close()
}

function title({_entity, _id}, names) {
  return [names.of(session.model.entity(_entity), _id, ''),
    h('span', {class: 'hint'}, ` ${_entity} ${_id}`)]
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
      return h('li', {}, `${key}: `,
        h('del', {dir: 'auto'}, shown(before, property, names)), ' → ',
        h('ins', {dir: 'auto'}, shown(value, property, names)))
    }
    const [added, removed] = difference(before, value)
    const members = ids => [
      ids.slice(0, mostMembers).map((id, index) =>
        [index > 0 && ', ', names.of(property.destination, id)]),
      ids.length > mostMembers && ` and ${ids.length - mostMembers} more`,
    ]
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

/** A value, cut to a line. */
function shown(value, property, names) {
  if (value === null || value === undefined) return 'no value'
  if (property?.kind === 'relationship') return names.of(property.destination, value)
  const whole = text(value, property?.type) || '""'
  return whole.length > 120 ? `${whole.slice(0, 120)}…` : whole
}

/** The names of objects: their ids at first, then what one request for an entity gives. */
class Names {
  #shown = new Map()
  #end = new AbortController()

  /** The element of a name. @param unread what it shows while the name is not read */
  of(entity, id, unread = `${entity.name} ${id}`) {
    const element = h('bdi', {}, unread)
    const unsaved = editing.changes.inserted.find(it => it._id === id)
    if (unsaved) element.textContent = nameOf(entity, id, unsaved)
    else {
      if (!this.#shown.has(entity)) this.#shown.set(entity, [])
      this.#shown.get(entity).push({id, element})
    }
    return element
  }

  /** Reads the names. Without an answer the ids stay. */
  read() {
    for (const [entity, shown] of this.#shown) this.#read(entity, shown).catch(() => {})
  }

  async #read(entity, shown) {
    const ids = [...new Set(shown.map(it => it.id))]
    // A deleted object is in the store alone.
    const {data} = await service.list(entity.path, {
      where: `_id IN {${ids.map(it => literal(it)).join(', ')}}`,
      select: ['_id', ...namePaths(entity)].join(','), limit: ids.length,
    }, this.#end.signal)
    const rows = new Map(data.map(it => [it._id, it]))
    for (const {id, element} of shown) {
      if (rows.has(id)) element.textContent = nameOf(entity, id, rows.get(id))
    }
  }

  /** Ends all requests. */
  close() { this.#end.abort() }
}
