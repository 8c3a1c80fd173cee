// What the columns of a file can be imported as, and which column is which.

import {Attribute} from '../../model.js'
import {session} from '../../session.js'

/** The types by which an object is looked up: their texts are equal where their values are. */
const keyTypes = new Set(['String', 'Integer 16', 'Integer 32', 'Integer 64', 'UUID'])

/** The id of a destination, as an attribute that a cell is read as. */
const idAttribute = new Attribute({name: '_id', type: 'Integer 64', minimum: 1})

/**
 * What a column can be imported as: `{key, path, attribute}`. For a to-one relationship it is
 * `{key, path, relationship, attribute}`, where the attribute of the destination names the object.
 */
export function targetsOf(entity) {
  const attributes = entity.attributes.filter(it => !it.isReadOnly)
    .flatMap(it => elementsOf(it, [it.name]))
  const links = entity.relationships
    .filter(it => !it.isToMany && !it.isReadOnly && session.may('read', it.destination))
    .flatMap(relationship => keysOf(relationship.destination).map(attribute => ({
      key: `${relationship.name}.${attribute.name}`, path: [relationship.name],
      relationship, attribute,
    })))
  return [...attributes, ...links]
}

/** An attribute, and the attributes in it where it is a composite. */
function elementsOf(attribute, path) {
  const composite = session.model.composites.get(attribute.declared.composite)
  const elements = (composite?.attributes ?? []).flatMap(declared =>
    elementsOf(new Attribute(declared), [...path, declared.name]))
  return [{key: path.join('.'), path, attribute}, ...elements]
}

/** The attributes that can name an object: the unique ones first, then its title. */
function keysOf(entity) {
  const unique = new Set(constraintsOf(entity).filter(it => it.length === 1).flat())
  const rank = it => unique.has(it.name) ? 0 : it === entity.title ? 1 : 2
  const keys = entity.attributes
    .filter(it => keyTypes.has(it.type) && !it.declared.transient)
    .sort((a, b) => rank(a) - rank(b))
  return [idAttribute, ...keys]
}

/** The uniqueness constraints of an entity, with those that it inherits: lists of names. */
export function constraintsOf(entity) {
  const inherited = entity.parent ? constraintsOf(entity.parent) : []
  return [...inherited, ...(entity.declared.uniquenessConstraints ?? [])]
}

/** Whether an attribute is unique by itself, and can be looked up. */
export function isKey(entity, attribute) {
  return keyTypes.has(attribute.type)
    && constraintsOf(entity).some(it => it.length === 1 && it[0] === attribute.name)
}

/** The topmost entity that has an attribute and may be read: its objects share unique values. */
export function ownerOf(entity, name) {
  const {parent} = entity
  return parent?.property(name) && session.may('read', parent) ? ownerOf(parent, name) : entity
}

/**
 * The target of each column, by its name; null for none. Case, spaces, points, `_` and `-` do
 * not matter, nor does the `#` of a list's keys (`keyPath`). A relationship is matched by what its
 * first cells look like.
 */
export function matched(names, rows, targets) {
  const taken = new Set()
  return names.map((name, index) => {
    // What a list of the service has of itself is not imported.
    if (/^_(id|entity|version)$/.test(name)) return null
    const free = targets.filter(it => !taken.has(it.path.join('.')))
    const target = free.find(it => plain(it.key) === plain(name))
      ?? link(free.filter(it => it.relationship && plain(it.path[0]) === plain(name)), rows, index)
    if (target) taken.add(target.path.join('.'))
    return target ?? null
  })
}

function link(targets, rows, index) {
  const cells = rows.map(it => it.cells[index]).filter(Boolean)
  const isNumber = cells.length > 0 && cells.every(it => /^\d+$/.test(it))
  return targets.find(it => (it.attribute === idAttribute) === isNumber) ?? targets[0]
}

function plain(name) { return name.toLowerCase().replace(/[\s._#-]/g, '') }
