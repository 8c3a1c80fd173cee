// What the graph of a model shows: a box for each entity, with a row for each property, and the
// lines between them. With another version it shows both, and what differs.

import {formerName, stateOf} from './changes.js'
import {typeOf} from './words.js'

/** The kinds of rows, in their order in a box. */
const kinds = ['attribute', 'relationship', 'fetchedProperty']

/** How strongly the kinds of lines want to go from left to right. */
const weights = {inheritance: 2, oneToMany: 1, other: 0}

/**
 * The boxes and lines of a model.
 * @param comparison `{before, elements}`: the model of another version, and the elements of the
 *   difference from it to this one; null for none
 * @returns {{boxes: Box[], lines: Line[]}} where a line joins two ends `{box, row}`, and `heads`
 *   has the number of arrowheads at each: 0 for none, 2 for to-many. A `row` is null where the
 *   line ends at the box. `state` of boxes, rows and lines is `added`, `removed`, `changed` or
 *   empty.
 */
export function contentOf(model, comparison = null) {
  const elements = (comparison?.elements ?? []).filter(it => it.kind === 'entity')
  const boxes = []
  const boxOf = new Map()
  for (const entity of model.entities.values()) {
    const element = elements.find(it => it.after === entity.name)
    const old = comparison?.before.entity(element?.before ?? entity.name)
    const box = new Box(entity, element, old)
    boxes.push(box)
    boxOf.set(entity, box)
    if (old && element?.before !== null) boxOf.set(old, box)
  }
  for (const element of elements.filter(it => it.after === null)) {
    const entity = comparison.before.entity(element.before)
    const box = new Box(entity, element, entity)
    boxes.push(box)
    boxOf.set(entity, box)
  }
  const lines = boxes.flatMap(box => [...inheritance(box, boxOf), ...relationships(box, boxOf)])
  return {boxes, lines}
}

/** An entity in the graph. */
class Box {
  /**
   * @param element what differs; undefined for nothing
   * @param old the entity of the other version, which has the properties that are removed
   */
  constructor(entity, element, old) {
    this.entity = entity
    this.name = entity.name
    this.state = element ? stateOf(element) : ''
    this.was = element ? formerName(element) : null
    const parts = element?.elements ?? []
    const present = entity.ownProperties.map(property =>
      rowOf(property, parts.find(it => it.after === property.name), this.state))
    const removed = parts.filter(it => it.after === null).map(part =>
      rowOf(old.ownProperties.find(it => it.name === part.before), part))
    const rows = [...present, ...removed]
    /** The rows of each kind that there is. */
    this.groups = kinds.map(kind => rows.filter(it => it.property.kind === kind))
      .filter(it => it.length)
  }

  get rows() { return this.groups.flat() }
}

function rowOf(property, element, stateOfBox) {
  const ofBox = stateOfBox === 'changed' ? '' : stateOfBox
  return {
    property, name: property.name, type: typeOf(property),
    state: element ? stateOf(element) : ofBox, was: element ? formerName(element) : null,
  }
}

function inheritance(box, boxOf) {
  const parent = boxOf.get(box.entity.parent)
  if (!parent) return []
  const state = box.state === 'changed' ? '' : box.state
  return [{
    kind: 'inheritance', from: {box: parent, row: null}, to: {box, row: null}, heads: [0, 0],
    state, title: `${box.name} inherits from ${parent.name}`, weight: weights.inheritance,
  }]
}

/** The lines of the relationships of a box. That of two inverse ones is drawn from the first. */
function relationships(box, boxOf) {
  const lines = []
  for (const row of box.rows) {
    const {property} = row
    const other = property.kind === 'relationship' && boxOf.get(property.destination)
    if (!other || row.isDrawn) continue
    const inverse = inverseOf(row, other)
    if (inverse) inverse.isDrawn = true
    lines.push(relationship({box, row}, {box: other, row: inverse}))
  }
  return lines
}

function inverseOf({property, state}, other) {
  const found = other.rows.filter(it => it.property.kind === 'relationship'
    && it.name === property.inverse)
  return found.find(it => it.state === state) ?? found[0] ?? null
}

function relationship(one, other) {
  const count = row => row ? (row.property.isToMany ? 2 : 1) : 0
  const title = [one, other].filter(it => it.row)
    .map(({box, row}) => `${box.name}.${row.name} ${row.type}`)
  let [from, to, heads] = [one, other, [count(other.row), count(one.row)]]
  // A line begins at the side of the one object, and ends at the side of the many.
  if (heads[0] > heads[1] || (heads[0] === 0 && heads[1] === 1)) {
    [from, to, heads] = [to, from, [heads[1], heads[0]]]
  }
  return {
    kind: 'relationship', from, to, heads, state: one.row.state || other.row?.state || '',
    title: [...new Set(title)].join('\n'),
    weight: heads[0] === heads[1] ? weights.other : weights.oneToMany,
  }
}
