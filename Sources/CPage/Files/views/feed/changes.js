// Saves as the change feed reports them: which objects changed, with the values before and after.

import {session} from '../../session.js'
import {Request, service} from '../../service.js'

/** The changes of a save that are asked for. An import may have hundreds of thousands. */
const mostChanges = 100
/** Longer values and titles are cut, so that thousands of saves have room. */
const longestValue = 2000
const longestTitle = 100

/** Reads JSON. A number with more digits than a Number holds is the text of its digits. */
export function exact(text) {
  return JSON.parse(text, (_, value, context) => {
    if (typeof value !== 'number' || !(context?.source.length > 15)) return value
    return String(value) === context.source ? value : context.source
  })
}

/** What a save did to one object. */
export class Change {
  /** @param reported an entry of `changes`, read with `values=true` */
  constructor(reported) {
    /** `insert`, `update` or `delete`. */
    this.kind = reported.change
    this.entityName = reported.entity
    this.entity = session.model.entity(reported.entity)
    this.id = reported._id
    /** Whether an update made the object match the filter, or match it no longer. */
    this.enters = reported.enters ?? false
    this.leaves = reported.leaves ?? false
    /** The keys of the tombstone of a deleted object. */
    this.preserved = Object.keys(reported.tombstone ?? {})
    /** Why values are missing: `unknown` or `omitted`; null where none are. */
    this.missing = reported.values ?? (reported.updated === null ? 'unknown' : null)
    const object = reported.object ?? reported.tombstone ?? {}
    const title = this.entity?.title
    /** The text that names the object; undefined where its values have none. */
    this.title = (title && cut(object[title.name], title, longestTitle)) || undefined
    /**
     * The values: `{key, property, before, after}`, or `{key, property, added, removed}` for a
     * to-many relationship.
     */
    this.values = this.kind === 'update' ? this.#changed(reported, object) : this.#all(object)
  }

  #all(object) {
    const side = this.kind === 'insert' ? 'after' : 'before'
    return Object.entries(object).filter(([key, value]) => !key.startsWith('_') && value !== null)
      .map(([key, value]) => {
        const property = this.entity?.property(key)
        return {key, property, [side]: cut(value, property)}
      })
  }

  #changed({updated, before}, object) {
    return (updated ?? []).map(key => {
      const property = this.entity?.property(key)
      const old = before?.[key]
      if (property?.isToMany) return {key, property, added: [], removed: [], ...old}
      return {key, property, before: cut(old, property), after: cut(at(object, key), property)}
    })
  }
}

/** The value of a key. That of an attribute of a composite is a path. */
function at(object, key) {
  return key in object ? object[key] : key.split('.').reduce((value, part) => value?.[part], object)
}

function cut(value, property, longest = longestValue) {
  const text = typeof value === 'object' ? JSON.stringify(value) : value
  if (typeof text !== 'string' || text.length <= longest) return value
  if (property?.type !== 'Binary') return `${text.slice(0, longest)}…`
  return {bytes: text.length / 4 * 3 - /=*$/.exec(text)[0].length}
}

/** A save, with its first changes. */
export class Save {
  /** The changes that are known: all, or the first where `isCut`. */
  changes
  isCut
  /** The number of changes by kind and entity, such as `insert Player`. */
  tally = new Map()

  /**
   * @param reported the JSON of the save
   * @param after a position before it, and after the save before it
   */
  constructor(reported, after) {
    this.token = reported.transaction
    this.after = after
    this.at = reported.at
    this.author = reported.author
    this.context = reported.context
    this.isCut = 'rest' in reported
    this.changes = reported.changes.map(change => new Change(change))
    for (const {kind, entityName} of this.changes) {
      const name = `${kind} ${entityName}`
      this.tally.set(name, (this.tally.get(name) ?? 0) + 1)
    }
  }

  /** The text that names an object, if the save has changed it. */
  titleOf(entity, id) {
    return this.changes.find(it => it.id === id && it.entity?.root === entity?.root)?.title
  }
}

/** The request for saves with their values, of a large one with its first changes. */
export function savesRequest(query, headers) {
  return new Request('GET', 'changes', {
    query: {...query, values: true, changeLimit: mostChanges}, headers,
  })
}

/**
 * Reads a page of saves.
 * @param query has `since` or `until`, and `limit`
 * @returns {Promise<{saves: Save[], headers: Headers}>} the oldest first
 */
export async function readSaves(query, signal) {
  const response = await service.fetch(savesRequest(query), {signal})
  const reported = exact(await response.text())
  const position = (index) => reported[index - 1]?.transaction
  return {
    // The position before the first is known where the page began at it.
    saves: reported.map((save, index) => new Save(save, position(index) ?? query.since ?? null)),
    headers: response.headers,
  }
}
