// Conflicts of a save: what others have saved, side by side with what is unsaved.

import {h} from '../../parts/dom.js'
import {showDialog} from '../../parts/dialog.js'
import {editing} from '../../editing.js'
import {session} from '../../session.js'
import {text} from '../../values.js'

/**
 * Shows the conflicts of a refused save, and applies what the person chooses for each value.
 *
 * @param objects the `objects` of the problem
 * @returns whether to save again
 */
export async function resolveConflicts(objects) {
  const conflicts = objects.map(conflictOf)
  const isChosen = await showDialog('Others have saved these objects', h('div', {},
    h('p', {}, 'For each value, choose the one to keep. Nothing is saved before.'),
    conflicts.map(section)),
  [['Go on editing', false], ['Save the chosen values', true, 'main']])
  if (!isChosen) return false
  // A deleted object is restored by a save that trumps; a refresh would forget its changes.
  const restores = conflicts.some(it => it.isGone && it.keepsMine)
  await editing.setMergePolicy(restores ? 'objectTrump' : 'error')
  if (restores) for (const it of conflicts) await leave(it)
  else await editing.refresh()
  for (const conflict of conflicts) await apply(conflict)
  return true
}

/** An entry of the problem with its entity, its id, and the values that both sides began with. */
function conflictOf({object, conflicts = [], storedVersion}) {
  const segments = object.split('/').map(decodeURIComponent)
  const [name, id] = segments.slice(-2)
  const update = editing.changes.updated.find(it => String(it._id) === id
    && session.model.entity(it._entity).root === session.model.entity(name).root)
  const entity = session.model.entity(update?._entity ?? name)
  return {
    entity, id: Number(id), isGone: storedVersion === null, keepsMine: true,
    // A key that only one side has changed is no conflict.
    keys: conflicts.map(it => ({...it, before: update?.committed[it.key], keepsMine: true}))
      .filter(it => JSON.stringify(it.before) !== JSON.stringify(it.stored)),
  }
}

function section(conflict) {
  const {entity, id, keys, isGone} = conflict
  const title = `${entity.name} ${id}`
  if (isGone) return deleted(conflict, title)
  return h('table', {class: 'conflicts'},
    h('caption', {}, title),
    h('thead', {}, h('tr', {}, ['', 'Before', 'Yours', 'Stored'].map(it =>
      h('th', {scope: 'col'}, it)))),
    h('tbody', {}, keys.map(key => row(conflict, key))))
}

function deleted(conflict, title) {
  const choice = (text, keepsMine) => h('label', {class: 'choice'},
    h('input', {type: 'radio', name: `keep ${title}`, checked: conflict.keepsMine === keepsMine,
      onchange: () => { conflict.keepsMine = keepsMine }}), text)
  return h('fieldset', {}, h('legend', {}, `${title} was deleted by others.`),
    choice('Bring it back with your values', true), choice('Leave it deleted', false))
}

function row({entity, id}, key) {
  const type = entity.property(key.key)?.type
  const name = `keep ${entity.name} ${id} ${key.key}`
  const choice = (value, keepsMine, side) => h('td', {}, h('label', {},
    h('input', {type: 'radio', name, checked: key.keepsMine === keepsMine,
      onchange: () => { key.keepsMine = keepsMine },
      'aria-label': `${key.key}: keep the ${side} value`}),
    h('span', {dir: 'auto'}, shown(value, type))))
  return h('tr', {}, h('th', {scope: 'row'}, key.key),
    h('td', {dir: 'auto'}, shown(key.before, type)),
    choice(key.yours, true, 'unsaved'), choice(key.stored, false, 'stored'))
}

function shown(value, type) {
  return value === null || value === undefined ? '–' : text(value, type)
}

/** Forgets the changes of an object that others have deleted, where it is to stay so. */
async function leave({entity, id, isGone, keepsMine}) {
  if (isGone && !keepsMine) await editing.forget(entity, id)
}

/** Gives the keys the stored values that were chosen. The others keep the unsaved ones. */
async function apply({entity, id, keys, isGone}) {
  if (isGone) return
  const theirs = keys.filter(it => !it.keepsMine)
  if (!theirs.length) return
  await editing.change(entity, id, Object.fromEntries(theirs.map(it => [it.key, it.stored])))
}
