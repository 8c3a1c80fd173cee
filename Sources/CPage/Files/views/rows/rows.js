// The table of an entity's objects, with the open object beside it.

import {h, fill} from '../../parts/dom.js'
import {icon} from '../../parts/icon.js'
import '../../parts/table.js'
import '../../parts/predicate-bar.js'
import './object-panel.js'
import './editing-bar.js'
import {codeButton} from '../../parts/code-dialog.js'
import {chooseColumns} from './column-dialog.js'
import {entityTabs} from '../../parts/entity-tabs.js'
import {field} from '../../parts/field.js'
import {showExport} from '../../parts/export-dialog.js'
import {columns, keyPaths, selection, sortKeys} from '../../columns.js'
import {editing, isAbout} from '../../editing.js'
import {LiveSource} from './live-source.js'
import {newObject} from './new-object.js'
import {RowSource} from './row-source.js'
import {listRequest} from '../../service.js'
import {session} from '../../session.js'
import {grouped} from '../../values.js'

/** The parameters of an address that decide which rows there are. */
const listParameters = ['where', 'sort', 'columns', 'subentities', 'live']

/** `<stele-rows>`: the view of `#/rows/Player?where=…&sort=…&columns=…&live=1&open=…`. */
class RowsView extends HTMLElement {
  #address = null
  #source = null
  /** The editing context that the rows were read in. */
  #path = null
  #onEditing = event => this.#edited(event.detail ?? {})

  /** Shows an address of the same entity. */
  async show(address) {
    const before = this.#address
    this.#address = address
    this.entity = session.model.entity(address.path[1])
    if (!before) this.#build()
    this.bar.show(this.entity, address)
    fill(this.heads, entityTabs(this.entity, address))
    this.live.setAttribute('aria-pressed', String(address.get('live') !== ''))
    if (!before || listParameters.some(name => before.get(name) !== address.get(name))) {
      await this.#read()
    }
    await this.#showPanel(address.get('open'))
  }

  connectedCallback() { editing.addEventListener('change', this.#onEditing) }

  disconnectedCallback() {
    editing.removeEventListener('change', this.#onEditing)
    this.#source?.close()
  }

  #build() {
    this.heads = h('div', {class: 'heads'})
    this.bar = h('stele-predicate-bar')
    this.table = h('stele-table', {
      onsort: event => this.#sort(event.detail),
      onopen: event => this.#go({open: event.detail.row?._id}),
      onedit: event => this.#edit(event.detail),
      onremove: event => this.#remove(event.detail),
    })
    this.table.label = `Objects of ${this.entity.name}`
    this.panel = h('stele-object-panel', {hidden: true,
      onclose: () => this.#close()})
    this.footer = h('div', {class: 'footer', role: 'status'})
    this.none = h('p', {class: 'none hint', hidden: true})
    const bar = h('stele-editing-bar', {onrefused: event => this.#refused(event.detail)})
    this.split = h('div', {class: 'split'}, this.table, this.none, this.panel)
    fill(this, h('div', {class: 'tabs'}, this.heads, this.#tools()), this.bar,
      this.split, bar, this.footer)
  }

  /** The buttons of what the token may do. */
  #tools() {
    const {entity} = this
    this.live = h('button', {title: 'Show saves as they happen',
      onclick: () => this.#go({live: this.#address.get('live') ? '' : '1'})}, icon('live'), 'Live')
    const canCreate = session.may('create', entity)
    return h('div', {class: 'tools'},
      canCreate && h('button', {onclick: () => this.#create()}, icon('plus'), 'New'),
      this.live,
      h('button', {onclick: () => this.#chooseColumns()}, icon('columns'), 'Columns'),
      canCreate && h('a', {class: 'button', href: `#/import/${encodeURIComponent(entity.name)}`},
        icon('import'), 'Import'),
      h('button', {onclick: () => showExport(entity, this.#address)}, icon('export'), 'Export'),
      codeButton(() => listRequest(entity.path, this.#query)))
  }

  /** The parameters of the list. */
  get #query() {
    const address = this.#address
    return {
      where: address.get('where'), sort: address.get('sort'),
      select: selection(this.entity, keyPaths(this.entity, address)),
      subentities: address.get('subentities'),
    }
  }

  /** Reads the list of the address. */
  async #read() {
    const address = this.#address
    // A live query follows saves: what is unsaved is not in it.
    const isLive = address.get('live') !== ''
    this.#path = isLive ? this.entity.path : editing.path(this.entity.path)
    const source = new (isLive ? LiveSource : RowSource)(this.#path, this.#query)
    source.stateOf = row => editing.markOf(row)
    // Followed rows show what is stored.
    source.changesOf = row => row && !isLive && editing.updateOf(row)?.changed
    source.addEventListener('problem', event => Promise.reject(event.detail))
    source.addEventListener('change', () => this.#say(source))
    source.addEventListener('count', () => this.#say(source))
    source.addEventListener('moved', event => this.#flash(event.detail))
    this.#source?.close()
    this.#source = source
    this.none.hidden = true
    try {
      await source.open()
      this.bar.clear()
    } catch (error) {
      if (error.isContextGone) {
        await editing.revive()
        return this.#read()
      }
      if (this.#source !== source) return
      if (!this.bar.refuse(error)) throw error
      this.split.dataset.state = 'refused'
      fill(this.footer, this.table.source && 'These are the rows from before.')
      return
    }
    // Another address may have come while the rows were read.
    if (this.#source !== source) return
    delete this.split.dataset.state
    this.table.columns = columns(
      this.entity, keyPaths(this.entity, address), address)
    this.table.source = source
  }

  #flash(indexes) {
    requestAnimationFrame(() => requestAnimationFrame(() => {
      for (const index of indexes) this.table.flash(index)
    }))
  }

  #say(source) {
    if (this.#source !== source) return
    const count = grouped(source.count)
    this.none.hidden = source.count > 0 || !source.isCounted
    const where = this.#address.get('where')
    fill(this.none, where ? 'No object satisfies the predicate.'
      : `There is no ${this.entity.name} yet.`,
    /\blike\b[^"']*["'][^"']*%/i.test(where) && ' The wildcards of LIKE are * and ?.')
    const most = source.isLimited ? `The first ${count} objects are followed.` : null
    fill(this.footer, most ?? (source.isCounted
      ? `${count} ${source.count === 1 ? 'object' : 'objects'}` : `${count} objects and more`))
  }

  // The open object

  async #showPanel(id) {
    this.panel.hidden = id === ''
    if (id === '') return
    const key = /^\d+$/.test(id) ? Number(id) : id
    await Promise.all([this.panel.show(this.entity, key), this.#activate(key)])
  }

  /** Brings the row of the open object into view, where the table has it. */
  async #activate(key) {
    const source = this.table.source
    if (!source || source !== this.#source) return
    const [{activeIndex}, open] = [this.table, this.#address.get('open')]
    const index = await source.find(key)
    // Another row may have become the active one meanwhile.
    const isSame = source === this.table.source && activeIndex === this.table.activeIndex
    if (index >= 0 && isSame && open === this.#address.get('open')) this.table.activate(index)
  }

  #close() {
    this.#go({open: ''})
    this.table.focus()
  }

  // Changes

  /**
   * Reads the rows again after a step: they are as the editing context sees them.
   * @param ids after a save, the entries of new objects by their temporary ids
   */
  async #edited(ids) {
    if (!this.#source || !this.isConnected) return
    const open = this.#address.get('open')
    const isUnsaved = /^t/.test(open)
    if (ids[open]) this.#replace({open: ids[open]._id})
    else if (isUnsaved && !editing.isUnsaved(open)) this.#replace({open: ''})
    const path = editing.path(this.entity.path)
    if (path !== this.#path && !this.#address.get('live')) {
      this.#path = path
      this.#source.path = path
    }
    // A list that was refused has no rows to read again.
    if (this.split.dataset.state !== 'refused') await this.#source.reload()
    this.table.refresh()
    if (open && (!isUnsaved || editing.isUnsaved(open))) await this.panel.refresh()
  }

  async #create() {
    const entity = await this.#concrete()
    if (!entity) return
    const object = editing.isDirect ? await newObject(entity) : await editing.create(entity, {})
    if (!object) return
    if (!editing.isDirect) this.panel.beginEditing()
    this.#go({open: object._id})
  }

  /** The entity of a new object: the one that is shown, or a subentity of it that is chosen. */
  async #concrete() {
    const possible = this.entity.family.filter(
      it => !it.isAbstract && session.may('create', it))
    if (possible.length === 1) return possible[0]
    const {showDialog} = await import('../../parts/dialog.js')
    const name = await showDialog('New object', h('p', {}, 'Of which entity?'),
      [...possible.map(it => [it.name, it.name]), ['Cancel', undefined]])
    return possible.find(it => it.name === name)
  }

  /** Puts a field over a cell. Enter keeps what is typed, Escape does not. */
  #edit({index, column, row}) {
    const property = column?.property
    const isPossible = row && property?.kind === 'attribute' && !property.isReadOnly
      && !column.key.includes('.') && property.type !== 'Binary'
      && session.may('update', this.entity)
    if (!isPossible) return row && this.#go({open: row._id})
    const {element, control, read} = field(property, row[column.key])
    const error = h('p', {class: 'error-text', role: 'alert'})
    control.setAttribute('aria-label', `${property.name} of ${row._id}`)
    let isDone = false
    const end = () => {
      isDone = true
      this.table.edit(index, column, null)
      this.table.focus()
    }
    const keep = async () => {
      if (isDone) return
      isDone = true
      try {
        await this.#keep(row, column, read())
        end()
      } catch (problem) {
        isDone = false
        control.setAttribute('aria-invalid', 'true')
        fill(error, problem.errors?.[0]?.message ?? problem.message)
        control.focus()
      }
    }
    control.addEventListener('change', keep)
    control.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey) return
      event.stopPropagation()
      if (event.key === 'Escape') end()
      else if (event.key === 'Enter' && !event.shiftKey) keep()
    })
    this.table.edit(index, this.table.columns.indexOf(column), h('div', {}, element, error))
    control.select?.()
  }

  /**
   * Changes a value, and takes the change back where the model refuses it.
   * @throws the problem of the value
   */
  async #keep(row, {key, property}, value) {
    if (JSON.stringify(value) === JSON.stringify(row[key])) return
    const entity = session.model.entity(row._entity)
    editing.check(row._id, this.#source.generation)
    await editing.change(entity, row._id, {[property.name]: value}, row._version)
    const problem = await editing.validate()
    const mine = problem?.errors?.find(it =>
      it.key === property.name && isAbout(it, entity, row._id))
    if (!mine) return
    await editing.takeBack()
    throw new Error(mine.message)
  }

  async #remove({row}) {
    if (!row || !session.may('delete', this.entity)) return
    editing.check(row._id, this.#source.generation)
    if (editing.isDirect && !confirm(`Delete ${row._entity} ${row._id}?`)) return
    await editing.remove(session.model.entity(row._entity), row._id)
  }

  /** Shows the errors of a refused save at the open object. */
  #refused(errors) {
    const open = this.#address.get('open')
    const mine = errors.filter(it => isAbout(it, this.entity, open))
    if (open && mine.length) this.panel.refuse(mine)
  }

  // The address

  async #chooseColumns() {
    const chosen = await chooseColumns(this.entity, keyPaths(this.entity, this.#address))
    if (chosen) this.#go({columns: chosen.join(',')})
  }

  /** Sorts by a column: ascending, then descending, then not. With Shift, after the others. */
  #sort({column, event}) {
    if (column.sort === undefined) return
    const key = column.sortKey ?? column.key
    const keys = sortKeys(this.#address.get('sort'))
    const present = keys.find(it => it.key === key)
    const mine = present ? (present.isDescending ? [] : [{key, isDescending: true}]) : [{key}]
    const others = event?.shiftKey ? keys.filter(it => it.key !== key) : []
    const sort = [...others, ...mine].map(it => (it.isDescending ? '-' : '') + it.key)
    this.#go({sort: sort.join(',')})
  }

  /** Goes to an address that takes the place of this one: there is no way back to it. */
  #replace(parameters) { location.replace(this.#address.with(parameters).toString()) }

  #go(parameters) { location.hash = this.#address.with(parameters).toString() }
}

customElements.define('stele-rows', RowsView)
