// The editing context of the page: its unsaved changes, with undo and redo.
//
// The context lives in the service and ends with it. So each step is noted here as well, in the
// storage of the tab: after a restart of the service or a reload of the page the steps that are not
// saved are taken again in a new context. Where the answer to a save was lost, the history tells by
// the name of the context whether it was made.

import {Problem, Request, service} from './service.js'
import {session} from './session.js'
import {AlreadySaved, isGone, isRefusal, isSaved, keep} from './context.js'
import {makeContext, post, send, withIDs, withdraw} from './context.js'

/**
 * Whether an entry of a refused save is about an object.
 * @param entry has the address of its object as `object`
 */
export function isAbout(entry, entity, id) {
  const [name, key] = (entry.object ?? '').split('/').slice(-2).map(decodeURIComponent)
  return key === String(id) && session.model.entity(name)?.root === entity.root
}

class Editing extends EventTarget {
  /** The state of the context, as `GET /contexts/{context}` gives it; null without one. */
  state = null
  /** The unsaved objects by entity family and id: `inserted`, `updated` or `deleted`. */
  #marks = new Map()
  /** What is unsaved, as `GET /contexts/{context}/changes` gives it. */
  changes = {inserted: [], updated: [], deleted: []}
  #context = null
  /** The number of contexts so far: in each, a temporary id may be of another object. */
  generation = 0
  /**
   * What is unsaved: `{method, entity, id, body}`; `id` is null for a POST, which has `made`.
   * Unsaved objects have ids here that stay the same in every context, such as `n1`.
   */
  #steps = []
  #undone = []
  /** The ids of unsaved objects: as they are in steps, and in the present context. */
  #ids = new Map()
  #made = 0
  /** Whether the answer to a request was lost: the context may have more or fewer steps. */
  #isUncertain = false
  /** Whether a save was sent that has no answer. */
  #isSaving = false
  /** Whether the tab's storage has the steps. */
  #isKept = true
  #last = Promise.resolve()

  /** Whether changes are saved at once: only a token with all rights has editing contexts. */
  get isDirect() { return session.rights.role !== null }

  /** Where the steps are noted: another token has others. */
  get #key() { return `stele steps ${service.base} ${session.rights.token ?? ''}` }

  /** Whether there is something to save. */
  get hasChanges() { return this.state?.hasChanges ?? false }
  get canUndo() { return this.#steps.length > 0 }
  get canRedo() { return this.#undone.length > 0 }

  /** The number of objects with unsaved changes. */
  get count() {
    const {inserted = 0, updated = 0, deleted = 0} = this.state ?? {}
    return inserted + updated + deleted
  }

  /** The path of a route, below the context where there is one. */
  path(route) { return this.#context ? `contexts/${this.#context}/${route}` : route }

  /** `inserted`, `updated` or `deleted` for an object with unsaved changes; else undefined. */
  markOf(row) { return row && this.#marks.get(mark(row)) }

  /**
   * Checks that an id still is of the object that it was read for.
   * @param generation that of the reading
   * @throws {Error} for a temporary id of another context
   */
  check(id, generation) {
    if (typeof id === 'number' || generation === this.generation) return
    throw new Error('The unsaved objects have other ids since the service has restarted: '
      + 'do it again now.')
  }

  /** Whether a temporary id is that of an unsaved object. */
  isUnsaved(id) { return this.changes.inserted.some(it => it._id === id) }

  /** The changes of an unsaved update: `{changed, committed}`; else undefined. */
  updateOf(row) { return this.changes.updated.find(it => mark(it) === mark(row)) }

  /**
   * Takes the steps again that a reload of the page has interrupted, unless their save was made.
   * @throws what the service has against it; the next step or `revive` tries it again
   */
  async restore() {
    const {steps, state, isSaving} = JSON.parse(sessionStorage.getItem(this.#key) ?? '{}')
    if (!steps?.length || this.isDirect) return
    this.#steps = steps
    this.#made = Math.max(0, ...steps.map(it => Number(it.made?.slice(1) ?? 0)))
    this.#context = state.context
    this.state = state
    this.#isSaving = isSaving
    this.#isUncertain = true
    await this.#serially(() => this.#recover())
  }

  /** Waits until all steps so far are taken. */
  idle() { return this.#last }

  /**
   * Makes a new context with the same changes, if the present one is gone: the service has
   * restarted, or it has not been used for long. The answer to the last save may have been lost.
   */
  revive() {
    return this.#serially(async () => {
      if (this.#context && (this.#isUncertain || await isGone(this.#context))) await this.#recover()
    })
  }

  /**
   * Changes an object, and gives it as the service answers it.
   * @param version the version that was read, which a change that is saved at once is compared with
   */
  change(entity, id, body, version) {
    // An unsaved object has no version that others could change.
    const known = version > 0 ? {...body, _version: version} : body
    return this.#take({method: 'PATCH', entity: entity.name, id, body: known})
  }

  /** Makes an object, and gives it. */
  create(entity, body) {
    return this.#take({method: 'POST', entity: entity.name, id: null, body})
  }

  /** Deletes an object. */
  remove(entity, id) {
    return this.#take({method: 'DELETE', entity: entity.name, id})
  }

  /** Undoes the last step. */
  undo() {
    return this.#serially(async () => {
      await this.#inContext(context => post(`${context}/undo`))
      this.#undone.push(this.#steps.pop())
      await this.#changed()
    })
  }

  /** Undoes the last step for good. */
  async takeBack() {
    await this.undo()
    this.#undone.pop()
    this.dispatchEvent(new Event('change'))
  }

  /** Takes the step again that was undone last. */
  redo() {
    return this.#serially(async () => {
      await this.#inContext(context => post(`${context}/redo`))
      this.#steps.push(this.#undone.pop())
      await this.#changed()
    })
  }

  /**
   * Validates the unsaved changes, as a save would.
   * @returns the problem that a save would be refused with; null for none
   */
  validate() {
    return this.#serially(async () => {
      if (!this.#context) return null
      try {
        await this.#inContext(context => post(`${context}/validate`))
        return null
      } catch (error) {
        if (error instanceof Problem && (error.status === 422 || error.status === 409)) return error
        throw error
      }
    })
  }

  /**
   * Saves all changes in one transaction, and gives the number of objects. The `change` that
   * follows has the permanent ids of new objects by their temporary ids, as its `detail`.
   * @throws {Problem} 422 for what is not valid, 409 for conflicts; nothing is saved then
   */
  save() {
    return this.#serially(async () => {
      if (!this.#context) return 0
      const {count} = this
      try {
        const {data} = await this.#inContext(context => {
          this.#isSaving = true
          this.#note()
          return post(`${context}/save`, undefined, {numbers: 'string'})
        })
        await this.#end(data.ids)
        return count
      } catch (error) {
        if (error instanceof AlreadySaved) return count
        this.#isSaving &&= this.#isUncertain
        if (this.#context) this.#note()
        throw error
      }
    })
  }

  /** Discards all unsaved changes, unless a save of them was made. */
  discard() {
    return this.#serially(async () => {
      if (!this.#isSaving || !await this.#recover()) await this.#end()
    })
  }

  /** Reads what others have saved, under the unsaved changes. */
  refresh() {
    return this.#serially(async () => {
      await this.#inContext(context => post(`${context}/refresh`))
      await this.#changed()
    })
  }

  /** Forgets the changes of an object. */
  forget(entity, id) {
    const body = {merge: false, objects: [entity.pathOf(id)]}
    return this.#serially(() => this.#inContext(context => post(`${context}/refresh`, body)))
  }

  /**
   * Sets how saves treat objects that others have saved: `error`, or `objectTrump` to keep the
   * unsaved values.
   */
  setMergePolicy(mergePolicy) {
    const body = {mergePolicy}
    return this.#serially(() => this.#inContext(context =>
      service.send(new Request('PATCH', context, {body}))))
  }

  /** Sends a request below the context. @returns the answer. */
  #inContext(send) {
    return this.#certainly(() => {
      if (!this.#context) throw new Error('Nothing is unsaved any more.')
      return send(`contexts/${this.#context}`)
    })
  }

  #take(step) { return this.isDirect ? this.#sendAtOnce(step) : this.#step(this.#lasting(step)) }

  async #sendAtOnce(step) {
    const object = await send(step, '', this.#ids)
    this.dispatchEvent(new Event('change'))
    return object
  }

  /** A step with ids that stay, in the place of those of the present context. */
  #lasting(step) {
    const lasting = new Map([...this.#ids].map(([noted, present]) => [present, noted]))
    const made = step.method === 'POST' ? {made: `n${++this.#made}`} : {}
    return {...withIDs(step, lasting), ...made}
  }

  /** Takes a step in the context, which is made by the first one. */
  #step(step) {
    return this.#serially(async () => {
      if (!this.#context) await this.#begin()
      const object = await this.#certainly(() => send(step, this.path(''), this.#ids))
      this.#steps.push(step)
      this.#undone = []
      await this.#changed()
      return object
    })
  }

  async #begin() {
    const {data} = await makeContext()
    this.#context = data.context
    this.state = data
  }

  /**
   * Sends a request; where the context is gone, in a new one with the same steps.
   * @throws {AlreadySaved} where the context was saved: the request was for what it held
   */
  async #certainly(send, isAgain = false) {
    if (this.#isUncertain && await this.#recover()) throw new AlreadySaved()
    try {
      return await send()
    } catch (error) {
      // A problem of the service has a code, that of a proxy has none.
      if (error.isContextGone || !(error instanceof Problem && error.code)) this.#isUncertain = true
      if (error.isContextGone && !isAgain) return this.#certainly(send, true)
      throw error
    }
  }

  /**
   * Makes the context again; where it was saved, ends it, which `saved` tells.
   * @returns whether it was saved
   */
  async #recover() {
    // What the context is carrying out ends before, and what is still on its way is refused.
    if (this.#context) await withdraw(this.#context)
    const isDone = this.#isSaving && await isSaved(this.state)
    if (isDone) {
      this.#forget()
      this.dispatchEvent(new Event('saved'))
    } else {
      this.#isSaving = false
      await this.#rebuild()
    }
    this.#isUncertain = false
    return isDone
  }

  /**
   * Takes all steps again in a new context, which takes the place of the present one when it is
   * whole. What cannot be done again is told by the event `lost`.
   */
  async #rebuild() {
    const {data} = await makeContext()
    const ids = new Map()
    const kept = []
    const lost = []
    for (const step of this.#steps) {
      try {
        await send(step, `contexts/${data.context}/`, ids)
        kept.push(step)
      } catch (error) {
        if (!isRefusal(error)) throw error
        lost.push({step, error})
      }
    }
    this.#context = data.context
    this.state = data
    this.generation += 1
    this.#ids = ids
    this.#steps = kept
    this.#undone = []
    await this.#changed()
    if (lost.length) this.dispatchEvent(new CustomEvent('lost', {detail: lost}))
  }

  /** Reads the state after a step, and tells the views. */
  async #changed() {
    this.#note()
    const context = `contexts/${this.#context}`
    const [state, changes] = await Promise.all([
      service.get(context), service.get(`${context}/changes`, {numbers: 'string'}),
    ])
    this.state = state
    this.changes = changes
    this.#marks.clear()
    for (const kind of ['inserted', 'updated', 'deleted']) {
      for (const object of changes[kind]) this.#marks.set(mark(object), kind)
    }
    this.dispatchEvent(new Event('change'))
  }

  /** Notes the steps, and where the history has to be searched for their save. */
  #note() {
    const {context, name, transaction} = this.state
    const noted = {
      steps: this.#steps, state: {context, name, transaction}, isSaving: this.#isSaving,
    }
    const isKept = keep(this.#key, noted)
    if (this.#isKept && !isKept) this.dispatchEvent(new Event('unkept'))
    this.#isKept = isKept
  }

  /** Ends the context. Views read the store again. */
  async #end(ids) {
    const context = this.#context
    this.#forget(ids)
    if (context) await withdraw(context)
  }

  #forget(ids = {}) {
    this.#context = null
    this.state = null
    this.changes = {inserted: [], updated: [], deleted: []}
    this.#marks.clear()
    this.#steps = []
    this.#undone = []
    this.#ids.clear()
    this.#isUncertain = false
    this.#isSaving = false
    sessionStorage.removeItem(this.#key)
    this.dispatchEvent(new CustomEvent('change', {detail: ids}))
  }

  /** Runs one thing after the other: steps keep their order. */
  #serially(run) {
    const result = this.#last.then(run)
    this.#last = result.catch(() => {})
    return result
  }
}

function mark(object) { return `${object._entity} ${object._id}` }

export const editing = new Editing()
