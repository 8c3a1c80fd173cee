// The model: as a graph and as tables, in each version, with what differs between two.

import {h, fill, settled} from '../../parts/dom.js'
import {icon} from '../../parts/icon.js'
import {Model} from '../../model.js'
import {service} from '../../service.js'
import {session} from '../../session.js'
import {changesElement} from './changes.js'
import {contentOf} from './content.js'
import './graph.js'
import {matchingEntities, modelTables} from './table.js'
import {grouped} from '../../values.js'

/** `<stele-model>`: the view of `#/model?view=table&find=…&version=…&with=…`. */
class ModelView extends HTMLElement {
  #address = null
  /** The versions that are read, by name. */
  #models = new Map()
  #versions = null
  /** What is in the content: the parameters that it is of. */
  #shown = null
  #ended = new AbortController()
  #findLater = settled(150, () => this.#find())

  /** Shows an address. */
  async show(address) {
    this.#address = address
    if (!this.content) this.#build()
    this.#showBar()
    await Promise.all([this.#showVersions(), this.#showModel(address)])
  }

  disconnectedCallback() {
    this.#ended.abort()
    this.#findLater.cancel()
  }

  #build() {
    this.tabs = [['', 'Graph', 'graph'], ['table', 'Table', 'table']].map(
      ([view, title, picture]) => h('a', {'data-view': view}, icon(picture), title))
    this.versions = h('span', {class: 'versions', hidden: true})
    this.search = h('input', {
      type: 'search', placeholder: 'Find', 'aria-label': 'Find in the model', spellcheck: false,
      oninput: this.#findLater,
      onkeydown: event => { if (event.key === 'Enter') this.graph?.focus() },
    })
    this.content = h('div', {class: 'content'})
    this.summary = h('span', {role: 'status'})
    this.legend = h('span', {class: 'legend'},
      '→ to one · ↠ to many · ⇢ fetched property · ▷ parent')
    fill(this,
      h('div', {class: 'tabs'}, h('h1', {}, h('bdi', {}, session.index.model)),
        h('nav', {'aria-label': 'Views of the model'}, this.tabs), this.versions,
        h('span', {class: 'space'}), this.search),
      this.content,
      h('div', {class: 'footer'}, this.summary, h('span', {class: 'space'}), this.legend))
  }

  /** Shows what the address has besides the model. */
  #showBar() {
    const view = this.#address.get('view')
    for (const tab of this.tabs) {
      tab.href = this.#address.with({view: tab.dataset.view}).toString()
      if (tab.dataset.view === view) tab.setAttribute('aria-current', 'page')
      else tab.removeAttribute('aria-current')
    }
    this.legend.hidden = view === 'table'
    if (document.activeElement !== this.search) this.search.value = this.#address.get('find')
  }

  // The model and its versions

  /** The name of the version that is shown. */
  get #version() { return this.#address.get('version') || session.index.modelVersion }

  async #showModel(address) {
    try {
      const [model, comparison] = await this.#read()
      if (this.#address !== address) return
      const content = ['view', 'version', 'with'].map(name => address.get(name)).join('\n')
      if (this.#shown !== content) this.#showContent(model, comparison)
      this.#shown = content
      this.#showFound(model)
    } catch (error) {
      if (error.status !== 404 && error.status !== 400) throw error
      this.#shown = null
      fill(this.content, h('section', {class: 'empty'}, h('p', {}, error.message),
        error.hint && h('p', {}, error.hint)))
    }
  }

  /** The model of the address, and what differs from the version that it is compared with. */
  async #read() {
    const to = this.#version
    const from = this.#address.get('with')
    if (!from || from === to) return [await this.#model(to), null]
    const {signal} = this.#ended
    const [model, before, changes] = await Promise.all([
      this.#model(to), this.#model(from), service.get('model/changes', {from, to}, {signal}),
    ])
    return [model, {before, ...changes}]
  }

  async #model(version) {
    if (version === session.index.modelVersion) return session.model
    if (!this.#models.has(version)) {
      const {signal} = this.#ended
      const path = `model/versions/${encodeURIComponent(version)}`
      this.#models.set(version, new Model(await service.get(path, {}, {signal})))
    }
    return this.#models.get(version)
  }

  /** Shows the choice of versions, where there are several. */
  async #showVersions() {
    if (!this.version) {
      const {signal} = this.#ended
      this.#versions ??= service.get('model/versions', {}, {signal})
      const versions = await this.#versions
      if (versions.length < 2) return
      if (!this.version) this.#buildVersions(versions)
    }
    this.version.value = this.#version
    this.other.value = this.#address.get('with')
    for (const option of this.other.options) option.disabled = option.value === this.#version
  }

  #buildVersions(versions) {
    const {modelVersion} = session.index
    this.version = h('select', {
      onchange: () => this.#go({
        version: this.version.value === modelVersion ? '' : this.version.value,
        with: this.other.value === this.version.value ? '' : this.other.value,
      }),
    }, versions.map(({name, current}) =>
      h('option', {value: name}, current ? `${name} (current)` : name)))
    this.other = h('select', {onchange: () => this.#go({with: this.other.value})},
      h('option', {value: ''}, 'none'), versions.map(({name}) => h('option', {value: name}, name)))
    fill(this.versions, h('label', {}, 'Version ', this.version),
      h('label', {}, 'compared with ', this.other))
    this.versions.hidden = false
  }

  #showContent(model, comparison) {
    const isTable = this.#address.get('view') === 'table'
    this.graph = isTable ? null : document.createElement('stele-model-graph')
    this.table = isTable ? h('div', {class: 'tables', tabIndex: 0, role: 'region',
      'aria-label': 'Entities'}) : null
    fill(this.content, this.graph ?? this.table, comparison && changesElement(comparison))
    this.graph?.show(contentOf(model, comparison))
  }

  // Finding

  #showFound(model) {
    const text = this.#address.get('find')
    const found = matchingEntities(model, text)
    this.graph?.mark(text ? found : null)
    if (this.table) {
      fill(this.table, modelTables(model, text,
        name => this.#address.with({view: 'table', find: name}).toString()))
    }
    this.summary.textContent = text
      ? `${found.size} of ${counted(model.entities.size, 'entity', 'entities')}` : sizeOf(model)
  }

  #find() {
    // Each letter is not a step of the history.
    location.replace(this.#address.with({find: this.search.value.trim()}).toString())
  }

  #go(parameters) { location.hash = this.#address.with(parameters).toString() }
}

/** How much a model has, in words. */
function sizeOf(model) {
  const properties = [...model.entities.values()].flatMap(it => it.ownProperties)
  const count = kind => properties.filter(it => it.kind === kind).length
  return [
    counted(model.entities.size, 'entity', 'entities'),
    counted(count('attribute'), 'attribute', 'attributes'),
    counted(count('relationship'), 'relationship', 'relationships'),
  ].join(', ')
}

function counted(count, one, many) {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

customElements.define('stele-model', ModelView)
