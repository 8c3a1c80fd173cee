// The differences of two versions of the model, as a list.

import {h} from '../../parts/dom.js'
import {words} from './words.js'

const signs = {added: '+', removed: '−', changed: '~'}

/** What became of an element of a difference: `added`, `removed` or `changed`. */
export function stateOf({before, after}) {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

/** The name that an element had in the version before, if it is renamed; else null. */
export function formerName({before, after}) {
  return before !== null && after !== null && before !== after ? before : null
}

/** The sign of a state, which a screen reader reads as a word; null for no state. */
export function signed(state) {
  return state ? h('span', {class: 'sign'}, h('span', {'aria-hidden': 'true'}, signs[state]),
    h('span', {class: 'visually-hidden'}, `${state} `)) : null
}

/** The document of `GET /model/changes` for people. */
export function changesElement({from, to, changes, elements, migration}) {
  const isEqual = !changes.length && !elements.length
  return h('section', {class: 'changes', 'aria-label': 'Changes', tabIndex: 0},
    h('h2', {}, 'From ', h('bdi', {}, from), ' to ', h('bdi', {}, to)),
    isEqual && h('p', {}, 'The two versions do not differ.'),
    changes.length > 0 && h('ul', {}, changes.map(settingItem)),
    elements.length > 0 && h('ul', {}, elements.map(elementItem)),
    h('h2', {}, 'Migration'),
    migration.map(line => h('p', {class: /^\s/.test(line) ? 'further' : ''}, line.trim())))
}

function elementItem(element) {
  const state = stateOf(element)
  const was = formerName(element)
  const parts = [...element.changes.map(settingItem), ...element.elements.map(elementItem)]
  return h('li', {class: state},
    signed(state), h('span', {class: 'kind'}, `${element.kind} `),
    h('bdi', {class: 'name'}, element.after ?? element.before),
    was && [' was ', h('bdi', {class: 'name'}, was)],
    element.summary && h('span', {class: 'summary'}, `: ${element.summary}`),
    parts.length > 0 && h('ul', {}, parts))
}

function settingItem({key, before, after}) {
  return h('li', {class: 'changed'}, signed('changed'), `${words(key)}: `,
    h('del', {}, valueText(before, after)), ' → ', h('ins', {}, valueText(after, before)))
}

/** A value; the opposite of a truth value where there is none, otherwise `none`. */
function valueText(value, other) {
  return value ?? {true: 'false', false: 'true'}[other] ?? 'none'
}
