// Modal dialogs.

import {h, fill} from './dom.js'

let made = 0

/**
 * Shows a modal dialog.
 *
 * @param title its heading
 * @param content what is in it
 * @param actions its buttons: `[[title, value, class]]`; Escape gives undefined
 * @returns the value of the button, when the dialog is closed
 */
export function showDialog(title, content, actions) {
  const id = `dialog${++made}`
  const dialog = h('dialog', {'aria-labelledby': id})
  let chosen
  fill(dialog, h('h2', {id}, title), content, h('div', {class: 'actions'},
    actions.map(([text, value, kind]) => h('button', {
      class: kind ?? '', autofocus: kind === 'main',
      onclick: () => {
        chosen = value
        dialog.close()
      },
    }, text))))
  document.body.append(dialog)
  dialog.showModal()
  // The button that has the focus may be far below.
  dialog.scrollTop = 0
  return new Promise(done => dialog.addEventListener('close', () => {
    dialog.remove()
    done(chosen)
  }))
}
