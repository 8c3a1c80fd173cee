// What a chart shows: the choices of its address, and those that an entity offers.

import {canRead} from '../../columns.js'
import {keyPath} from '../../model.js'
import {session} from '../../session.js'

/** The aggregates of a number, with the words for them. */
export const aggregates = {
  sum: 'Sum', average: 'Average', min: 'Smallest', max: 'Largest', median: 'Median',
}

/** The to-one relationships that the offered key paths go through at most. */
const deepest = 2

/** The number of members of a to-many relationship, which is a number like an attribute. */
const memberCount = {kind: 'attribute', type: 'Integer 64', isNumber: true, isInteger: true}

/** The entity of an object, which is a text like an attribute. */
const entityName = {kind: 'attribute', type: 'String'}

/**
 * The key paths by which objects can be grouped: `[{path, property, before}]`, where `before` are
 * the keys of the to-one relationships that lead to the property.
 */
export function keyPaths(entity, before = [], through = [entity]) {
  const found = []
  const deeper = []
  for (const property of entity.properties) {
    const path = [...before, property.name].join('.')
    if (property.kind === 'attribute' && property.isSortable) found.push({path, property, before})
    if (property.kind !== 'relationship' || property.isReadOnly || !canRead(property)) continue
    if (!property.isToMany) {
      found.push({path, property, before})
      if (before.length < deepest && !through.includes(property.destination)) {
        deeper.push(...keyPaths(property.destination, [...before, property.name],
          [...through, property.destination]))
      }
    } else if (!before.length) found.push({path: `${path}.@count`, property: memberCount, before})
  }
  if (!before.length) found.push({path: '_entity', property: entityName, before})
  return [...found, ...deeper]
}

/** The key path of a first chart: that of a property whose groups are likely to be few. */
function likelyPath(entity, paths) {
  const keys = (entity.root.declared.uniquenessConstraints ?? []).flat()
  const places = Object.values(entity.coordinates ?? {})
  const isAmount = ({path, property}) => property.isNumber
    && !keys.includes(path) && !places.includes(path) && !/id$/i.test(path)
  const tests = [
    it => it.property.kind === 'relationship',
    it => it.property.isDate,
    isAmount,
    it => it.property !== entity.title && !keys.includes(it.path),
  ]
  const own = paths.filter(it => !it.before.length)
  return tests.map(test => own.find(test)).find(Boolean).path
}

/** The choices of an address: what is shown, by what, and how. */
export class Choice {
  constructor(entity, address) {
    this.paths = keyPaths(entity)
    const [, aggregate, of] = /^(\w+)\((.+)\)$/.exec(address.get('show')) ?? []
    /** The aggregate of a number; empty for the number of objects. */
    this.aggregate = aggregate ?? ''
    /** The key path of that number. */
    this.of = of ?? ''
    /** The key path by which the objects are grouped, or another expression. */
    this.by = address.get('by') || likelyPath(entity, this.paths)
    /** The property at its end; undefined for another expression. */
    this.property = this.paths.find(it => it.path === this.by)?.property
      ?? session.model.resolve(entity, this.by)?.at(-1)
    this.kind = this.kinds.includes(address.get('kind')) ? address.get('kind') : this.kinds[0]
    /** The unit of the classes of a date; empty for one that fits. */
    this.per = address.get('per')
    /** The width of the classes of a number, or `growing`; empty for one that fits. */
    this.width = address.get('width')
  }

  /** The kinds of charts that there are for the property, the most fitting one first. */
  get kinds() {
    if (this.property?.isDate) return ['line', 'bar']
    return this.property?.isNumber ? ['histogram', 'bar'] : ['bar']
  }

  /** Whether the groups are classes of a date or a number. */
  get hasClasses() { return Boolean(this.property?.isDate) || this.kind === 'histogram' }

  /** Whether a group without objects has the value 0, and values of groups can be added. */
  get isAdditive() { return !this.aggregate || this.aggregate === 'sum' }

  /** The expression of the value of a group. */
  get value() { return this.aggregate ? `${this.aggregate}(${keyPath(this.of)})` : 'count()' }

  /** What is shown, in words. */
  get valueTitle() {
    if (!this.aggregate) return 'Number of objects'
    return `${aggregates[this.aggregate] ?? this.aggregate} of ${this.of}`
  }

  /** The key paths of the numbers that have aggregates. */
  get numbers() { return this.paths.filter(it => it.property.isNumber) }
}
