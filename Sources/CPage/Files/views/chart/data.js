// The groups of a chart. The service makes them: no object comes to the page.

import {both, literal} from '../../conditions.js'
import {keyPath} from '../../model.js'
import {Request, service} from '../../service.js'
import {text} from '../../values.js'
import {dateClasses, numberClasses} from './classes.js'
import {amount, keyText} from './scale.js'

/** The number of bars of a chart at most. */
const mostBars = 50

/** Reads the groups of a choice. */
export class ChartData {
  /** @param query the parameters of the list: `where`, `subentities` */
  constructor(entity, choice, query) {
    this.entity = entity
    this.choice = choice
    this.query = query
  }

  /** The parameters of the list of the groups; null before it is known. */
  list = null
  /** The numbers or dates that there are, and the `unit` of their classes. */
  range = undefined

  /**
   * Reads the groups.
   * @returns `{marks, notes, levels, tick}`: the marks of a plot without their links but with
   *   `where`, how many there are and what is left out, and the ticks
   * @throws {RangeError} for a width of classes that is too small
   */
  async read(signal) {
    return this.choice.hasClasses ? this.#classes(signal) : this.#groups(signal)
  }

  /** The request of the groups. Its parameters can be too long for an address. */
  get request() {
    if (!this.list) return null
    const given = Object.entries(this.#all(this.list)).filter(([, value]) => value !== '')
    return new Request('POST', `${this.entity.path}/query`, {body: Object.fromEntries(given)})
  }

  #all(query) { return {...this.query, numbers: 'string', ...query} }

  async #rows(query, signal) {
    return (await service.list(this.entity.path, this.#all(query), signal)).data
  }

  // Groups by value

  async #groups(signal) {
    const {choice} = this
    const isToOne = choice.property?.kind === 'relationship'
    const title = isToOne && choice.property.destination.title
    const columns = [`by:${keyPath(choice.by)}`]
    if (title) columns.push(`title:${keyPath(`${choice.by}.${title.name}`)}`)
    this.list = {
      select: [...columns, `value:${choice.value}`].join(','),
      groupBy: title ? 'by,title' : 'by', sort: '-value', limit: mostBars + 1,
    }
    const rows = await this.#rows(this.list, signal)
    const shown = rows.slice(0, mostBars)
    const marks = shown.map(row => this.#mark(row.value, this.#nameOf(row, isToOne),
      `${keyPath(choice.by)} == ${literal(row.by, choice.property?.isNumber)}`))
    const notes = [rows.length > mostBars ? await this.#rest(shown, signal) : counted(marks)]
    return {marks, notes}
  }

  #nameOf({by, title}, isToOne) {
    if (by === null) return null
    if (isToOne) return title || `${this.choice.property.destination.name} ${by}`
    if (this.choice.property?.isNumber) return keyText(by)
    return text(by, this.choice.property?.type) || '""'
  }

  /** What the groups have that are not shown. */
  async #rest(shown, signal) {
    const {choice} = this
    const by = keyPath(choice.by)
    const [all] = await this.#rows({
      select: `groups:count(distinct ${by}),given:count(${by}),objects:count(),`
        + `value:${choice.value}`,
    }, signal)
    // An aggregate counts no nulls, but the objects without a value are a group.
    const groups = Number(all.groups) + (Number(all.given) < Number(all.objects) ? 1 : 0)
    const value = Number(all.value) - shown.reduce((sum, row) => sum + Number(row.value), 0)
    const rest = choice.isAdditive ? ` The others have ${amount(value)} in all.` : ''
    return largestOf(groups) + rest
  }

  #mark(value, name, where) {
    return {
      value: value === null || value === undefined ? null : Number(value), text: amount(value),
      name: name ?? 'no value', class: name === null ? 'null' : '', where,
    }
  }

  // Classes of a date or a number

  async #classes(signal) {
    const {choice} = this
    const {isDate, isInteger} = choice.property
    const by = keyPath(choice.by)
    const [all] = await this.#rows({
      select: `low:min(${by}),high:max(${by}),given:count(${by}),objects:count()`
        + (isDate ? '' : `,median:median(${by})`),
    }, signal)
    const count = Number(all.given)
    const missing = Number(all.objects) - count
    const have = missing === 1 ? 'object has' : 'objects have'
    const notes = missing ? [`${amount(missing)} ${have} no ${choice.by}.`] : []
    if (!count) return {marks: [], notes: [counted([]), ...notes]}
    this.range = isDate ? {low: all.low, high: all.high, count, unit: choice.per} : {
      low: Number(all.low), high: Number(all.high), median: Number(all.median), count, isInteger,
      unit: choice.width,
    }
    const classes = isDate
      ? dateClasses(this.range, choice.per) : numberClasses(this.range, choice.width)
    this.range.unit = classes.unit
    const last = classes.count - 1
    if (classes.isCut) {
      notes.push(`Only the latest ${amount(classes.count)} ${classes.unit}s are shown.`)
    }
    this.list = {
      where: both(this.query.where, classes.condition(choice.by, 0, last)),
      select: `class:${classes.expression(choice.by)},value:${choice.value}`,
      groupBy: 'class', limit: 10_000,
    }
    const rows = await this.#rows(this.list, signal)
    return this.#marksOf(rows, classes, notes)
  }

  #marksOf(rows, classes, notes) {
    const {choice} = this
    const values = new Map(rows.map(row => [Number(row.class), row.value]))
    const none = choice.isAdditive ? 0 : null
    const marks = Array.from({length: classes.count}, (_, index) => this.#mark(
      values.has(index) ? values.get(index) : none, classes.name(index),
      classes.condition(choice.by, index)))
    if (choice.kind !== 'bar') {
      return {marks, notes: [counted(marks), ...notes], levels: classes.levels, tick: classes.tick}
    }
    const present = marks.filter((_, index) => values.has(index))
    present.sort((a, b) => b.value - a.value)
    const groups = present.length > mostBars ? largestOf(present.length) : counted(present)
    return {marks: present.slice(0, mostBars), notes: [groups, ...notes]}
  }
}

function counted({length}) {
  if (!length) return 'There is nothing to show.'
  return `${amount(length)} ${length === 1 ? 'group' : 'groups'}.`
}

function largestOf(groups) {
  return `The ${mostBars} largest of ${amount(groups)} groups are shown.`
}
