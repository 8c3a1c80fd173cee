// How the views of a model name its parts.

import {session} from '../../session.js'

/** The address of the objects of an entity; null where there are none or they may not be read. */
export function rowsAddress({name}) {
  const served = session.model.entity(name)
  return served && session.may('read', served) ? `#/rows/${encodeURIComponent(name)}` : null
}

/** The type of a property in a word, with an arrow before the name of another entity. */
export function typeOf({kind, declared, isToMany}) {
  if (kind === 'attribute') return declared.composite ?? declared.type
  if (kind === 'relationship') return `${isToMany ? '↠' : '→'} ${declared.destination ?? ''}`
  return `⇢ ${declared.fetchRequest?.entity ?? ''}`
}

/** The key of a setting as words: `externalStorage` is `external storage`. */
export function words(key) { return key.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`) }
