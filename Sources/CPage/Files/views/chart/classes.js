// The classes of a number or a date: intervals beside each other, into which the service sorts the
// objects.

import {keyPath} from '../../model.js'
import {amount, keyText, tickFormat} from './scale.js'

/** The number of classes of a chart at most. */
const most = 1000

/** The number of classes that are aimed at for some numbers: more for more, and 30 at most. */
function aimFor(count) { return Math.min(30, Math.max(5, 2 * Math.cbrt(count))) }

/** The largest quotient of a number by the width of a class: beyond it numbers have gaps. */
const finest = 1e14

/** Classes: class `i` goes from `bounds[i]` up to, but not including, `bounds[i + 1]`. */
class Classes {
  /**
   * @param bounds literals of the service
   * @param unit the width of the classes, or the unit of a date
   * @param name gives the name of a class by its index
   * @param levels from fine to coarse: whether the bound at an index is labelled
   * @param tick gives the label of a bound at a level
   */
  constructor(values) { Object.assign(this, values) }

  get count() { return this.bounds.length - 1 }

  /** An expression of the index of the class of a key path: a search among the bounds. */
  expression(path, first = 0, last = this.count - 1) {
    if (first === last) return String(first)
    const middle = Math.ceil((first + last) / 2)
    const lower = this.expression(path, first, middle - 1)
    const upper = this.expression(path, middle, last)
    return `TERNARY(${keyPath(path)} < ${this.bounds[middle]}, ${lower}, ${upper})`
  }

  /** The predicate of the objects in classes, from one index to another. */
  condition(path, first, last = first) {
    const key = keyPath(path)
    return `${key} >= ${this.bounds[first]} AND ${key} < ${this.bounds[last + 1]}`
  }
}

// Numbers

/** The round width that is next to a number: 1, 2 or 5 times a power of ten. */
function roundWidth(width) {
  const power = 10 ** Math.floor(Math.log10(width))
  return exact([1, 2, 5, 10].find(it => it * power >= width * 0.999) * power)
}

function isRound(width) { return exact(roundWidth(width)) === exact(width) }

/** A number without the error of its calculation. */
function exact(number) {
  return Number.isInteger(number) ? number : Number(number.toPrecision(14))
}

/** The widths that a person can choose from, for numbers of a range. */
export function widths({low, high, isInteger}) {
  const range = high - low || Math.abs(high) || 1
  const found = [500, 200, 100, 50, 20, 10, 5].map(count => roundWidth(range / count))
  return [...new Set(found)].filter(width => !isInteger || width >= 1)
}

/**
 * The classes of numbers.
 * @param width the width of a class; `growing` for bounds 1, 2, 5, 10, 20 …; empty for what fits
 * @throws {RangeError} for a width that gives too many
 */
export function numberClasses(range, width) {
  const {low, high, median, count, isInteger} = range
  // Most of the objects would be in one of many classes of the same width.
  const isSkewed = median - low < (high - low) / 50
  if (low >= 0 && (width === 'growing' || (!width && isSkewed))) return growingClasses(range)
  const reach = Math.max(Math.abs(low), Math.abs(high))
  const fitting = roundWidth(Math.max((high - low || reach || 1) / aimFor(count), reach / finest))
  const step = Number(width) || (isInteger ? Math.max(1, fitting) : fitting)
  if (!(step > 0) || (high - low) / step > most || reach / step > finest) {
    throw new RangeError(`Classes of a width of ${width} would be more than ${amount(most)}.`)
  }
  // A step such as 0.1 is no exact number, and neither is a quotient by it.
  let first = Math.floor(low / step)
  let end = Math.floor(high / step) + 1
  while (exact(first * step) > low) first -= 1
  while (exact(end * step) <= high) end += 1
  const values = []
  for (let n = first; n <= end; n++) values.push(exact(n * step))
  const levels = [1, 2, 4, 5, 10, 20, 25, 50, 100, 200, 250, 500]
    .filter(every => isRound(step * every) || !isRound(step))
    .map(every => index => (first + index) % every === 0)
  return classesOf(values, {unit: String(step), isInteger, levels})
}

/** Classes whose bounds are 1, 2 and 5 times the powers of ten, for numbers of very unlike size. */
function growingClasses({low, high, isInteger}) {
  const decades = 8
  const last = Math.floor(Math.log10(Math.max(high, Number.MIN_VALUE)))
  const first = Math.max(isInteger ? 0 : last - decades,
    low > 0 ? Math.floor(Math.log10(low)) : -Infinity)
  const values = low < 10 ** first ? [0] : []
  for (let power = first; !(values.at(-1) > high); power++) {
    for (const digit of [1, 2, 5]) values.push(exact(digit * 10 ** power))
  }
  while (values.length > 2 && values.at(-2) > high) values.pop()
  while (values.length > 2 && values[1] <= low) values.shift()
  const powerOf = index => Math.log10(values[index])
  const isPower = index => Number.isInteger(exact(powerOf(index)))
  const levels = [() => true, isPower, index => isPower(index) && exact(powerOf(index)) % 3 === 0]
  return classesOf(values, {unit: 'growing', isInteger, levels})
}

function classesOf(values, {unit, isInteger, levels}) {
  const name = index => {
    const [from, to] = [values[index], values[index + 1]]
    if (!isInteger || !Number.isInteger(from)) return `${keyText(from)} to less than ${keyText(to)}`
    return to - from === 1 ? keyText(from) : `${keyText(from)} to ${keyText(to - 1)}`
  }
  const format = Math.max(...values) < 1e5 ? keyText : tickFormat(values)
  return new Classes({
    bounds: values.map(String), unit, name, levels, tick: index => format(values[index]),
  })
}

// Dates. The classes are those of UTC, so that the same is seen in every time zone.

const hour = 3_600_000

/** The units of dates, from short to long. */
const units = {
  hour: {
    length: hour, start: date => date.setUTCMinutes(0, 0, 0),
    add: (date, count) => date.setUTCHours(date.getUTCHours() + count),
  },
  day: {
    length: 24 * hour, start: date => date.setUTCHours(0, 0, 0, 0),
    add: (date, count) => date.setUTCDate(date.getUTCDate() + count),
  },
  month: {
    length: 30.4 * 24 * hour, start: date => date.setUTCDate(1),
    add: (date, count) => date.setUTCMonth(date.getUTCMonth() + count),
  },
  year: {
    length: 365.2 * 24 * hour, start: date => date.setUTCMonth(0),
    add: (date, count) => date.setUTCFullYear(date.getUTCFullYear() + count),
  },
}

export const unitNames = Object.keys(units)

const formats = {
  hour: {dateStyle: 'medium', timeStyle: 'short'},
  day: {dateStyle: 'medium'},
  month: {year: 'numeric', month: 'short'},
  year: {year: 'numeric'},
}

/** The levels of ticks, from fine to coarse, with the form of their labels. */
const dateLevels = [
  ['hour', () => true],
  ['hour', date => date.getUTCHours() % 6 === 0],
  ['day', isMidnight],
  ['day', date => isMidnight(date) && date.getUTCDay() === 1],
  ['month', isFirst],
  ['month', date => isFirst(date) && date.getUTCMonth() % 3 === 0],
  ...[1, 2, 5, 10, 20, 50, 100].map(every => ['year', date =>
    isFirst(date) && date.getUTCMonth() === 0 && date.getUTCFullYear() % every === 0]),
]

function isMidnight(date) { return date.getUTCHours() === 0 }
function isFirst(date) { return isMidnight(date) && date.getUTCDate() === 1 }

function format(date, unit) {
  return new Intl.DateTimeFormat(undefined, {...formats[unit], timeZone: 'UTC'}).format(date)
}

/** The shortest unit that gives no more periods than there are objects to show in them. */
function fittingUnit({low, high, count}) {
  const enough = Math.min(400, Math.max(12, count / 3))
  return unitNames.find(name => (high - low) / units[name].length <= enough) ?? 'year'
}

/**
 * The classes of dates. Where there are too many, only the latest ones are left.
 * @param range the first and the last date, and the number of them
 * @param per a unit; empty for one that fits
 */
export function dateClasses({low, high, count}, per) {
  const range = {low: new Date(low), high: new Date(high), count}
  const unit = units[per] ? per : fittingUnit(range)
  const date = new Date(high)
  for (const name of unitNames.slice(0, unitNames.indexOf(unit) + 1)) units[name].start(date)
  units[unit].add(date, 1)
  const dates = [new Date(date)]
  while (dates[0] > range.low && dates.length <= most) {
    units[unit].add(date, -1)
    dates.unshift(new Date(date))
  }
  const levels = dateLevels.slice(dateLevels.findIndex(([name]) => name === unit))
  return new Classes({
    bounds: dates.map(date => JSON.stringify(dateLiteral(date))), unit,
    name: index => format(dates[index], unit),
    levels: levels.map(([, test]) => index => test(dates[index])),
    tick: (index, level) => format(dates[index], levels[level][0]),
    isCut: dates[0] > range.low,
  })
}

function dateLiteral(date) {
  return date.toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z')
}
