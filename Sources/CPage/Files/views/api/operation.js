// One operation of the API: what it takes and gives, and the form that tries it.

import {h} from '../../parts/dom.js'
import {Answer} from './answer.js'
import {OperationForm} from './form.js'
import {schemaView, terms, typeText, unfold} from './schema.js'

/** An operation as an element. */
export class OperationView {
  /**
   * @param api the document
   * @param address the view's, which may have values of the operation's parameters
   */
  constructor(api, operation, address) {
    this.api = api
    this.operation = operation
    const answer = new Answer(operation.id)
    this.form = operation.refusal ? null : new OperationForm(api, operation, address, answer)
    this.element = h('article', {'aria-labelledby': 'operation-title'}, this.#head(),
      this.form?.element ?? this.#refusal(),
      answer.element, this.#bodies(), this.#answers())
  }

  /** Ends a request that runs. */
  close() { this.form?.close() }

  #head() {
    const {id, method, path, summary} = this.operation
    return h('header', {},
      h('h1', {id: 'operation-title'}, methodBadge(method), ' ',
        h('code', {}, breakable(path))),
      h('p', {}, summary, ' ', h('code', {class: 'hint'}, id)))
  }

  /** Why it is not offered, and the parameters that its form would have. */
  #refusal() {
    return [
      h('p', {class: 'refusal'}, this.operation.refusal),
      terms(this.operation.parameters.map(it =>
        [it.name, `${it.description} (${typeText(this.api, it.schema)})`])),
    ]
  }

  #bodies() {
    const bodies = this.operation.bodies
    return bodies.length > 0 && h('section', {'aria-label': 'Body'}, h('h2', {}, 'Body'),
      bodies.map(({type, schema}) =>
        unfold([h('code', {}, type), ` ${typeText(this.api, schema)}`],
          () => schemaView(this.api, schema))))
  }

  #answers() {
    const answers = this.operation.answers
    const errors = answers.filter(it => it.status >= '400')
    return h('section', {'aria-label': 'Answers'}, h('h2', {}, 'Answers'),
      answers.filter(it => it.status < '400').map(it => this.#answer(it)),
      errors.length > 0 && unfold(`Errors: ${errors.map(it => it.status).join(', ')}`, () =>
        terms(errors.map(({status, description}) => [status, description]))))
  }

  #answer({status, description, headers = {}, content = {}}) {
    const names = Object.keys(headers)
    return unfold([h('strong', {}, status), ` ${description}`], () => [
      terms(names.map(name => [name, this.api.resolve(headers[name]).description])),
      Object.entries(content).map(([type, {schema}]) => [
        h('p', {}, h('code', {}, type)),
        /json/.test(type) && schemaView(this.api, schema)]),
      !names.length && !Object.keys(content).length && h('p', {class: 'hint'}, 'No body.'),
    ])
  }
}

/** The method of a request, in a colour of its own. */
export function methodBadge(method) {
  return h('span', {class: `method ${method.toLowerCase()}`}, method)
}

/** A path that can be broken before each of its segments. */
export function breakable(path) {
  return path.split(/(?=\/)/).flatMap(segment => [h('wbr'), segment])
}
