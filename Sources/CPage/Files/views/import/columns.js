// What each column of a file is imported as.

import {h, fill} from '../../parts/dom.js'
import {waysOf} from './values.js'
import {grouped} from '../../values.js'

/** Examples of a column, and their characters. */
const examples = 3
const longestExample = 32

/**
 * `<stele-import-columns>`: the columns of a file, each with a choice of what it is imported as
 * and how it is written. It sends `change` when one is made.
 */
class ImportColumns extends HTMLElement {
  #columns = []
  #rows = []

  /**
   * Shows columns of a plan.
   * @param rows the first rows of the file, for the examples
   * @param targets what can be chosen, as of `targetsOf`
   */
  show(columns, rows, targets) {
    this.#columns = columns
    this.#rows = columns.map((column, index) => this.#row(column, rows, index, targets))
    const titles = ['Column', 'Examples', 'Imported as', 'Written as', 'Check']
    fill(this, h('table', {'aria-label': 'Columns of the file'},
      h('thead', {}, h('tr', {}, titles.map(it => h('th', {scope: 'col'}, it)))),
      h('tbody', {}, this.#rows.map(it => it.element))))
  }

  /** Shows what a check has found; null while it runs. */
  set report(report) {
    for (const [index, {ways, state}] of this.#rows.entries()) {
      const column = this.#columns[index]
      if (ways.options.length) this.#showWays(ways, column, report, index)
      fill(state, report && this.#stateOf(column, report, index))
      state.classList.toggle('bad', Boolean(report?.columns[index].wrong))
    }
  }

  #row(column, rows, index, targets) {
    const texts = new Set(rows.map(it => it.cells[index]).filter(it => it != null && it !== ''))
    const shown = [...texts].slice(0, examples).flatMap((it, place) =>
      [place > 0 && ' · ', h('bdi', {}, short(it))])
    const ways = h('select', {
      'aria-label': `How ${column.name} is written`,
      onchange: () => this.#change(column, {way: ways.value}),
    })
    const target = choice(column, targets, chosen => {
      this.#change(column, {target: chosen, way: '', shown: ''})
      this.#fillWays(ways, column)
    })
    const state = h('td', {class: 'state'})
    this.#fillWays(ways, column)
    return {ways, state, element: h('tr', {},
      h('th', {scope: 'row'}, h('bdi', {}, column.name)),
      h('td', {class: 'examples'}, shown),
      h('td', {}, target), h('td', {}, ways), state)}
  }

  #change(column, values) {
    Object.assign(column, values)
    this.dispatchEvent(new Event('change'))
  }

  #fillWays(select, {target, way}) {
    const ways = target && waysOf(target.attribute)
    select.hidden = !ways
    fill(select, ways && [
      h('option', {value: ''}, 'as the cells show'),
      ...Object.entries(ways).map(([name, title]) => h('option', {value: name}, title)),
    ])
    select.value = way
  }

  #showWays(select, column, report, index) {
    const isUnclear = report?.isUnclear(index, column)
    const title = waysOf(column.target.attribute)[column.shown]
    select.options[0].text = isUnclear ? 'Choose' : title ? `found: ${title}` : 'as the cells show'
    if (isUnclear) select.setAttribute('aria-invalid', 'true')
    else select.removeAttribute('aria-invalid')
  }

  #stateOf(column, report, index) {
    if (!column.target) return null
    const {wrong, first, shown} = report.columns[index]
    const place = ({line, cell}) => [h('q', {dir: 'auto'}, short(cell)), ` in line ${line}`]
    if (report.isUnclear(index, column)) {
      const [one, other] = Object.values(shown)
      return h('span', {class: 'bad'}, place(shown.both ?? one), shown.both
        ? ' can be read in both ways.' : [' contradicts ', place(other), '.'])
    }
    if (!wrong) return h('span', {class: 'good'}, 'fits')
    const example = first.cell == null ? `line ${first.line}` : place(first)
    return h('span', {}, `${grouped(wrong)} wrong: `, example, `: ${first.reason}`)
  }
}

/** The select of what a column is imported as. */
function choice(column, targets, choose) {
  const groups = new Map([['', []]])
  for (const [index, {relationship, key, path, attribute}] of targets.entries()) {
    const group = relationship ? `${relationship.name} → ${relationship.destination.name}` : ''
    if (!groups.has(group)) groups.set(group, [])
    groups.get(group).push(h('option', {value: String(index)},
      relationship ? `${path[0]} by ${attribute.name}` : key))
  }
  const select = h('select', {
    'aria-label': `What ${column.name} is imported as`,
    onchange: () => choose(targets[select.value] ?? null),
  }, h('option', {value: ''}, 'do not import'), [...groups].map(([label, options]) =>
    label ? h('optgroup', {label}, options) : options))
  select.value = column.target ? String(targets.indexOf(column.target)) : ''
  return select
}

function short(cell) {
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
  return text.length > longestExample ? `${text.slice(0, longestExample)}…` : text
}

customElements.define('stele-import-columns', ImportColumns)
