// The places of a map, read from the service: all of them, or where they are too many those of the
// part in view.

import {both} from '../../conditions.js'
import {keyPath} from '../../model.js'
import {nextPlace, service} from '../../service.js'
import {xOf, yOf} from './camera.js'

/** The number of places that are read at most. */
const most = 50_000
/** The number of places of a request. */
const size = 10_000
/** Levels of zoom after which a part of the places is read again. */
const closer = 0.7

/** The predicate of the objects within bounds. */
export function within({latitude, longitude}, {north, south, west, east}) {
  const [y, x] = [keyPath(latitude), keyPath(longitude)]
  const text = degrees => String(Number(degrees.toFixed(5)))
  return `${y} BETWEEN {${text(south)}, ${text(north)}}`
    + ` AND ${x} BETWEEN {${text(west)}, ${text(east)}}`
}

/** The places of the objects of a list. It sends `change` when more of them have arrived. */
export class Places extends EventTarget {
  /** The objects: their id, latitude, longitude, title, and the number that they are sized by. */
  rows = []
  /** Their places from 0 to 1, and the numbers that they are sized by. */
  xs = new Float64Array(0)
  ys = new Float64Array(0)
  amounts = null
  /** The number of objects of the list, and of those that have coordinates. */
  count = 0
  placed = 0
  /** The number of objects in the bounds that were read last. */
  found = 0
  isReading = false
  /** Only every so many-th of them is read. */
  every = 1
  /** The bounds that are read, and whether they are read to the end. */
  #area = null
  #isRead = false
  #zoom = 0
  #abort = new AbortController()

  /**
   * @param amount the key path of the number that the places are sized by; empty for none
   * @param query the parameters of the list: `where`, `subentities`
   */
  constructor(entity, amount, query) {
    super()
    this.entity = entity
    this.coordinates = entity.coordinates
    this.title = entity.title?.name ?? ''
    this.amount = amount
    this.query = query
  }

  /** Whether only places in and around the part in view are read. */
  get isLocal() { return this.placed > most }

  /** Whether not all places of the part in view are read. */
  get isPart() { return this.found > most }

  /** The parameters of the request of the places in view. */
  get list() {
    const {latitude, longitude} = this.coordinates
    const names = [...new Set([latitude, longitude, this.title, this.amount].filter(Boolean))]
    const part = this.every > 1 ? ` AND modulus(_id, ${this.every}) == 0` : ''
    return {
      ...this.query, where: both(this.query.where, within(this.coordinates, this.#area) + part),
      select: ['_id', ...names.map(keyPath)].join(','),
      sort: this.amount && `-${keyPath(this.amount)}`,
      numbers: 'string', limit: size,
    }
  }

  /**
   * Reads how many objects there are, and where.
   * @returns the bounds of all places; null for none
   */
  async open() {
    const [y, x] = Object.values(this.coordinates).map(keyPath)
    const select = `north:max(${y}),south:min(${y}),west:min(${x}),east:max(${x}),`
      + `count:count(),placed:count(${y})`
    const {north, south, west, east, count, placed} = await this.#first({...this.query, select})
    Object.assign(this, {count: Number(count), placed: Number(placed)})
    return west === null || north === null ? null
      : {north: Number(north), south: Number(south), west: Number(west), east: Number(east)}
  }

  /** Reads the places for what a camera shows, unless they are there. */
  async need(camera) {
    const view = camera.bounds()
    if ((this.isReading || this.#isRead) && contains(this.#area, view)) {
      if (!this.isPart || camera.zoom < this.#zoom + closer) return
    }
    this.close()
    const abort = new AbortController()
    this.#abort = abort
    this.#zoom = camera.zoom
    this.#area = this.isLocal ? camera.bounds(0.25)
      : {north: 90, south: -90, west: -180, east: 180}
    this.isReading = true
    this.#isRead = false
    try {
      await this.#read(abort.signal)
      this.#isRead = true
    } finally {
      if (this.#abort === abort) this.isReading = false
    }
  }

  /** Ends the requests. */
  close() { this.#abort.abort() }

  async #first(query) {
    const {signal} = this.#abort
    const {data} = await service.list(this.entity.path, {...query, numbers: 'string'}, signal)
    return data[0]
  }

  async #read(signal) {
    this.every = 1
    const {where, subentities} = this.list
    const {count} = await this.#first({where, subentities, select: 'count:count()'})
    this.found = Number(count)
    // The largest are read where the places have a size, and otherwise an even part of them.
    if (!this.amount) this.every = Math.ceil(this.found / most)
    const rows = []
    let after = ''
    do {
      const {data, headers} = await service.list(this.entity.path, {...this.list, after}, signal)
      for (const row of data) rows.push(row)
      after = nextPlace(headers, 'after')
      this.#take(rows)
    } while (after && rows.length < most)
  }

  #take(rows) {
    const {latitude, longitude} = this.coordinates
    this.rows = rows
    this.xs = Float64Array.from(rows, row => xOf(Number(row[longitude])))
    this.ys = Float64Array.from(rows, row => yOf(Number(row[latitude])))
    this.amounts = this.amount
      ? Float64Array.from(rows, row => Math.max(0, Number(row[this.amount]))) : null
    this.dispatchEvent(new Event('change'))
  }
}

function contains(area, {north, south, west, east}) {
  return area.north >= north && area.south <= south && area.west <= west && area.east >= east
}
