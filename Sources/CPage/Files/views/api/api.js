// The HTTP API of the service, as its OpenAPI document describes it.

import {h, fill, settled} from '../../parts/dom.js'
import {curl} from '../../code.js'
import {Address} from '../../address.js'
import {Request, service} from '../../service.js'
import {apiDocument, groupTitle} from './document.js'
import {block, saveFile} from './answer.js'
import {breakable, methodBadge, OperationView} from './operation.js'
import {schemaView, unfold} from './schema.js'
import {grouped} from '../../values.js'

/** Up to this number of operations, all groups are open. */
const fewOperations = 100

/** `<stele-api>`: the view of `#/api?operation=listPlayer&find=…` and `#/api?schema=Player`. */
class APIView extends HTMLElement {
  #address = null
  #opened = null
  #view = null
  #groups = new Map()
  #found = null
  #shown = null

  /** Shows an address. */
  async show(address) {
    this.#address = address
    this.#opened ??= this.#open()
    await this.#opened
    this.#showAddress()
  }

  disconnectedCallback() { this.#view?.close() }

  async #open() {
    fill(this, h('p', {class: 'empty', role: 'status'}, 'Reading the description of the API …'))
    try {
      this.api = await apiDocument()
    } catch (error) {
      this.#opened = null
      fill(this)
      throw error
    }
    this.#build()
  }

  #build() {
    const find = settled(200, () => {
      const address = Address.of(location.hash).with({find: this.search.value.trim()})
      location.replace(address.toString())
    })
    this.search = h('input', {type: 'search', placeholder: 'Find an operation',
      'aria-label': 'Find an operation', oninput: find})
    this.status = h('p', {class: 'hint', role: 'status'})
    this.list = h('div', {class: 'list', onkeydown: event => this.#key(event)})
    this.detail = h('div', {class: 'detail'})
    fill(this, h('div', {class: 'panes'},
      h('nav', {'aria-label': 'Operations'},
        h('div', {class: 'top'},
          h('a', {href: '#/api', class: 'title'}, 'API'), rawDocument(this.api), this.search,
          this.status),
        this.list),
      this.detail))
  }

  #showAddress() {
    const find = this.#address.get('find')
    const shown = ['operation', 'schema'].map(name => this.#address.get(name)).join('\n')
    if (find !== this.#found) this.#showList(find)
    if (shown !== this.#shown) this.#showDetail()
    this.#shown = shown
  }

  // The list

  #showList(find) {
    this.#found = find
    if (this.search.value.trim() !== find) this.search.value = find
    const words = find.toLowerCase().split(/\s+/)
    const groups = [...this.api.groups].map(([tag, operations]) =>
      [tag, operations.filter(it => words.every(word => it.text.includes(word)))])
      .filter(([, operations]) => operations.length)
    const count = groups.reduce((sum, [, operations]) => sum + operations.length, 0)
    fill(this.status, `${grouped(count)} ${count === 1 ? 'operation' : 'operations'}`)
    this.#groups.clear()
    for (const [tag, operations] of groups) {
      const isOpen = count <= fewOperations || tag === this.#operation?.tag
      const title = [h('span', {}, groupTitle(tag)),
        h('span', {class: 'count'}, operations.length)]
      this.#groups.set(tag, unfold(title,
        () => h('ul', {}, operations.map(it => this.#item(it))), isOpen))
    }
    fill(this.list, ...this.#groups.values())
  }

  get #operation() { return this.api.operations.get(this.#address.get('operation')) }

  #item(operation) {
    const {id, method, path, summary, refusal} = operation
    return h('li', {}, h('a', {
      href: new Address(['api'], {operation: id, find: this.#found}).toString(),
      'data-operation': id, 'aria-current': operation === this.#operation ? 'true' : null,
    }, methodBadge(method), h('span', {class: 'text'},
      h('code', {}, breakable(path)),
      h('span', {class: 'hint'}, summary, refusal && h('span', {class: 'note'}, ' No right.')))))
  }

  /** Marks the operation of the address in the list, and brings it into view. */
  #mark(operation) {
    this.list.querySelector('[aria-current]')?.removeAttribute('aria-current')
    const group = this.#groups.get(operation?.tag)
    if (!group) return
    group.open = true
    // A group is drawn after it is opened.
    requestAnimationFrame(() => {
      const link = group.querySelector(`[data-operation="${CSS.escape(operation.id)}"]`)
      link?.setAttribute('aria-current', 'true')
      link?.scrollIntoView({block: 'nearest'})
    })
  }

  /** The arrow keys go from one operation to the next. */
  #key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (!step) return
    event.preventDefault()
    const places = [...this.list.querySelectorAll('summary, details[open] a')]
    places[places.indexOf(document.activeElement) + step]?.focus()
  }

  // The detail

  #showDetail() {
    const name = this.#address.get('operation') || this.#address.get('schema')
    const operation = this.#operation
    this.#view?.close()
    this.#view = operation ? new OperationView(this.api, operation, this.#address) : null
    this.classList.toggle('with-detail', Boolean(name))
    const back = new Address(['api'], {find: this.#found}).toString()
    fill(this.detail,
      name && h('p', {class: 'back'}, h('a', {href: back}, 'All operations')),
      operation ? this.#view.element : name ? schemaPage(this.api, name) : about(this.api))
    this.detail.scrollTop = 0
    this.#mark(operation)
  }
}

/** A schema on its own. */
function schemaPage(api, name) {
  if (!api.schema(name)) return h('p', {class: 'empty'}, `The document has no ${name}.`)
  return h('article', {}, h('h1', {}, name),
    schemaView(api, {$ref: `#/components/schemas/${name}`}))
}

/** What the document is, and how a client is made of it. */
function about(api) {
  const {openapi, info} = api.json
  const commands = service.token
    ? `${curl([new Request('GET', 'openapi.json')], {base: service.base, needsToken: true})
      .trim()} \\\n  -o openapi.json\nopenapi-python-client generate --path openapi.json`
    : `openapi-python-client generate --url ${service.base}openapi.json`
  return h('article', {},
    h('h1', {}, `The API of ${info.title}`),
    h('p', {}, info.description),
    h('p', {}, `An operation shows what it takes and gives, and a form to try it. `
      + `The list has ${grouped(api.operations.size)} operations.`),
    h('h2', {}, 'A client'),
    h('p', {}, `Generators make a client of the document, which is OpenAPI ${openapi}. `
      + 'For Python:'),
    block(commands),
    h('p', {}, 'Docs/HTTP.md of Stele describes the API in words.'))
}

/** The link to the document. A link sends no token, so with one the document is saved. */
function rawDocument(api) {
  if (!service.token) return h('a', {href: 'openapi.json'}, 'openapi.json')
  const save = () => saveFile(
    new Blob([JSON.stringify(api.json, null, 2)], {type: 'application/json'}), 'openapi.json')
  return h('button', {class: 'plain', onclick: save}, 'Save openapi.json')
}

customElements.define('stele-api', APIView)
