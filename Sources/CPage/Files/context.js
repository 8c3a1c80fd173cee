// What is asked of an editing context: its making and its end, its steps, which can be sent again,
// and whether its save was made.

import {h} from './parts/dom.js'
import {showDialog} from './parts/dialog.js'
import {Problem, Request, nextPlace, service} from './service.js'
import {session} from './session.js'

/** What was asked for is of a context whose save was made. */
export class AlreadySaved extends Error {
  constructor() { super('The changes before were saved, so this was not done. Do it again.') }
}

/** Makes an editing context, with a name that its save alone has in the history. */
export function makeContext() {
  const random = crypto.getRandomValues(new Uint32Array(4))
  const name = `page ${[...random].map(it => it.toString(36)).join('')}`
  return post('contexts', {author: session.rights.token ?? undefined, name, undoLevels: 1000})
}

/** Whether an editing context is not there any more. */
export async function isGone(context) {
  try {
    await service.get(`contexts/${context}`)
    return false
  } catch (error) {
    if (error.isContextGone) return true
    throw error
  }
}

/** Deletes an editing context, if it is there. */
export async function withdraw(context) {
  try {
    await service.send(new Request('DELETE', `contexts/${context}`))
  } catch (error) {
    if (!error.isContextGone) throw error
  }
}

/** Sends a POST, and gives the answer. */
export function post(path, body, query) {
  return service.send(new Request('POST', path, {body, query}))
}

/**
 * Sends a step below a path, and gives the object.
 * @param ids the present ids of unsaved objects by those of steps; a new object is added
 */
export async function send(step, path, ids) {
  const {method, entity: name, id, body} = withIDs(step, ids)
  const entity = session.model.entity(name)
  const route = path + (id === null ? entity.path : entity.pathOf(id))
  const {data} = await service.send(
    new Request(method, route, {body, query: body ? {numbers: 'string'} : {}}))
  if (step.made) ids.set(step.made, data._id)
  return data
}

/** A step with other ids: of its object, and in its relationships. */
export function withIDs(step, ids) {
  const other = id => ids.get(id) ?? id
  const entity = session.model.entity(step.entity)
  const change = ([key, value]) => {
    if (entity?.property(key)?.kind !== 'relationship') return [key, value]
    return [key, Array.isArray(value) ? value.map(other) : other(value)]
  }
  return {...step, id: other(step.id),
    body: step.body && Object.fromEntries(Object.entries(step.body).map(change))}
}

/** Whether the service will not take a step, however often it is sent. */
export function isRefusal(error) {
  return error instanceof Problem && !error.isContextGone && error.status < 500
    && error.status !== 401 && error.status !== 429
}

/**
 * Whether the save of a context was made. Where the history does not tell, a person decides.
 * @param state of the context before the save: its unique `name`, and its `transaction`
 */
export async function isSaved({name, transaction}) {
  try {
    for (let since = transaction; since;) {
      const query = {since, limit: 1000}
      const {data, headers} = await service.send(new Request('GET', 'changes', {query}))
      if (data.some(it => it.context === name)) return true
      since = nextPlace(headers, 'since')
    }
    return false
  } catch (error) {
    // Some stores keep no history beyond the end of the service.
    if (error.status !== 410) throw error
    return session.index.store !== 'memory' && await askWhetherSaved()
  }
}

async function askWhetherSaved() {
  return await showDialog('Were the changes saved?', h('p', {},
    'The connection was lost while they were saved, and the history of this store does not reach '
    + 'back that far. Look at the objects in another tab before you make the changes again.'),
  [['Make them again', false], ['They are saved', true]]) ?? false
}

/** Notes something in the tab's storage. @returns whether the storage holds it */
export function keep(key, noted) {
  try {
    sessionStorage.setItem(key, JSON.stringify(noted))
    return true
  } catch {
    // The browser gives a tab a few megabytes. A part of the steps would be taken for all.
    sessionStorage.removeItem(key)
    return false
  }
}
