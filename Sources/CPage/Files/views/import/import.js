// Importing a file: it is shown, matched to an entity, checked, and sent.

import {h, fill} from '../../parts/dom.js'
import {icon} from '../../parts/icon.js'
import {entityTabs} from '../../parts/entity-tabs.js'
import {defaults} from './values.js'
import {formOf, namesOf, pieces} from './file.js'
import {matched, targetsOf} from './targets.js'
import {Plan} from './plan.js'
import {session} from '../../session.js'
import {bytes, grouped} from '../../values.js'
import {check, formFields, optionFields, select} from './form.js'
import './columns.js'
import './preview.js'
import './run.js'

/** Rows of a file that are shown before it is imported. */
const shownRows = 100
const kinds = '.csv,.tsv,.tab,.txt,.ndjson,.jsonl,.json,text/csv'

/** `<stele-import>`: the view of `#/import/Player`. The file does not leave the browser. */
class ImportView extends HTMLElement {
  /** Ends the reading of a file when another begins. */
  #reading = new AbortController()

  /** Shows the address of an entity. A file that is open stays. */
  async show(address) {
    this.address = address.toString()
    this.entity = session.model.entity(address.path[1])
    if (!this.body) {
      this.tabs = h('div', {class: 'tabs'})
      this.body = h('div', {class: 'scrolled'})
      this.footer = h('div', {class: 'footer'})
      fill(this, this.tabs, this.body, this.footer)
      this.ondragover = event => event.preventDefault()
      this.ondrop = event => this.#drop(event)
      this.#choose()
    }
    fill(this.tabs, entityTabs(this.entity, address))
  }

  disconnectedCallback() { this.#reading.abort() }

  /** What a person is asked who goes to another view; empty where nothing would be ended. */
  get unfinished() {
    return this.querySelector('stele-import-run')?.isRunning
      ? 'The import is still running. Leave this view and cancel it?' : ''
  }

  // The file

  /** Asks for a file. */
  #choose() {
    this.#reading.abort()
    this.footer.hidden = true
    this.mayDrop = session.may('create', this.entity) && !session.isReadOnly
    if (!this.mayDrop) {
      return fill(this.body, h('p', {class: 'empty'},
        `New objects of ${this.entity.name} cannot be made with these rights.`))
    }
    const concrete = this.entity.family.filter(it => !it.isAbstract && it !== this.entity)
    this.alert = h('p', {class: 'bad', role: 'alert'})
    fill(this.body, !this.entity.isAbstract && this.#place(), this.alert,
      concrete.length > 0 && h('p', {}, this.entity.isAbstract
        ? `${this.entity.name} is abstract. Its objects are of a subentity: `
        : `Objects of a subentity of ${this.entity.name} are imported there: `,
        concrete.flatMap((it, index) => [index > 0 && ', ',
          h('a', {href: `#/import/${encodeURIComponent(it.name)}`}, it.name)])))
  }

  #place() {
    const field = h('input', {
      type: 'file', accept: kinds, onchange: () => this.#open(field.files[0]),
    })
    return h('label', {class: 'drop'}, icon('import'),
      h('strong', {}, `Drop a file with objects of ${this.entity.name} here, or choose one`),
      field,
      h('span', {class: 'hint'}, 'CSV with any separator, TSV, or NDJSON with one object a line. '
        + 'The file is shown and checked before anything is saved.'))
  }

  #drop(event) {
    event.preventDefault()
    if (this.mayDrop && !this.entity.isAbstract) this.#open(event.dataTransfer.files[0])
  }

  async #open(file) {
    if (!file) return
    fill(this.alert)
    try {
      const form = await formOf(file)
      this.file = file
      this.options = {...defaults, hasValues: form.kind === 'ndjson'}
      this.policy = 'error'
      this.stops = ''
      this.content = h('div')
      fill(this.body,
        h('section', {class: 'file'},
          h('h2', {}, h('span', {dir: 'auto'}, file.name), ' ',
            h('span', {class: 'hint'}, bytes(file.size))),
          formFields(form, it => this.#do(() => this.#read({...this.form, ...it}))),
          h('button', {onclick: () => this.#choose()}, 'Another file')),
        this.alert, this.content)
      this.footer.hidden = false
      await this.#do(() => this.#read(form))
    } catch (error) {
      fill(this.alert, `${file.name}: ${error.message}`)
    }
  }

  /** Reads the file again for what the person has changed. An error is shown at its fields. */
  async #do(read) {
    fill(this.alert)
    try {
      await read()
    } catch (error) {
      if (error.name === 'AbortError') return
      fill(this.alert, error.message)
      fill(this.footer)
    }
  }

  #newSignal() {
    this.#reading.abort()
    this.#reading = new AbortController()
    return this.#reading.signal
  }

  /** Reads the names and the first rows of the file, and matches its columns. */
  async #read(form) {
    const signal = this.#newSignal()
    this.form = form
    form.names = await namesOf(this.file, form, signal)
    const first = await pieces(this.file, form, {signal}).next()
    this.first = (first.value ?? []).slice(0, shownRows)
    const targets = targetsOf(this.entity)
    const found = matched(form.names, this.first, targets)
    this.columns = form.names.map((name, index) =>
      ({name, target: found[index], way: '', shown: ''}))
    const again = () => this.#do(() => this.#check())
    this.table = h('stele-import-columns', {onchange: again})
    this.preview = h('stele-import-preview')
    this.table.show(this.columns, this.first, targets)
    fill(this.content, h('h2', {}, 'Columns'), this.table,
      optionFields(this.options, it => {
        Object.assign(this.options, it)
        again()
      }),
      h('h2', {}, 'Rows'), this.preview)
    await this.#check()
  }

  // What is done with it

  /** Checks the whole file. Nothing is sent. */
  async #check() {
    const signal = this.#newSignal()
    const plan = new Plan(this.entity, this.columns, this.options, this.policy)
    const bar = h('progress', {max: this.file.size, value: 0, 'aria-label': 'Checked'})
    fill(this.footer, 'Checking', bar)
    this.table.report = null
    this.preview.show(this.columns,
      [{title: 'First rows', rows: await plan.rows(this.first, signal)}])
    const report = await plan.check(this.file, this.form, {
      signal, progress: read => { bar.value = read },
    })
    const first = await plan.rows(this.first, signal)
    signal.throwIfAborted()
    this.table.report = report
    this.preview.show(this.columns, [
      {title: report.rows > shownRows ? `First ${shownRows} rows` : 'All rows', rows: first},
      {title: `Wrong rows (${grouped(report.wrong)})`, rows: report.wrongRows},
    ])
    this.#offer(plan, report)
  }

  /** Shows what the check has found, and offers the import. */
  #offer(plan, report) {
    const good = report.rows - report.wrong
    const unclear = this.columns.filter((it, index) => report.isUnclear(index, it))
    const obstacles = [...plan.obstacles, ...unclear.map(it => `How is ${it.name} written?`)]
    if (!good) obstacles.push('No row can be imported.')
    const button = h('button', {class: 'main', onclick: () => this.#import(plan, report)},
      `Import ${count(good)}`)
    const enable = agreed => {
      button.disabled = obstacles.length > 0 || (report.wrong > 0 && !agreed)
    }
    enable(false)
    fill(this.footer,
      h('div', {class: 'found', role: 'status'},
        obstacles.length ? obstacles.map(it => h('p', {class: 'bad'}, it))
          : h('p', {}, `${count(report.rows)}: `,
            report.wrong ? `${grouped(report.wrong)} wrong` : 'all fit')),
      plan.constraints.length > 0 && this.#policies(plan.constraints),
      select('A row that the service refuses', [['', 'is left out'], ['stop', 'ends the import']],
        this.stops, it => { this.stops = it }),
      report.wrong > 0 && check('Leave out what is wrong', false, enable), button)
  }

  /** The choice of what happens with rows whose objects exist. */
  #policies(constraints) {
    const names = constraints.map(it => it.join(' and ')).join(', or ')
    const policies = [['error', 'refuses the row'], ['storeTrump', 'stays as it is']]
    if (session.may('update', this.entity)) policies.push(['objectTrump', 'is updated'])
    return select(`An object with the same ${names}`, policies, this.policy, async policy => {
      this.policy = policy
      await this.#do(() => this.#check())
      this.footer.querySelector('select')?.focus()
    })
  }

  async #import(plan, report) {
    this.footer.hidden = true
    this.mayDrop = false
    const run = h('stele-import-run', {onagain: () => this.#choose()})
    fill(this.body, run)
    await run.run(plan, this.file, this.form, {count: report.rows, stops: Boolean(this.stops)})
  }
}

function count(rows) { return `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}` }

customElements.define('stele-import', ImportView)
