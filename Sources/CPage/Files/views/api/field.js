// A field for a parameter of an operation.

import {h} from '../../parts/dom.js'
import {rulesText, typeText} from './schema.js'

/** What header fields can have: the characters of ISO 8859-1, without controls. */
const headerPattern = '[\\t\\x20-\\x7e\\xa0-\\xff]*'
let made = 0

/** A field of the form, with the parameter's type and description. */
export class Field {
  /**
   * @param api the document
   * @param parameter as in the document, resolved
   * @param value its text at first
   */
  constructor(api, parameter, value) {
    this.parameter = parameter
    this.schema = api.resolve(parameter.schema)
    const id = `field-${++made}`
    this.input = this.#input(id)
    if (value) this.input.value = value
    const rules = rulesText(this.schema)
    this.element = h('div', {class: 'parameter'},
      h('label', {for: id}, h('code', {}, parameter.name), ' ',
        !this.schema.enum && h('span', {class: 'type'}, typeText(api, parameter.schema)),
        parameter.required && h('span', {class: 'note'}, ' required')),
      this.input,
      h('p', {class: 'hint', id: `${id}-hint`}, parameter.description, rules && ` (${rules})`))
  }

  /** The names and values that it gives; none while it is empty. */
  get entries() {
    const {value} = this.input
    if (!this.#isObject) return value ? [[this.parameter.name, value]] : []
    return lines(value).map(line => [nameOf(line), line.slice(nameOf(line).length + 1)])
  }

  /** Whether its members are parameters of their own, such as `var.SINCE`. */
  get #isObject() { return this.schema.type === 'object' }

  #input(id) {
    const {name, required = false, example} = this.parameter
    const common = {id, name, required, 'aria-describedby': `${id}-hint`,
      // A field that is wrong is shown, also where its group is closed.
      oninvalid: event => event.target.closest('details')?.setAttribute('open', '')}
    const values = this.schema.type === 'boolean' ? ['true', 'false'] : this.schema.enum
    if (values) {
      const isChosen = required && values.length === 1
      return h('select', common, !isChosen && h('option', {value: ''}, '–'),
        values.map(it => h('option', {}, it)))
    }
    const text = {...common, class: 'code', spellcheck: false, autocapitalize: 'none'}
    if (this.#isObject) {
      return h('textarea', {...text, rows: 2, placeholder: `${this.#prefix}NAME=value`,
        oninput: () => this.#check()})
    }
    return h('input', {
      ...text, type: 'text', inputMode: this.schema.type === 'integer' ? 'numeric' : 'text',
      pattern: this.parameter.in === 'header' ? headerPattern : null,
      placeholder: example === undefined ? '' : `Such as ${example}`,
    })
  }

  /** What the names of the members begin with, as their pattern says. */
  get #prefix() { return /^\^(\w+)\\\./.exec(this.schema.propertyNames?.pattern)?.[1] + '.' }

  #check() {
    const pattern = new RegExp(this.schema.propertyNames.pattern)
    const wrong = lines(this.input.value).find(it => !pattern.test(nameOf(it)))
    this.input.setCustomValidity(
      wrong ? `Each line is ${this.#prefix}NAME=value, and this one is not: ${wrong}` : '')
  }
}

function lines(text) { return text.split('\n').filter(it => it.trim()) }

function nameOf(line) { return line.split('=', 1)[0] }
