// Values as people read them.

import {h} from './parts/dom.js'

/** Made at its first use: the first use of Intl takes a browser 25 to 50 ms. */
let dates

/** A value of a type as a short text. */
export function text(value, type) {
  if (value === null || value === undefined) return ''
  switch (type) {
    case 'Date': return date(value)
    case 'Boolean': return value ? 'yes' : 'no'
    case 'Binary': return typeof value === 'object' ? `${bytes(value.bytes)}` : base64Size(value)
    default: return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}

/** A date of the service in the time zone of the person; midnight UTC is a date alone. */
export function date(value) {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return value
  if (value.endsWith('T00:00:00Z')) return value.slice(0, 10)
  dates ??= new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'})
  return dates.format(date)
}

/** A number of things, with its digits in groups. Below a thousand there are none to make. */
export function grouped(count) {
  return count < 1000 ? String(count) : count.toLocaleString()
}

/** A number of bytes. */
export function bytes(count) {
  if (count < 1000) return `${count} bytes`
  const units = ['kB', 'MB', 'GB']
  const power = Math.min(3, Math.floor(Math.log10(count) / 3))
  return `${(count / 1000 ** power).toPrecision(3)} ${units[power - 1]}`
}

function base64Size(value) {
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
  return bytes(value.length / 4 * 3 - padding)
}

/** Fills a cell with a value of a type. Null is told from the empty text. */
export function show(cell, value, type) {
  if (value === null || value === undefined) {
    cell.replaceChildren(h('span', {class: 'null'}, '–'))
    return
  }
  cell.textContent = text(value, type)
  if (type === 'String') cell.dir = 'auto'
}
