// The keys that work in the whole page, and the list of all keys.

import {h} from './dom.js'
import {showDialog} from './dialog.js'

const keys = [
  ['/', 'goes to the predicate'],
  ['Arrows, Page Up, Page Down, Home, End', 'move in the table; with Ctrl, Home and End go to the '
    + 'first and the last row'],
  ['Enter', 'opens the object of the row'],
  ['o', 'goes where the link in the cell leads'],
  ['F2', 'edits the value of the cell; Enter keeps it, Escape does not'],
  ['s', 'sorts by the column of the cell'],
  ['Delete', 'deletes the object of the row'],
  ['p', 'pauses the feed, and goes on'],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo and redo'],
  ['Ctrl+S', 'saves'],
  ['Escape', 'closes a list or a dialog'],
  ['?', 'shows this list'],
]

/** Listens to the keys. */
export function listenToKeys() {
  addEventListener('keydown', event => {
    const isTyping = event.target.matches?.('input, textarea, select')
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    if (document.querySelector('dialog[open]')) return
    if (event.key === '/') {
      const bar = document.querySelector('stele-predicate-bar input')
      if (!bar) return
      event.preventDefault()
      bar.focus()
    } else if (event.key === '?') showKeys()
  })
}

/** Shows the list of all keys. */
export function showKeys() {
  return showDialog('Keys', h('table', {class: 'keys'}, h('tbody', {}, keys.map(([key, meaning]) =>
    h('tr', {}, h('th', {scope: 'row'}, key), h('td', {}, meaning))))),
  [['Close', true, 'main']])
}
