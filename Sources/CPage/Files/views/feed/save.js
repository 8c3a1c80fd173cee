// How a save looks: as a row of the list, and with all its values.

import {h} from '../../parts/dom.js'
import {grouped, text} from '../../values.js'
import {objectAddress} from '../../columns.js'
import {Address} from '../../address.js'

/** The changes of a save that its row shows. */
const mostLines = 6
/** The ids of a to-many relationship that are shown. */
const mostMembers = 50
/** The characters of a title and of a value that a row has room for. */
const longestTitle = 40
const longestValue = 80

const clock = {hour: 'numeric', minute: 'numeric', second: 'numeric'}
const times = new Intl.DateTimeFormat(undefined, {...clock, fractionalSecondDigits: 3})
const days = new Intl.DateTimeFormat(undefined, {day: 'numeric', month: 'short', ...clock})
const moments = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeStyle: 'medium'})

/** The number of lines that the row of an item has. */
export function linesOf(item, isNarrow) {
  if (!item.token) return isNarrow ? 7 : 3
  const shown = Math.min(item.changes.length, mostLines)
  return shown + (item.changes.length > shown ? 1 : 0) + (isNarrow ? 1 : 0)
}

/** The row of a save or of a remark. */
export function row(item) {
  if (!item.token) {
    return h('div', {role: 'row', class: `save remark ${item.kind}`},
      h('div', {role: 'gridcell', class: 'time'}, time(item.at)),
      h('div', {role: 'gridcell', class: 'text', title: item.text, 'aria-colspan': '2'},
        h('strong', {}, item.title), ' ', item.text))
  }
  const shown = item.changes.slice(0, mostLines)
  const more = item.changes.length - shown.length
  return h('div', {role: 'row', class: 'save'},
    h('div', {role: 'gridcell', class: 'time'}, time(item.at)),
    h('div', {role: 'gridcell', class: 'by', title: item.context ?? ''}, by(item)),
    h('div', {role: 'gridcell', class: 'changes'},
      shown.map(change => h('div', {class: 'line'}, line(change, item))),
      more > 0 && h('div', {class: 'line more'},
        `and ${item.isCut ? 'at least ' : ''}${counted(more, 'more change')}`)))
}

/** All that is known of a save. `filter` has the parameters that its links keep. */
export function details(save, filter) {
  return [
    h('dl', {},
      h('dt', {}, 'Time'), h('dd', {}, moments.format(new Date(save.at)),
        h('div', {class: 'hint'}, save.at)),
      h('dt', {}, 'Author'), h('dd', {}, save.author === null ? none() : h('bdi', {}, save.author)),
      h('dt', {}, 'Context'), h('dd', {}, save.context ?? none()),
      h('dt', {}, 'Token'), h('dd', {}, h('code', {}, save.token)),
      h('dt', {}, 'Changes'), h('dd', {}, [...save.tally].map(([name, count]) =>
        h('div', {}, `${grouped(count)} ${name}`)), save.isCut && 'and more')),
    h('p', {},
      h('a', {href: new Address(['feed'], {...filter, since: save.after}).toString()},
        'All saves from this one on')),
    save.changes.map(change => section(change, save)),
    save.isCut && h('p', {class: 'hint'}, `The first ${save.changes.length} changes are shown. `
      + 'A filter by entity or by a predicate shows others.'),
  ]
}

function time(at) {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return h('time', {dateTime: at, title: at}, (isToday ? times : days).format(date))
}

function by({context, author}) {
  return [
    h('span', {class: 'context'}, context ?? none()),
    author !== null && h('span', {class: 'author', dir: 'auto'}, author),
  ]
}

function none() { return h('span', {class: 'null'}, '–') }

function counted(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** The line of a change in a row. */
function line(change, save) {
  return [
    ...title(change, -1, longestTitle),
    change.missing && h('span', {class: 'hint'}, `values ${change.missing}`),
    change.kind === 'update' && change.values.map(value => h('span', {class: 'value', dir: 'ltr'},
      h('span', {class: 'key'}, value.key), ' ', difference(value, save))),
  ]
}

/** What was done to which object. Tab does not reach the links of a row: Enter opens the save. */
function title(change, tabIndex, longest) {
  const text = cut(change.title ?? `${change.id}`, longest)
  const isLinked = change.kind !== 'delete' && change.entity
  return [
    h('span', {class: `kind ${change.kind}`}, change.kind), ' ',
    h('span', {class: 'entity'}, change.entityName), ' ',
    isLinked ? h('a', {href: objectAddress(change.entity, change.id), tabIndex, dir: 'auto'}, text)
      : h('bdi', {class: 'object'}, text), ' ',
    change.enters && h('span', {class: 'tag'}, 'enters'),
    change.leaves && h('span', {class: 'tag'}, 'leaves'),
  ]
}

function difference(value, save) {
  if (value.added) {
    const {added, removed} = value
    if (added.length + removed.length > 3) {
      return [added.length > 0 && h('ins', {}, `+${grouped(added.length)}`), ' ',
        removed.length > 0 && h('del', {}, `−${grouped(removed.length)}`)]
    }
    return [
      added.map(id => [h('ins', {}, '+', shown(value, id, save, longestTitle)), ' ']),
      removed.map(id => [h('del', {}, '−', shown(value, id, save, longestTitle)), ' ']),
    ]
  }
  return [h('del', {}, shown(value, value.before, save, longestValue)), ' → ',
    h('ins', {}, shown(value, value.after, save, longestValue))]
}

/** A value as a node. */
function shown({property}, value, save, longest) {
  if (value === null || value === undefined) return none()
  const whole = property?.kind === 'relationship'
    ? save.titleOf(property.destination, value) ?? `${property.destination.name} ${value}`
    : text(value, property?.type)
  return h('bdi', {}, cut(whole, longest))
}

function cut(text, longest = Infinity) {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** A change with all its values. */
function section(change, save) {
  const object = `${change.entityName}/${change.id}`
  return h('section', {},
    h('h3', {}, title(change, 0)),
    h('p', {class: 'hint'}, `${object} · `,
      h('a', {href: new Address(['feed'], {object}).toString()}, 'its history')),
    change.missing && h('p', {class: 'hint'}, missing[change.missing]),
    change.preserved.length > 0
      && h('p', {class: 'hint'}, `Preserved after the deletion: ${change.preserved.join(', ')}`),
    change.values.length > 0 && table(change, save))
}

const missing = {
  unknown: 'Another program saved this and kept no old values.',
  omitted: 'The object is too large for an event.',
}

function table(change, save) {
  const sides = {insert: ['after'], update: ['before', 'after'], delete: ['before']}[change.kind]
  const heads = {before: 'Before', after: 'After'}
  return h('table', {},
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Key'),
      sides.map(side => h('th', {scope: 'col'}, sides.length > 1 ? heads[side] : 'Value')))),
    h('tbody', {}, change.values.map(value => h('tr', {},
      h('th', {scope: 'row'}, value.key),
      value.added ? [members(value, 'removed', save), members(value, 'added', save)]
        : sides.map(side => h('td', {class: side}, linked(value, value[side], save)))))))
}

function members(value, side, save) {
  const ids = value[side]
  const left = ids.length - mostMembers
  return h('td', {class: side}, ids.length > 0 && `${side}: `,
    ids.slice(0, mostMembers).map((id, index) => [index > 0 && ', ', linked(value, id, save)]),
    left > 0 && ` and ${grouped(left)} more`)
}

/** A value with a link where it is an object. */
function linked(value, content, save) {
  const {property} = value
  if (property?.kind !== 'relationship' || content === null || content === undefined) {
    return shown(value, content, save)
  }
  return h('a', {href: objectAddress(property.destination, content)}, shown(value, content, save))
}
