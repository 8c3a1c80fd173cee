// Rows of a file as a table, with what is wrong in them.

import {h, fill} from '../../parts/dom.js'
import {grouped, show} from '../../values.js'
import '../../parts/table.js'

/** Characters of a cell that are shown. */
const longest = 300

/** Rows that are all there, as a table's source. */
class Rows extends EventTarget {
  constructor(rows) {
    super()
    this.rows = rows
    this.count = rows.length
  }

  row(index) { return this.rows[index] }
  need() {}
}

/**
 * `<stele-import-preview>`: one of several lists of rows at a time. The cells that do not fit are
 * marked, and a column says why, as does a line below the table for the active row.
 */
class ImportPreview extends HTMLElement {
  #lists = []
  #shown = 0

  /**
   * Shows lists of rows of a plan: `[{title, rows}]`. The list at the same place stays shown.
   * @param columns the columns of the plan
   */
  show(columns, lists) {
    this.#lists = lists.filter(it => it.rows.length)
    if (this.#shown >= this.#lists.length) this.#shown = 0
    if (!this.table) {
      this.choices = h('div', {class: 'choices', role: 'group', 'aria-label': 'Rows'})
      this.note = h('p', {class: 'note', role: 'status'})
      this.table = h('stele-table', {
        onactive: event => fill(this.note, this.#reasons(event.detail.row)),
      })
      fill(this, this.choices, this.table, this.note)
    }
    this.hidden = !this.#lists.length
    this.columns = columns
    this.#draw()
  }

  #draw() {
    const list = this.#lists[this.#shown]
    if (!list) return
    fill(this.choices, this.#lists.length === 1 ? h('span', {class: 'hint'}, list.title)
      : this.#lists.map(({title}, index) => h('button', {
        'aria-pressed': String(index === this.#shown), onclick: () => this.#choose(index),
      }, title)))
    this.table.label = list.title
    const line = {title: 'Line', width: 72, class: 'number', show: (row, cell) => {
      cell.textContent = grouped(row.line)
    }}
    const wrong = {title: 'What is wrong', width: 360, show: (row, cell) => {
      cell.textContent = this.#reasons(row)
    }}
    this.table.columns = [line, ...list.rows.some(it => it.misfits.length) ? [wrong] : [],
      ...this.columns.map((column, index) => tableColumn(column, index))]
    this.table.source = new Rows(list.rows)
    fill(this.note, this.#reasons(list.rows[0]))
  }

  #reasons(row) {
    return row.misfits.map(({column, reason}) =>
      column < 0 ? reason : `${this.columns[column].name}: ${reason}`).join(' · ')
  }

  #choose(index) {
    this.#shown = index
    this.#draw()
    this.choices.children[index].focus()
  }
}

function tableColumn({name, target}, index) {
  return {
    title: name, width: 160,
    class: target ? '' : 'unused',
    show: (row, cell) => {
      const value = row.cells[index]
      const misfit = row.misfits.find(it => it.column === index)
      show(cell, typeof value === 'string' ? value.slice(0, longest) : value, 'String')
      cell.classList.toggle('wrong', Boolean(misfit))
      cell.title = misfit?.reason ?? ''
    },
  }
}

customElements.define('stele-import-preview', ImportPreview)
