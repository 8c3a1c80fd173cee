// An import while it runs, and its result.

import {h, fill} from '../../parts/dom.js'
import {notice} from '../../parts/notice.js'
import {download} from '../../parts/download.js'
import {Address} from '../../address.js'
import {csvLine} from './csv.js'
import {Importer} from './importer.js'
import './preview.js'
import {grouped} from '../../values.js'

/** Milliseconds over which the speed is measured. */
const measured = 5000

/**
 * `<stele-import-run>`: runs an import, and shows what it has done. It sends `again` when the
 * person wants to import another file.
 */
class ImportRun extends HTMLElement {
  isRunning = false
  #importer
  #count
  #abort = null
  #marks = []
  #keep = event => event.preventDefault()

  /**
   * Imports the rows of a file by a plan.
   * @param count the number of rows of the file
   * @param stops whether the first row that the service refuses ends it
   */
  async run(plan, file, form, {count, stops}) {
    this.#importer = new Importer(plan, file, form, {stops})
    this.#importer.addEventListener('progress', () => this.#say())
    this.#count = count
    await this.#run()
  }

  disconnectedCallback() { this.#abort?.abort() }

  async #run() {
    this.#abort = new AbortController()
    this.#marks = []
    this.bar = h('progress', {max: this.#count, value: 0, 'aria-label': 'Rows that are done'})
    this.text = h('p', {})
    const cancel = h('button', {onclick: () => this.#abort.abort()}, 'Cancel')
    fill(this, h('h2', {}, `Importing ${this.#importer.file.name}`), this.bar, this.text,
      h('div', {class: 'buttons'}, cancel))
    cancel.focus()
    addEventListener('beforeunload', this.#keep)
    this.#say()
    this.isRunning = true
    await this.#importer.run(this.#abort.signal)
    this.isRunning = false
    removeEventListener('beforeunload', this.#keep)
    if (this.isConnected) return this.#finish()
    // The person has gone to another view.
    notice.done(`The import was cancelled. ${rows(this.#importer.saved)} saved.`)
  }

  get #done() { return this.#importer.saved + this.#importer.refused.length }

  #say() {
    const now = performance.now()
    this.#marks = this.#marks.filter(it => now - it.time < measured)
    this.#marks.push({time: now, done: this.#done})
    const first = this.#marks[0]
    const speed = (this.#done - first.done) / (now - first.time) * 1000
    this.bar.value = this.#done
    fill(this.text, this.#importer.error
      ? `${this.#importer.error.message.replace(/\.?$/, '.')} The import goes on when it can.`
      : [`${grouped(this.#done)} of ${grouped(this.#count)} rows`,
        speed > 0 && ` · ${grouped(Math.round(speed))} rows a second`,
        speed > 0 && ` · ${duration((this.#count - this.#done) / speed)} left`])
  }

  #finish() {
    const {saved, met, refused, end, plan, where} = this.#importer
    const stored = plan.policy === 'storeTrump' ? saved - met : saved
    const rest = this.#count - this.#done
    const address = new Address(['rows', plan.entity.name], {where})
    const preview = h('stele-import-preview')
    fill(this, h('h2', {tabIndex: -1}, `${rows(stored)} saved`),
      h('div', {role: 'status'}, this.#reasons(rest)),
      h('div', {class: 'buttons'},
        saved > 0 && h('a', {class: 'button', href: address.toString()},
          where ? 'Show these rows' : `Show all rows of ${plan.entity.name}`),
        refused.length > 0 && h('button', {onclick: () => this.#download()},
          `Download the ${grouped(refused.length)} refused`),
        end !== 'done' && rest > 0 && h('button', {onclick: () => this.#run()},
          `Go on with the ${grouped(rest)} left`),
        h('button', {onclick: () => this.dispatchEvent(new Event('again'))},
          'Import another file')),
      preview)
    preview.show(plan.columns, [{title: 'Refused rows', rows: refused}])
    this.querySelector('h2').focus()
  }

  /** What happened to the rows that are not saved. */
  #reasons(rest) {
    const {met, refused, end, error, open, plan} = this.#importer
    const texts = {
      done: '', cancelled: 'The import was cancelled.',
      stopped: `The import stopped at a refused row: ${error?.message}.`,
      failed: `The import failed: ${error?.message}`,
    }
    return [
      met > 0 && h('p', {}, plan.policy === 'storeTrump'
        ? `${rows(met)} of objects that exist, and stay as they were.`
        : `${rows(met)} of objects that existed, and are updated.`),
      texts[end] && h('p', {class: end === 'cancelled' ? '' : 'bad'}, texts[end],
        end === 'failed' && error.hint && ` ${error.hint}`),
      refused.length > 0 && h('p', {},
        `${rows(refused.length)} refused. The table below has the reasons.`),
      open && h('p', {}, `The answer for lines ${open.map(grouped).join(' to ')} did not come. `
        + 'They may be saved; going on sends them again, and each is saved once.'),
      end !== 'done' && rest > 0 && h('p', {}, `${rows(rest)} not sent or not answered.`),
    ]
  }

  #download() {
    const {refused, plan, file} = this.#importer
    const lines = refused.map(({cells, misfits}) => csvLine([...cells, misfits.map(it =>
      it.column < 0 ? it.reason : `${plan.columns[it.column].name}: ${it.reason}`).join('; ')]))
    const head = csvLine([...plan.columns.map(it => it.name), 'reason'])
    download(new Blob([head, ...lines], {type: 'text/csv'}),
      `${file.name.replace(/\.\w+$/, '')}-refused.csv`)
  }
}

function rows(count) { return count === 1 ? '1 row is' : `${grouped(count)} rows are` }

function duration(seconds) {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

customElements.define('stele-import-run', ImportRun)
