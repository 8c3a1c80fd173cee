// Saves as the change feed reports them: which objects changed, with the values before and after.

import {session} from '../../session.js'
import {Request} from '../../service.js'
import {follow} from '../../stream.js'

/** The changes of a save that are kept. The others are only counted. */
const mostChanges = 100
/** The parts of a save that are read. An import may have hundreds. */
const mostParts = 3
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

/** A save, with as many of its changes as are kept. */
export class Save {
  /** The number of its changes: of all, or of those that were read where `isCut`. */
  count = 0
  isCut = false
  /** The changes that are kept. */
  changes = []
  /** The number of changes by kind and entity, such as `insert Player`. */
  tally = new Map()

  /**
   * @param reported the JSON of the save, or of its first part
   * @param after the position before it
   */
  constructor(reported, after) {
    this.token = reported.transaction
    this.after = after
    this.at = reported.at
    this.author = reported.author
    this.context = reported.context
  }

  /** Adds the changes of a part. */
  add(changes) {
    this.count += changes.length
    for (const change of changes) {
      const name = `${change.change} ${change.entity}`
      this.tally.set(name, (this.tally.get(name) ?? 0) + 1)
      if (this.changes.length < mostChanges) this.changes.push(new Change(change))
    }
  }

  /** The text that names an object, if the save has changed it. */
  titleOf(entity, id) {
    return this.changes.find(it => it.id === id && it.entity?.root === entity?.root)?.title
  }
}

/** Puts saves together from events: a save of many changes comes in parts. */
export class SaveReader {
  #save = null

  /**
   * The save that an event completes; null where it completes none. After a save that `isCut`, the
   * stream has to go on from the token of that save.
   */
  read({type, data, after}) {
    if (type !== 'save') return null
    const {part = 1, of = 1} = data
    // A save whose parts were cut off comes again from its first part.
    if (part === 1) this.#save = new Save(data, after)
    this.#save.add(data.changes)
    this.#save.isCut = part < of
    return part === Math.min(of, mostParts) ? this.#save : null
  }
}

/**
 * Reads a number of saves after a position. They are read as a stream, which sends a save of many
 * objects in parts and not as one document.
 * @returns fewer saves, or none, where the history has expired
 */
export async function readSaves(query, since, count, signal) {
  const saves = []
  const reader = new SaveReader()
  const done = new AbortController()
  const request = new Request('GET', 'changes', {query: {...query, values: true, since}})
  await follow(request, {
    receive: event => {
      const save = reader.read(event)
      if (save) saves.push(save)
      if (event.type === 'expired' || saves.length >= count) done.abort()
      return save?.isCut && save.token
    },
    parse: exact, from: since, signal: AbortSignal.any([signal, done.signal]),
  })
  signal.throwIfAborted()
  return saves
}
