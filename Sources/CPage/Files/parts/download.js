// Files that the page gives to the person.

import {h} from './dom.js'

/** Lets the browser save a blob as a file. */
export function download(blob, name) {
  const address = URL.createObjectURL(blob)
  h('a', {href: address, download: name}).click()
  // A browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
