// How the rows of a file become objects: by the targets of its columns. Nothing is sent here; what
// the service has is looked up.

import {Misfit, ValueReader, waysOf} from './values.js'
import {constraintsOf, isKey, ownerOf} from './targets.js'
import {pieces} from './file.js'
import {keyPath} from '../../model.js'
import {service} from '../../service.js'

/** Wrong rows that are kept to be shown. */
const shownRows = 1000
/** Characters beyond which a text is not looked up as the name of an object. */
const longestKey = 1000

/**
 * Makes objects of rows. A column is `{name, target, way, shown}`: what it is imported as, or null;
 * in which way of `waysOf` it is written, or the empty text where its cells are to show it; and
 * the way that they have shown in a check.
 */
export class Plan {
  #uses
  #taken = new Map()
  #unique

  /**
   * @param policy what happens with a row whose unique values an object has: `error`, or another
   *   merge policy
   */
  constructor(entity, columns, options, policy) {
    this.entity = entity
    this.columns = columns
    this.policy = policy
    this.#uses = columns.flatMap((column, index) => {
      const {target} = column
      if (!target) return []
      const {relationship, attribute} = target
      return [{
        column, index, target, reader: new ValueReader(attribute, options),
        lookup: relationship && new Lookup(relationship.destination, attribute.name),
      }]
    })
    this.#unique = policy !== 'error' ? [] : this.#uses
      .filter(it => !it.lookup && isKey(entity, it.target.attribute))
      .map(use => {
        const [name] = use.target.path
        return {use, lookup: new Lookup(ownerOf(entity, name), name), lines: new Map()}
      })
  }

  /** Why nothing can be imported with these columns: texts. */
  get obstacles() {
    const paths = this.#uses.map(it => it.target.path.join('.'))
    const twice = new Set(paths.filter((path, index) => paths.indexOf(path) !== index))
    const obstacles = [...twice].map(path => `Two columns are matched to ${path}.`)
    if (!paths.length) obstacles.push('No column is matched to a property.')
    if (this.policy === 'objectTrump') return obstacles
    const given = new Set(this.#uses.map(it => it.target.path[0]))
    for (const {name, kind, isOptional, isToMany, isReadOnly, declared} of this.entity.properties) {
      if (isOptional || isToMany || isReadOnly || kind === 'fetchedProperty') continue
      if (!given.has(name) && declared.default === undefined) {
        obstacles.push(`Each ${this.entity.name} needs ${name}, and no column is matched to it.`)
      }
    }
    return obstacles
  }

  /** The uniqueness constraints whose attributes all have a column: lists of names. */
  get constraints() {
    const given = new Set(this.#uses.map(it => it.target.path[0]))
    return constraintsOf(this.entity).filter(names => names.every(it => given.has(it)))
  }

  /** The index of the column that is imported as a property; -1 for none. */
  columnOf(key) {
    return this.columns.findIndex(({target}) =>
      target && (target.path.join('.') === key || target.path[0] === key))
  }

  /**
   * The rows of records: `{line, cells, object, misfits}`. A misfit is `{column, reason}`, where
   * the column is an index, or -1 where the whole row is wrong.
   */
  async rows(records, signal) {
    for (const use of this.#uses) {
      if (!use.lookup) continue
      const keys = records.map(it => keyOf(read(use, it.cells[use.index])))
      await use.lookup.load(keys, signal)
    }
    return records.map(record => this.#row(record))
  }

  #row({line, cells, problem}) {
    const row = {line, cells, object: {}, misfits: []}
    const width = this.columns.length
    if (problem) row.misfits.push({column: -1, reason: problem})
    else if (cells.length < width || cells.slice(width).some(it => it !== null)) {
      row.misfits.push({column: -1, reason: `${cells.length} cells in place of ${width}`})
    }
    if (row.misfits.length) return row
    for (const use of this.#uses) {
      const value = valueOf(use, cells[use.index])
      if (value instanceof Misfit) row.misfits.push({column: use.index, reason: value.reason})
      else if (value !== undefined) place(row.object, use.target.path, value)
    }
    const taken = this.#taken.get(line)
    if (taken) row.misfits.push(taken)
    return row
  }

  /**
   * Reads the whole file. Where its cells show how they are written, they are read in that way.
   * @param progress gets the number of bytes that are read
   * @returns {Promise<Report>}
   */
  async check(file, form, {signal, progress}) {
    const report = await this.#check(file, form, {signal, progress})
    let isChanged = false
    for (const {column, index, reader} of this.#uses) {
      const ways = waysOf(reader.attribute)
      const shown = column.way || !ways ? '' : report.wayOf(index) ?? ''
      const usual = Object.keys(ways ?? {})[0]
      isChanged ||= (shown || usual) !== (column.shown || usual)
      column.shown = shown
    }
    return isChanged ? this.#check(file, form, {signal, progress}) : report
  }

  async #check(file, form, {signal, progress}) {
    this.#taken.clear()
    for (const unique of this.#unique) unique.lines.clear()
    const report = new Report(this.columns.length)
    for await (const records of pieces(file, form, {signal, progress})) {
      for (const {column, index, reader} of this.#uses) {
        if (column.way || !waysOf(reader.attribute)) continue
        for (const {line, cells} of records) report.observe(index, line, cells[index], reader)
      }
      const rows = await this.rows(records, signal)
      for (const unique of this.#unique) await this.#findTaken(unique, rows, signal)
      rows.forEach(row => report.add(row))
    }
    return report
  }

  /** Marks the rows whose unique value an object or a row before has. */
  async #findTaken({use, lookup, lines}, rows, signal) {
    const key = row => keyOf(row.object[use.target.path[0]])
    await lookup.load(rows.map(key), signal)
    for (const row of rows) {
      const value = key(row)
      if (!value || row.misfits.length) continue
      const present = lookup.find(value)
      const reason = present ? `${lookup.entity.name} ${present.id} has this value`
        : lines.has(value) ? `line ${lines.get(value)} has this value` : null
      if (reason) {
        const misfit = {column: use.index, reason}
        this.#taken.set(row.line, misfit)
        row.misfits.push(misfit)
      } else lines.set(value, row.line)
    }
  }
}

/** What a check has found: the number of rows, the wrong ones, and how columns are written. */
class Report {
  rows = 0
  wrong = 0
  /** The first wrong rows. */
  wrongRows = []

  constructor(width) {
    /** By column: how many cells are wrong, with the first, and what their texts show. */
    this.columns = Array.from({length: width}, () => ({wrong: 0, first: null, shown: {}}))
  }

  add(row) {
    this.rows++
    if (!row.misfits.length) return
    this.wrong++
    if (this.wrongRows.length < shownRows) this.wrongRows.push(row)
    for (const {column, reason} of row.misfits) {
      if (column < 0) continue
      this.columns[column].first ??= {line: row.line, cell: row.cells[column], reason}
      this.columns[column].wrong++
    }
  }

  /** Takes note of the way of `waysOf` that a cell shows. */
  observe(column, line, cell, reader) {
    const way = reader.shows(cell)
    if (way) this.columns[column].shown[way] ??= {line, cell}
  }

  /**
   * The way in which the column at an index is written, as its cells show; the empty text where it
   * makes no difference, and null where they do not show it or contradict each other.
   */
  wayOf(index) {
    const {both, ...clear} = this.columns[index].shown
    const ways = Object.keys(clear)
    if (ways.length === 1) return ways[0]
    return ways.length > 1 || both ? null : ''
  }

  /** Whether a person has to say how a column is written. */
  isUnclear(index, column) { return !column.way && this.wayOf(index) === null }
}

/** Finds objects of an entity by the value of an attribute. */
class Lookup {
  #found = new Map()

  constructor(entity, name) {
    this.entity = entity
    this.name = name
  }

  /** Looks up the values that are not known yet. */
  async load(keys, signal) {
    const unknown = [...new Set(keys)]
      .filter(it => it && !this.#found.has(it) && it.length <= longestKey)
    if (!unknown.length) return
    const name = keyPath(this.name)
    const isText = /String|UUID/.test(this.entity.property(this.name)?.type)
    const values = isText ? unknown.map(it => JSON.stringify(it)) : unknown
    const {data} = await service.list(this.entity.path, {
      where: `${name} IN {${values.join(',')}}`, groupBy: name, limit: unknown.length,
      select: `${name},min(_id),count()`, numbers: 'string',
    }, signal)
    for (const key of unknown) this.#found.set(key, null)
    for (const row of data) {
      this.#found.set(keyOf(row[name]), {id: row['min(_id)'], count: row['count()']})
    }
  }

  /** The first object with a value, and the number of them: `{id, count}`; null for none. */
  find(key) { return this.#found.get(key) ?? null }
}

/** What a cell has: a value, or what names the destination of a relationship. */
function read({column, reader}, cell) {
  return reader.read(cell, column.way || column.shown || undefined)
}

function valueOf(use, cell) {
  const {reader, lookup, target} = use
  if (!lookup) return read(use, cell)
  if (cell === '' || (cell !== undefined && reader.isNull(cell))) {
    return target.relationship.isOptional ? null : new Misfit('a value is needed')
  }
  const value = read(use, cell)
  if (value === undefined || value instanceof Misfit) return value
  const found = lookup.find(keyOf(value))
  const {name} = target.relationship.destination
  if (!found) return new Misfit(`no ${name} has this ${lookup.name}`)
  return found.count > 1 ? new Misfit(`${found.count} objects of ${name} have it`) : found.id
}

/** A value as a key to look it up by; the empty text where it has none. */
function keyOf(value) {
  return value === null || value === undefined || value instanceof Misfit ? '' : String(value)
}

function place(object, path, value) {
  const owner = path.slice(0, -1).reduce((place, key) => place[key] ??= {}, object)
  owner[path.at(-1)] = value
}
