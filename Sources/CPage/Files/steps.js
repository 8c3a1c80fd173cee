// The steps of an editing context as they are noted: requests that can be sent again.

import {Request, nextPlace, service} from './service.js'
import {session} from './session.js'

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

/**
 * Whether the history has a save of a context.
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
    // Another history has begun: a store in memory ends with the service.
    if (error.status === 410) return false
    throw error
  }
}
