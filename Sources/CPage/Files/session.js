// What every view needs to know: the model, the index and the rights of the token.

import {Model} from './model.js'
import {service} from './service.js'

class Session {
  /** @type {Model} */
  model = null
  /** The document of `GET /`. */
  index = null
  /** The document of `GET /rights`. */
  rights = null

  #begun = null

  /** Begins to read before the views are there. */
  begin() {
    this.#begun = this.#read()
    this.#begun.catch(() => {})
  }

  /** Reads the three. @throws {Problem} of status 401 where a token is needed. */
  async open() {
    const begun = this.#begun
    this.#begun = null
    await (begun ?? this.#read())
  }

  async #read() {
    const [document, index, rights] = await Promise.all([
      service.get('model'), service.get(''), service.get('rights'),
    ])
    this.model = new Model(document)
    this.index = index
    this.rights = rights
  }

  /** Whether the token gives a right on some objects of an entity at least. */
  may(verb, entity) {
    return Boolean(this.rights.entities[entity.name]?.[verb])
  }

  /** The entities that the token may read. */
  get readable() {
    return [...this.model.entities.values()].filter(it => this.may('read', it))
  }
}

export const session = new Session()
session.begin()
