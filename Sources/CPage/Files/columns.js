// The columns of a table of rows: which there are, what they select, and how they are shown.

import {literal} from './conditions.js'
import {keyPath} from './model.js'
import {h} from './parts/dom.js'
import {grouped, show} from './values.js'
import {session} from './session.js'

/** The number of columns that a table has of itself. */
const most = 40

const widths = {
  'Integer 16': 90, 'Integer 32': 100, 'Integer 64': 130, Decimal: 120, Double: 130, Float: 110,
  Boolean: 90, Date: 190, UUID: 290, Binary: 110, String: 220,
}

/** The width in pixels of a column whose values need that much, with room for its title. */
function widthFor(values, title) { return Math.max(values, Math.min(240, 30 + 8 * title.length)) }

/** The key paths of the columns of an address, or those that an entity has of itself. */
export function keyPaths(entity, address) {
  const given = listParts(address.get('columns'))
  if (given.length) return given
  const shown = entity.properties.filter(property => {
    if (property.kind === 'fetchedProperty') return false
    if (property.declared.transient) return false
    return property.kind !== 'relationship' || canRead(property)
  })
  // What an object is called comes first.
  const title = shown.find(it => it === entity.title)
  const rest = shown.filter(it => it !== title)
  return [title, ...rest].filter(Boolean).slice(0, most).map(it => it.name)
}

/**
 * The table's columns for key paths; unknown ones are expressions, shown as they come.
 * @param address of the table, whose rows it sorts and can open
 */
export function columns(entity, paths, address) {
  const keys = sortKeys(address.get('sort'))
  return [idColumn(keys, address), ...paths.map(path => column(entity, path, keys))]
}

/**
 * The `select` of a list with these columns.
 * @param own what is selected of each object besides
 */
export function selection(entity, paths, own = ['_id', '_entity', '_version']) {
  const selected = new Set(own)
  for (const path of paths) {
    const property = session.model.resolve(entity, path)?.at(-1)
    const key = property ? keyPath(path) : path
    if (property?.kind !== 'relationship') selected.add(key)
    else if (property.isToMany) selected.add(`${key}.@count`)
    else {
      selected.add(key)
      for (const name of namePaths(property.destination, path)) selected.add(name)
    }
  }
  return [...selected].join(',')
}

/** The parts of a list of key paths and expressions. Commas in brackets or quotes divide none. */
export function listParts(text) {
  const parts = ['']
  let depth = 0
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[^]/gu)) {
    if ('([{'.includes(token)) depth += 1
    else if (')]}'.includes(token)) depth -= 1
    if (token === ',' && depth <= 0) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts.map(it => it.trim()).filter(Boolean)
}

/** The keys of a sort order: `[{key, isDescending}]`. */
export function sortKeys(sort) {
  return listParts(sort).map(it => ({
    key: it.replace(/^-/, '').replace(/\[\w+\]$/, ''), isDescending: it.startsWith('-'),
  }))
}

function idColumn(keys, address) {
  return {
    title: '_id', key: '_id', width: 84, class: 'number', sort: direction('_id', keys),
    show: (row, cell) => cell.replaceChildren(h('a', {
      href: address.with({open: row._id}).toString(), tabIndex: -1, title: 'Open the object',
    }, row._id)),
  }
}

function direction(key, keys) {
  const found = keys.find(it => it.key === key)
  return found ? (found.isDescending ? 'descending' : 'ascending') : null
}

function column(entity, path, keys) {
  const steps = session.model.resolve(entity, path)
  const property = steps?.at(-1)
  if (property?.kind === 'relationship') {
    return property.isToMany ? toMany(path, steps, keys) : toOne(path, property, keys)
  }
  const type = property?.type
  // The rows name a column by its alias.
  const key = property ? keyPath(path) : path.replace(/^(\w+):.*/s, '$1')
  const sortKey = property && !property.isSortable ? undefined : direction(key, keys)
  return {
    title: path, key, property, width: widthFor(widths[type] ?? 170, path),
    class: property?.isNumber ? 'number' : '', sort: sortKey,
    show: (row, cell) => show(cell, row[key], type),
  }
}

function toOne(path, property, keys) {
  const {destination} = property
  const key = keyPath(path)
  const sortKey = namePaths(destination, path)[0] ?? key
  return {
    title: path, key, property, width: widthFor(190, path), sort: direction(sortKey, keys), sortKey,
    show: (row, cell) => {
      const id = row[key]
      if (id === null || id === undefined) return show(cell, null)
      cell.replaceChildren(h('a', {href: objectAddress(destination, id), tabIndex: -1,
        dir: 'auto'}, nameOf(destination, id, row, path)))
    },
  }
}

/** The number of members. */
function toMany(path, steps, keys) {
  const property = steps.at(-1)
  const key = `${keyPath(path)}.@count`
  // Beyond a to-many relationship there are several numbers for an object.
  const isSortable = steps.slice(0, -1).every(it => !it.isToMany)
  return {
    title: path, key, property, width: widthFor(110, path), class: 'number',
    sort: isSortable ? direction(key, keys) : undefined,
    show: (row, cell) => {
      const count = row[key]
      // Only an inverse names the members in a predicate.
      const isNamed = !path.includes('.') && property.destination.property(property.inverse)
      if (!isNamed || count === undefined) return show(cell, count)
      cell.replaceChildren(h('a', {href: membersAddress(property, row._id), tabIndex: -1},
        grouped(count)))
    },
  }
}

/**
 * The key paths of the values that name an object: its title, or the titles of the two objects
 * that it links. None where an object has its id alone.
 * @param path the key path that leads to the object
 */
export function namePaths(entity, path = '') {
  const isLink = entity.ends.length > 0
    && entity.ends.every(it => canRead(it) && it.destination.title)
  const names = entity.title ? [entity.title.name]
    : isLink ? entity.ends.map(it => `${it.name}.${it.destination.title.name}`) : []
  return names.map(name => keyPath(path ? `${path}.${name}` : name))
}

/** The text that names an object. @param row has the values of its `namePaths` */
export function nameOf(entity, id, row, path = '') {
  const names = namePaths(entity, path).map(it => row[it])
  return names.some(it => it !== null && it !== undefined && it !== '')
    ? names.map(it => it ?? '–').join(' → ') : `${entity.name} ${id}`
}

/** Whether the token may read what a relationship leads to. */
export function canRead(relationship) {
  return relationship.destination && session.may('read', relationship.destination)
}

/** The address of an object. */
export function objectAddress(entity, id) {
  return `#/rows/${encodeURIComponent(entity.name)}?open=${encodeURIComponent(id)}`
}

/** The address of the members of a to-many relationship of an object. */
export function membersAddress(property, id) {
  const inverse = property.destination.property(property.inverse)
  const name = encodeURIComponent(property.destination.name)
  const where = `${inverse.isToMany ? 'ANY ' : ''}${inverse.key} == ${literal(id)}`
  return `#/rows/${name}?where=${encodeURIComponent(where)}`
}
