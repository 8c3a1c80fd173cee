// The bar with the predicate of a view.

import {h, fill, settled} from './dom.js'
import {literal} from '../conditions.js'
import {completions} from '../predicate.js'
import {service} from '../service.js'

/** The number of completions that are shown. */
const most = 12
/** The number of texts of an object that words are looked for in. */
const mostTexts = 4
/** Before a predicate that is only checked: no object is looked at. */
const checkOnly = 'FALSEPREDICATE AND ('

/**
 * `<stele-predicate-bar>`: a predicate that is applied with Enter. As it is typed it offers what
 * can come next, and shows what the service has against it at its position.
 */
class PredicateBar extends HTMLElement {
  #items = []
  /** Whether there are more completions than are shown. */
  #isCut = false
  #at = -1
  #from = 0
  #asked = 0
  #later = settled(200, () => this.#check())

  /** Shows the predicate of an address. */
  show(entity, address) {
    this.entity = entity
    this.address = address
    if (!this.input) this.#build()
    if (this.input.value !== address.get('where')) this.input.value = address.get('where')
  }

  /** Takes the error away. */
  clear() {
    fill(this.error)
    this.input.removeAttribute('aria-invalid')
  }

  /**
   * Shows an error that is about the predicate.
   * @returns whether it is
   */
  refuse(problem, shift = 0) {
    const isOfAnother = /^(select|sort|groupBy|having): /.test(problem.detail ?? '')
    if (!/^predicate\./.test(problem.code ?? '') || isOfAnother) return false
    this.input.setAttribute('aria-invalid', 'true')
    const text = [...this.input.value]
    const at = Math.max(0, Math.min((problem.position ?? 0) - shift, text.length))
    const near = at < text.length ? [...(problem.near ?? '')].length : 0
    fill(this.error, problem.position !== undefined && h('pre', {'aria-hidden': 'true'},
      text.slice(0, at).join(''), h('mark', {}, text.slice(at, at + near).join('') || ' '),
      text.slice(at + near).join('')),
    h('p', {}, problem.detail.replace(/^where: /, ''), problem.hint && ` – ${problem.hint}`),
    this.#search(this.input.value.trim()))
    return true
  }

  /** A button that looks for words in texts, where what was typed is words and no predicate. */
  #search(words) {
    if (!/^[\p{L}\p{M}\p{N}\s.,'_@/+-]+$/u.test(words)) return null
    const texts = this.entity.attributes.filter(it => it.isText && !it.declared.transient)
    texts.sort((a, b) => (b === this.entity.title) - (a === this.entity.title))
    const names = texts.slice(0, mostTexts).map(it => it.key)
    if (!names.length) return null
    return h('button', {onclick: () => {
      this.input.value = names.map(it => `${it} CONTAINS[cd] ${literal(words)}`).join(' OR ')
      this.#apply()
    }}, `Find ${literal(words)} in ${names.join(', ')}`)
  }

  #build() {
    this.list = h('div', {id: 'predicate-list', role: 'listbox', class: 'menu-list popover',
      hidden: true, 'aria-label': 'Completions'})
    this.input = h('input', {
      type: 'text', spellcheck: false, autocomplete: 'off', 'aria-label': 'Predicate',
      placeholder: 'A predicate, such as name CONTAINS[c] "an"', enterKeyHint: 'search',
      'aria-describedby': 'predicate-error', role: 'combobox', 'aria-expanded': 'false',
      'aria-controls': 'predicate-list', 'aria-autocomplete': 'list',
      onkeydown: event => this.#key(event), oninput: () => this.#typed(),
      onclick: () => this.#complete(), onblur: () => this.#close(),
    })
    this.error = h('div', {class: 'predicate-error', id: 'predicate-error', role: 'alert'})
    fill(this, h('div', {class: 'bar'}, this.input,
      h('button', {onclick: () => this.#apply()}, 'Apply'),
      h('button', {onclick: () => {
        this.input.value = ''
        this.#apply()
      }}, 'Clear')), this.error, this.list)
  }

  #apply() {
    this.#close()
    this.#later.cancel()
    location.hash = this.address.with({where: this.input.value.trim(), open: ''}).toString()
  }

  #typed() {
    this.clear()
    this.#later()
    this.#complete()
  }

  /** Asks the service what it has against the predicate, without looking at an object. */
  async #check() {
    const typed = this.input.value
    if (!typed.trim()) return
    try {
      await service.get(`${this.entity.path}/count`, {where: `${checkOnly}${typed})`})
    } catch (problem) {
      // While it is typed, a missing end is no error.
      const isAtEnd = (problem.position ?? 0) - checkOnly.length >= [...typed].length
      const isTyping = document.activeElement === this.input
      if (this.input.value === typed && !(isAtEnd && isTyping)) {
        this.refuse(problem, checkOnly.length)
      }
    }
  }

  // Completions

  async #complete() {
    const asked = ++this.#asked
    const {value, selectionStart: cursor} = this.input
    const {from, items, values} = completions(this.entity, value, cursor)
    this.#offer(from, items)
    if (!values) return
    const stored = await this.#values(values)
    if (asked === this.#asked && document.activeElement === this.input) {
      this.#offer(values.isOpen ? from : cursor, [...stored, ...items])
    }
  }

  /** Stored values of an attribute, as literals. */
  async #values({path, property, beginning}) {
    if (path.includes('.') && this.entity.property(path.split('.')[0])?.isToMany) return []
    const where = beginning && property.isText ? `${path} BEGINSWITH[c] ${literal(beginning)}` : ''
    try {
      const rows = await service.get(this.entity.path,
        {select: path, distinct: 'true', where, sort: path, limit: most, numbers: 'string'})
      return rows.map(row => row[path]).filter(it => it !== null && it !== undefined)
        .map(it => ({text: property.isText ? literal(it) : it, detail: 'value'}))
    } catch {
      // Completions are no reason to disturb: the predicate itself says what is wrong.
      return []
    }
  }

  #offer(from, items) {
    this.#from = from
    this.#items = items.slice(0, most)
    this.#isCut = items.length > most
    this.#at = -1
    this.#draw()
  }

  #draw() {
    this.list.hidden = this.#items.length === 0
    this.input.setAttribute('aria-expanded', String(!this.list.hidden))
    fill(this.list, this.#items.map((item, index) => h('div', {
      role: 'option', id: `predicate-${index}`, 'aria-selected': String(index === this.#at),
      onmousedown: event => {
        event.preventDefault()
        this.#take(item)
      },
    }, h('code', {dir: 'auto'}, item.text), h('span', {class: 'hint'}, item.detail))),
    this.#isCut && h('div', {class: 'hint more', 'aria-hidden': 'true'}, 'Type on for others.'))
    if (this.#at >= 0) this.input.setAttribute('aria-activedescendant', `predicate-${this.#at}`)
    else this.input.removeAttribute('aria-activedescendant')
    const width = this.input.getBoundingClientRect().width
    const column = Math.min(this.#from * 7.8, Math.max(0, width - 260))
    this.list.style.insetInlineStart = `${12 + column}px`
  }

  #close() { this.#offer(0, []) }

  #take(item) {
    const {value, selectionStart: cursor} = this.input
    const isPath = !/^[→]/.test(item.detail)
    const end = /[({]$/.test(item.text) || !isPath ? '' : ' '
    const start = value.slice(0, this.#from) + item.text + end
    this.input.value = start + value.slice(cursor).replace(/^ /, '')
    this.input.setSelectionRange(start.length, start.length)
    this.#typed()
  }

  #key(event) {
    const {length} = this.#items
    if (event.key === 'Enter') {
      event.preventDefault()
      if (this.#at >= 0) this.#take(this.#items[this.#at])
      else this.#apply()
    } else if (event.key === 'Tab' && length && this.#at >= 0) {
      event.preventDefault()
      this.#take(this.#items[this.#at])
    } else if (event.key === 'Escape' && length) {
      event.stopPropagation()
      this.#close()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!length) return this.#complete()
      this.#at = (this.#at + (event.key === 'ArrowDown' ? 1 : length - 1) + length) % length
      this.#draw()
    }
  }
}

customElements.define('stele-predicate-bar', PredicateBar)
