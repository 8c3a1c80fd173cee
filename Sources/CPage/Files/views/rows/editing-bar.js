// The bar of the unsaved changes: undo, redo, review, save.

import {h, fill} from '../../parts/dom.js'
import {icon} from '../../parts/icon.js'
import {notice} from '../../parts/notice.js'
import {showDialog} from '../../parts/dialog.js'
import {resolveConflicts} from './conflicts.js'
import {review} from './review.js'
import {objectAddress} from '../../columns.js'
import {editing} from '../../editing.js'
import {session} from '../../session.js'
import {grouped} from '../../values.js'

/** `<stele-editing-bar>`: there while something is unsaved. It sends `refused` with the errors. */
class EditingBar extends HTMLElement {
  #isSaving = false
  #draw = () => this.#show()
  #onKey = event => this.#key(event)

  connectedCallback() {
    if (!this.count) this.#build()
    editing.addEventListener('change', this.#draw)
    addEventListener('keydown', this.#onKey)
    this.#show()
  }

  disconnectedCallback() {
    editing.removeEventListener('change', this.#draw)
    removeEventListener('keydown', this.#onKey)
  }

  #build() {
    this.setAttribute('role', 'region')
    this.setAttribute('aria-label', 'Unsaved changes')
    this.count = h('strong', {'aria-live': 'polite'})
    this.undo = button('Undo', 'undo', () => editing.undo())
    this.redo = button('Redo', 'redo', () => editing.redo())
    this.save = h('button', {class: 'main', onclick: () => this.#save()}, 'Save')
    fill(this, this.count, this.undo, this.redo, h('span', {class: 'space'}),
      h('button', {onclick: review}, 'Review'),
      h('button', {onclick: () => this.#discard()}, 'Discard'), this.save)
  }

  #show() {
    const {inserted = 0, updated = 0, deleted = 0} = editing.state ?? {}
    this.hidden = !editing.hasChanges && !editing.canUndo && !editing.canRedo
    const parts = [[inserted, 'new'], [updated, 'changed'], [deleted, 'deleted']]
      .filter(([count]) => count > 0).map(([count, what]) => `${grouped(count)} ${what}`)
    this.count.textContent = parts.length ? `Unsaved: ${parts.join(', ')}` : 'Nothing is unsaved'
    this.undo.disabled = !editing.canUndo
    this.redo.disabled = !editing.canRedo
    this.save.disabled = !editing.hasChanges
  }

  /** Ctrl+S saves. Ctrl+Z undoes, where no field has the focus: a field undoes its own typing. */
  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return
    const isTyping = event.target.matches?.('input, textarea, select')
    const key = event.key.toLowerCase()
    if (key === 's') event.preventDefault()
    if (document.querySelector('dialog[open]')) return
    if (key === 's') {
      if (!event.repeat) this.#saveTyped()
    } else if (key === 'z' && !isTyping && !this.hidden) {
      event.preventDefault()
      if (event.shiftKey ? editing.canRedo : editing.canUndo) {
        event.shiftKey ? editing.redo() : editing.undo()
      }
    }
  }

  /** Saves with the value of a field that is being edited, if there is anything to save then. */
  async #saveTyped() {
    // A field sends its value when it loses the focus.
    document.activeElement?.blur()
    await editing.idle()
    if (editing.hasChanges) await this.#save()
  }

  /** Saves once at a time. A refused save saves again when it is settled. */
  async #save() {
    if (this.#isSaving) return
    this.#isSaving = true
    try {
      await this.#saveAll()
    } finally {
      this.#isSaving = false
    }
  }

  async #saveAll() {
    // A field that has lost the focus may still be sending its value.
    await editing.idle()
    try {
      const count = await editing.save()
      notice.done(`${grouped(count)} ${count === 1 ? 'object is' : 'objects are'} saved.`)
    } catch (problem) {
      if (problem.objects) {
        if (await resolveConflicts(problem.objects)) await this.#saveAll()
      } else if (problem.code === 'context.stale') await this.#stale(problem)
      else if (problem.errors) await this.#refused(problem)
      else throw problem
    }
  }

  /** Others have saved what the changes rely on: they are put on top of what is stored now. */
  async #stale(problem) {
    const goesOn = await showDialog('Others have saved related objects',
      h('p', {}, problem.detail),
      [['Go on editing', false], ['Save on top of it', true, 'main']])
    if (!goesOn) return
    await editing.refresh()
    await this.#saveAll()
  }

  /** Shows why a save was refused, with links to the objects. */
  async #refused(problem) {
    this.dispatchEvent(new CustomEvent('refused', {detail: problem.errors ?? []}))
    await showDialog('Not saved', h('div', {},
      h('p', {}, problem.detail), problem.hint && h('p', {class: 'hint'}, problem.hint),
      h('ul', {class: 'problems'}, (problem.errors ?? []).map(it => h('li', {},
        linkOf(it), ' ', it.message ?? it.name)))),
    [['Go on editing', true, 'main']])
  }

  async #discard() {
    const sure = await showDialog('Discard the unsaved changes?',
      h('p', {}, 'They cannot be brought back.'),
      [['Keep them', false], ['Discard', true, 'danger']])
    if (sure) await editing.discard()
  }
}

function button(name, picture, action) {
  return h('button', {class: 'plain', title: name, 'aria-label': name, onclick: action},
    icon(picture))
}

/** A link to the object of an entry of a refused save. */
function linkOf({object = '', entity}) {
  const id = decodeURIComponent(object.split('/').at(-1) ?? '')
  const found = session.model.entity(entity)
  if (!found || !id) return entity ?? ''
  return h('a', {href: objectAddress(found, id),
    onclick: event => event.target.closest('dialog').close()}, `${entity} ${id}`)
}

customElements.define('stele-editing-bar', EditingBar)
