// The change feed: what is saved, as it happens, and the history.

import {h, fill, framed} from '../../parts/dom.js'
import {icon} from '../../parts/icon.js'
import {objectAddress} from '../../columns.js'
import {session} from '../../session.js'
import {codeButton} from '../../parts/code-dialog.js'
import '../../parts/predicate-bar.js'
import './filter.js'
import './list.js'
import {details} from './save.js'
import {Feed, mostSaves, objectOf} from './source.js'
import {grouped} from '../../values.js'

/** The parameters that say which saves there are. */
const filters = ['entity', 'updated', 'where', 'object']
/** Milliseconds without a save after which the next ones are marked. */
const quiet = 500

/**
 * `<stele-feed>`: the view of `#/feed?entity=…&updated=…&where=…`. `since=TOKEN` begins after
 * that token, `object=Player/1` is the history of an object, and `open=TOKEN` shows the save after
 * that token.
 */
class FeedView extends HTMLElement {
  #address = null
  #feed = null
  #isPaused = false
  #lastDrawn = 0
  #rate = 0
  #draw = framed(() => this.#take())

  /** Shows an address. The feed begins again where its filter or its beginning is another one. */
  async show(address) {
    const before = this.#address
    this.#address = address
    if (!before) this.#build()
    const isOther = name => before?.get(name) !== address.get(name)
    this.#showHeading()
    this.#showFilter()
    if (!before || ['since', ...filters].some(isOther)) this.#start()
    if (!before || isOther('open')) await this.#showSave(address.get('open'))
  }

  disconnectedCallback() {
    this.#feed?.close()
    clearInterval(this.second)
  }

  #build() {
    this.heading = h('h1')
    this.state = h('span', {class: 'state', role: 'status'})
    this.pause = h('button', {onclick: () => this.#pause(!this.#isPaused), title: 'Key P'})
    this.links = h('nav', {'aria-label': 'Places in the history'})
    this.filter = h('stele-feed-filter')
    this.bar = h('stele-predicate-bar')
    this.list = h('stele-feed-list', {
      onopen: ({detail}) => this.#go({open: detail.after}),
      onkeydown: event => {
        if (event.key === 'p' && !event.ctrlKey && !event.metaKey) this.#pause(!this.#isPaused)
      },
    })
    this.save = h('aside', {hidden: true, 'aria-label': 'The save', onkeydown: event => {
      if (event.key === 'Escape') this.#closeSave()
    }})
    this.older = h('button', {onclick: () => this.#readOlder()})
    this.figures = h('span')
    this.none = h('p', {class: 'none hint'})
    fill(this,
      h('div', {class: 'tabs'}, this.heading, this.state, h('span', {class: 'space'}), this.links,
        codeButton(() => this.#feed.request), this.pause),
      this.filter, this.bar, h('div', {class: 'both'}, this.list, this.none, this.save),
      h('div', {class: 'footer'}, this.older, this.figures))
    let received = 0
    this.second = setInterval(() => {
      this.#rate = Math.max(0, this.#feed.received - received)
      received = this.#feed.received
      this.#showFigures()
    }, 1000)
  }

  #start() {
    this.#feed?.close()
    // A history is read from its beginning, which is the end of the list.
    this.list.clear(this.#address.get('since') !== '')
    if (!this.bar.hidden) this.bar.clear()
    const feed = new Feed(this.#address)
    this.#feed = feed
    feed.addEventListener('saves', this.#draw)
    feed.addEventListener('older', event => {
      if (feed !== this.#feed) return
      this.list.addOlder(event.detail.saves, event.detail.isAsked)
      this.#showFigures()
    })
    feed.addEventListener('state', () => { if (feed === this.#feed) this.#showState() })
    this.#pause(false)
    feed.start()
  }

  /** Takes what has come into the list. */
  #take() {
    if (this.#isPaused) return this.#showPause()
    const items = this.#feed.take()
    if (!items.length) return
    const now = performance.now()
    const isQuiet = now - this.#lastDrawn > quiet
    this.#lastDrawn = now
    this.list.add(items, isQuiet && this.list.count > 0)
    if (!this.#feed.since) this.list.trim(mostSaves)
    if (isQuiet) this.#showFigures()
  }

  #pause(isPaused) {
    this.#isPaused = isPaused
    this.#showPause()
    this.#showState()
    this.#draw()
  }

  /** Reads the page of saves before the oldest one. A full list keeps them while it is paused. */
  async #readOlder() {
    if (this.list.count >= mostSaves) this.#pause(true)
    const feed = this.#feed
    await feed.readOlder(this.list.oldest?.after ?? feed.begin, Infinity)
  }

  // What is shown

  #showHeading() {
    const object = objectOf(this.#address)
    const entity = session.model.entity(object?.entityName)
    fill(this.heading, entity ? ['History of ', h('a', {href: objectAddress(entity, object.id)},
      `${entity.name} ${object.id}`)] : 'Change feed')
    const places = object ? [['All changes', {object: ''}]]
      : [['Now', {since: ''}], ['From the oldest save', {since: '0'}]]
    fill(this.links, places.map(([text, parameters]) => h('a', {
      href: this.#address.with({...parameters, open: ''}).toString(),
      'aria-current': parameters.since === this.#address.get('since') ? 'page' : null,
    }, text)))
  }

  /** A predicate needs an entity whose keys it names. */
  #showFilter() {
    const address = this.#address
    const entity = objectOf(address) ? null
      : session.model.entity(address.get('entity').split(',')[0])
    this.filter.show(address)
    this.bar.hidden = !entity
    if (entity) this.bar.show(entity, address)
  }

  #showPause() {
    const {waiting} = this.#feed
    fill(this.pause, !this.#isPaused ? 'Pause'
      : waiting ? `Go on (${grouped(waiting)} waiting)` : 'Go on')
    this.pause.setAttribute('aria-pressed', this.#isPaused)
  }

  #showState() {
    const {state, position, error} = this.#feed
    const isShownAtBar = state === 'refused' && !this.bar.hidden && this.bar.refuse(error)
    const name = this.#isPaused && state === 'following' ? 'paused' : state
    const texts = {
      connecting: 'Connecting…', following: 'Following',
      paused: 'Paused', away: `The service is away. The feed goes on after ${position}.`,
      full: `${grouped(mostSaves)} saves are shown, as many as the page keeps. `,
      refused: isShownAtBar ? 'Refused'
        : [error?.message, error?.hint].filter(Boolean).join(' – '),
    }
    this.state.dataset.state = name
    fill(this.state, texts[name], state === 'full' && h('a', {
      href: this.#address.with({since: position, open: ''}).toString(),
    }, 'The next ones'))
    this.pause.hidden = state === 'full' || state === 'refused'
    this.#showFigures()
  }

  #showFigures() {
    const feed = this.#feed
    const {count} = this.list
    this.older.hidden = feed.isWhole || !feed.begin
    this.older.textContent = feed.isReading ? 'Reading older saves…' : 'Older saves'
    this.none.hidden = !this.list.isEmpty || feed.state !== 'following' || feed.isReading
    // A large save takes a while to be read.
    this.none.textContent = feed.since ? 'What was saved since then appears here as it is read.'
      : 'What is saved appears here at once.'
    const parts = [count || !feed.isReading
      ? `${grouped(count)} ${count === 1 ? 'save' : 'saves'}` : 'Reading the last saves…']
    if (feed.isWhole && count) parts.push('back to the oldest one')
    if (!feed.since && count >= mostSaves) parts.push('only the newest are kept')
    if (this.#rate) parts.push(`${grouped(this.#rate)} a second`)
    this.figures.textContent = parts.join(' · ')
  }

  /** Shows the save after a position, which is read if it is not in the list. */
  async #showSave(position) {
    this.save.hidden = !position
    if (!position) return
    const save = this.list.saveAfter(position) ?? await this.#feed.saveAfter(position)
    if (position !== this.#address.get('open')) return
    const close = h('button', {class: 'plain', 'aria-label': 'Close the save',
      onclick: () => this.#closeSave()}, icon('close'))
    const kept = Object.fromEntries(filters.map(name => [name, this.#address.get(name)]))
    fill(this.save, h('header', {}, h('h2', {}, 'Save'), close),
      save ? details(save, kept)
        : h('p', {}, `The history does not have the save after ${position}.`))
    this.save.scrollTop = 0
    close.focus()
  }

  #closeSave() {
    this.#go({open: ''})
    this.list.focus()
  }

  #go(parameters) { location.hash = this.#address.with(parameters).toString() }
}

customElements.define('stele-feed', FeedView)
