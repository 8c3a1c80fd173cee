// Fields for values of the model's types.

import {h} from './dom.js'

/**
 * A field for the value of an attribute.
 *
 * @param property the attribute
 * @param value its value as JSON
 * @param id the id of the control, for its label
 * @returns {{element: HTMLElement, control: HTMLElement, read: () => any}} where `read` gives the
 *   value as it is sent, and throws an Error with a message for the person
 */
export function field(property, value, {id, isLong = false} = {}) {
  const make = {Boolean: boolean, Date: date, Composite: json, Transformable: json}[property.type]
  const made = (make ?? text)(property, value, isLong)
  made.control.id = id ?? ''
  made.control.disabled = property.isReadOnly
  made.element ??= made.control
  return made
}

function text(property, value, isLong) {
  const isNumber = property.isNumber
  const properties = {
    value: value ?? '', spellcheck: false, autocomplete: 'off',
    inputMode: property.isInteger ? 'numeric' : isNumber ? 'decimal' : 'text',
    placeholder: value === null ? 'no value' : '', dir: 'auto',
  }
  // A field of one line would take the ends of lines away.
  const hasLines = property.isText && (isLong || /[\r\n]/.test(value ?? ''))
  const control = hasLines
    ? h('textarea', {...properties, rows: rowsOf(value)}) : h('input', properties)
  const shown = control.value
  // An empty field stays what it was: no value, or the empty text.
  const wasEmptyText = value === '' && property.isText
  return {control, read: () => {
    const typed = control.value
    if (typed === shown) return value ?? null
    if (typed === '' && !wasEmptyText) return null
    return isNumber ? number(property, typed.trim()) : typed
  }}
}

function rowsOf(value) { return Math.min(10, 1 + Math.floor((value ?? '').length / 40)) }

/** Digits go as they are typed, so that none is lost. */
function number(property, typed) {
  const pattern = property.isInteger ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  if (!pattern.test(typed)) {
    throw new Error(`${property.name} is ${property.isInteger ? 'a whole' : 'a'} number, not `
      + JSON.stringify(typed))
  }
  return typed.replace(/^\+/, '')
}

function boolean(property, value) {
  const choices = [['', '–'], ['true', 'yes'], ['false', 'no']]
  const control = h('select', {}, choices
    .filter(([name]) => name || property.isOptional || value === null)
    .map(([name, title]) => h('option', {value: name, selected: String(value ?? '') === name},
      title)))
  return {control, read: () => control.value === '' ? null : control.value === 'true'}
}

/** A date with its time in the zone of the person. One that is not changed keeps its fraction. */
function date(property, value) {
  const given = value ? new Date(value) : null
  const isShown = given && !Number.isNaN(given.getTime())
  const local = isShown
    ? new Date(given.getTime() - given.getTimezoneOffset() * 60_000).toISOString().slice(0, 19) : ''
  const control = h('input', {type: 'datetime-local', step: 1, value: local})
  return {control, read: () => {
    if (control.validity.badInput) throw new Error(`${property.name} is not a whole date`)
    if (control.value === '') return null
    if (control.value === local || `${control.value}:00` === local) return value
    return new Date(control.value).toISOString()
  }}
}

function json(property, value) {
  const shown = value === null || value === undefined ? '' : JSON.stringify(value, null, 1)
  const control = h('textarea', {value: shown, rows: Math.min(12, shown.split('\n').length),
    spellcheck: false, class: 'code', placeholder: 'no value'})
  return {control, read: () => {
    if (control.value.trim() === '') return null
    try {
      return JSON.parse(control.value)
    } catch (error) {
      throw new Error(`${property.name} is JSON: ${error.message}`)
    }
  }}
}
