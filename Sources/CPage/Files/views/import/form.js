// The fields that say how a file and its cells are read.

import {h} from '../../parts/dom.js'

const encodings = [
  'utf-8', 'windows-1252', 'iso-8859-2', 'windows-1250', 'windows-1251', 'utf-16le', 'utf-16be',
  'macintosh', 'shift_jis', 'gb18030',
]
const separators = {',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar'}

/**
 * The fields of the form of a file.
 * @param change gets the members of the form that the person has changed
 */
export function formFields(form, change) {
  const fields = [select('Encoding', encodings.map(it => [it, it.toUpperCase()]), form.encoding,
    encoding => change({encoding}))]
  if (form.kind === 'csv') {
    fields.push(
      select('Separator', Object.entries(separators), form.separator,
        separator => change({separator})),
      check('The first line has the names', form.hasHeader, hasHeader => change({hasHeader})))
  }
  return [h('div', {class: 'fields'}, fields), form.isGuess && h('p', {class: 'hint'},
    `The file does not say its encoding, and is not UTF-8. `
    + 'Look at the letters with accents.')]
}

/**
 * The fields of the options, as `defaults` of import-values.js has them.
 * @param change gets the members that the person has changed
 */
export function optionFields(options, change) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return h('details', {}, h('summary', {}, 'How cells are read'), h('div', {class: 'fields'},
    text('Texts for true', options.trues, trues => change({trues})),
    text('Texts for false', options.falses, falses => change({falses})),
    text('Null, besides the empty cell', options.nulls, nulls => change({nulls}),
      'such as NULL, n/a'),
    select('Times without an offset', [['UTC', 'UTC'], ['local', zone]], options.zone,
      zone => change({zone})),
    check('An empty text in quotes is null, too', options.quotedIsNull,
      quotedIsNull => change({quotedIsNull})),
    check('Leave out spaces at the ends of texts', options.trims, trims => change({trims}))))
}

/** A select with a label: options are pairs of a value and a title. */
export function select(label, options, value, change) {
  const field = h('select', {onchange: () => change(field.value)},
    options.map(([value, title]) => h('option', {value}, title)))
  field.value = value
  return h('label', {}, h('span', {}, label), field)
}

/** A checkbox with a label. */
export function check(label, checked, change) {
  const field = h('input', {type: 'checkbox', checked, onchange: () => change(field.checked)})
  return h('label', {class: 'check'}, field, label)
}

function text(label, value, change, placeholder = '') {
  const field = h('input', {value, placeholder, onchange: () => change(field.value)})
  return h('label', {}, h('span', {}, label), field)
}
