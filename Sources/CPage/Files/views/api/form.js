// The form that tries an operation of the API.

import {h} from '../../parts/dom.js'
import {codeButton} from '../../parts/code-dialog.js'
import {TextBody} from '../../code.js'
import {Request, service} from '../../service.js'
import {Field} from './field.js'
import {unfold} from './schema.js'

/** The parameters of the view's address that are those of the operation begin with this. */
const prefix = 'p.'

/** A form with the parameters and the body of an operation. */
export class OperationForm {
  #abort = null

  /** @param answer the place where the answer is shown */
  constructor(api, operation, address, answer) {
    this.api = api
    this.operation = operation
    this.address = address
    this.answer = answer
    this.fields = parameters(operation).map(it =>
      new Field(api, it, address.get(prefix + it.name)))
    this.sendButton = h('button', {class: 'main'}, 'Send')
    this.stopButton = h('button', {type: 'button', hidden: true, onclick: () => this.close()},
      'Stop')
    this.element = h('form', {autocomplete: 'off', 'aria-label': 'Try the operation',
      onsubmit: event => {
        event.preventDefault()
        this.#send()
      }},
    this.#group('path', 'Path'), this.#group('query', 'Query'), this.#body(), this.#seldom(),
    h('div', {class: 'bar'}, this.sendButton, this.stopButton, codeButton(() => this.request)))
  }

  /** The request as it is filled in. */
  get request() {
    const {method, template} = this.operation
    const ids = this.#values('path')
    const {context} = this.#values('context')
    const path = template.slice(1).replace(/\{(\w+)\}/g, (place, name) =>
      ids[name] ? encodeURIComponent(ids[name]) : place)
    return new Request(method, context ? `contexts/${encodeURIComponent(context)}/${path}` : path,
      {query: this.#values('query'), headers: this.#values('header'), body: this.#bodyValue})
  }

  /** Ends the request that runs. */
  close() { this.#abort?.abort() }

  #fieldsOf(place) { return this.fields.filter(it => it.parameter.in === place) }

  #values(place) { return Object.fromEntries(this.#fieldsOf(place).flatMap(it => it.entries)) }

  /** What is seldom given is shown when it is asked for. */
  #seldom() {
    const titles = {header: 'Header fields', context: 'Editing context'}
    return Object.entries(titles).map(([place, title]) => this.#fieldsOf(place).length > 0
      && unfold(title, () => h('fieldset', {'aria-label': title},
        this.#fieldsOf(place).map(it => it.element))))
  }

  #group(place, title) {
    const fields = this.#fieldsOf(place)
    return fields.length > 0
      && h('fieldset', {}, h('legend', {}, title), fields.map(it => it.element))
  }

  #body() {
    const {bodies} = this.operation
    if (!bodies.length) return null
    if (!/json/.test(bodies[0].type)) {
      this.file = h('input', {type: 'file', required: true, 'aria-label': 'File with the body'})
      return h('fieldset', {}, h('legend', {}, 'Body'), this.file)
    }
    this.bodyType = h('select', {'aria-label': 'Format of the body', onchange: () => prefill(),
      hidden: bodies.length === 1}, bodies.map(({type}) => h('option', {}, type)))
    this.editor = h('textarea', {class: 'code', spellcheck: false, 'aria-label': 'Body'})
    let filled = ''
    const prefill = () => {
      // What a person has typed stays.
      if (this.editor.value !== filled) return
      const {schema} = bodies[this.bodyType.selectedIndex]
      filled = JSON.stringify(this.api.example(schema), null, 2)
      this.editor.value = filled
      this.editor.rows = Math.min(16, this.editor.value.split('\n').length + 1)
    }
    prefill()
    return h('fieldset', {}, h('legend', {}, 'Body'), this.bodyType, this.editor)
  }

  get #bodyValue() {
    if (this.file) return this.file.files[0]
    return this.editor?.value ? new TextBody(this.editor.value, this.bodyType.value) : undefined
  }

  async #send() {
    const {request, operation} = this
    if (operation.isDestructive && !await this.#isConfirmed(request)) return
    this.#remember()
    this.#abort = new AbortController()
    this.#showButton(this.stopButton)
    this.answer.say('Waiting for the answer …')
    try {
      const started = performance.now()
      const response = await service.exchange(request, {signal: this.#abort.signal})
      await this.answer.receive(response, started)
    } catch (error) {
      this.answer.say(error.name === 'AbortError' ? 'Stopped.' : error.message)
    }
    this.#showButton(this.sendButton)
  }

  /** Asks whether a request is sent that removes, replaces or changes what is there. */
  #isConfirmed({method, target}) {
    return new Promise(done => {
      const dialog = h('dialog', {'aria-labelledby': 'confirm-title', onclose: () => {
        dialog.remove()
        done(dialog.returnValue === 'send')
      }},
      h('h2', {id: 'confirm-title'}, 'Send this request?'),
      h('p', {}, this.operation.summary),
      h('pre', {dir: 'ltr'}, `${method} ${decodeURIComponent(target)}`),
      h('div', {class: 'actions'},
        h('button', {onclick: () => dialog.close()}, 'Cancel'),
        h('button', {class: 'danger', onclick: () => dialog.close('send')}, `Send ${method}`)))
      this.element.after(dialog)
      dialog.showModal()
    })
  }

  /** Shows Send or Stop; the focus stays on the one that is there. */
  #showButton(shown) {
    const hidden = shown === this.sendButton ? this.stopButton : this.sendButton
    const hasFocus = hidden === document.activeElement
    shown.hidden = false
    hidden.hidden = true
    if (hasFocus) shown.focus()
  }

  /** Puts the parameters into the address, but no header fields and no ticket: these are secret. */
  #remember() {
    const values = {}
    for (const {parameter, input} of this.fields) {
      const isSecret = parameter.in === 'header' || parameter.name === 'ticket'
      if (!isSecret) values[prefix + parameter.name] = input.value
    }
    this.address = this.address.with(values)
    history.replaceState(null, '', this.address.toString())
  }
}

/** The parameters of an operation, and what else can be chosen. */
function parameters({parameters, isData, formats}) {
  const context = {
    name: 'context', in: 'context', schema: {type: 'string'},
    description: 'The id of an editing context in which the operation is executed.',
  }
  const accept = {
    name: 'Accept', in: 'header', description: 'The format of the answer.',
    schema: {enum: formats}, required: formats.length === 1,
  }
  const hasOther = formats.some(it => it !== 'application/json')
  return [...isData ? [context] : [], ...hasOther ? [accept] : [], ...parameters]
}
