// The dialog that shows the request behind a view as code.

import {h, fill} from './dom.js'
import {icon} from './icon.js'
import {forms} from '../code.js'
import {service} from '../service.js'

const formKey = 'stele code'

/**
 * The button of a view's bar that shows its request as code.
 * @param request gives the request, or a list of requests, when the button is pressed
 */
export function codeButton(request) {
  return h('button', {type: 'button', onclick: () => showCode(request())}, icon('code'), 'Code')
}

/** Shows a request, or a list of requests, in each form, until the dialog is closed. */
export function showCode(requests) {
  const place = {base: service.base, needsToken: Boolean(service.token)}
  const list = [requests].flat()
  const text = h('pre', {id: 'code-text', role: 'tabpanel', tabIndex: 0, dir: 'ltr'})
  const said = h('p', {class: 'hint', role: 'status'})
  const tabs = forms.map(form => h('button', {
    role: 'tab', id: `code-${form.id}`, 'aria-controls': 'code-text',
    onclick: () => choose(form),
  }, form.title))
  const dialog = h('dialog', {class: 'code-dialog', 'aria-labelledby': 'code-title',
    onclose: () => dialog.remove()},
  h('h2', {id: 'code-title'}, list.length === 1 ? 'The request as code' : 'The requests as code'),
  h('div', {role: 'tablist', 'aria-labelledby': 'code-title',
    onkeydown: event => move(event, tabs)}, tabs),
  text, place.needsToken && h('p', {class: 'hint'},
    'The environment variable TOKEN has the token of the service.'),
  h('div', {class: 'actions'}, said,
    h('button', {class: 'main', onclick: async () => fill(said, await copy(text))}, 'Copy'),
    h('button', {onclick: () => dialog.close()}, 'Close')))
  choose(forms.find(it => it.id === localStorage.getItem(formKey)) ?? forms[0])
  document.body.append(dialog)
  dialog.showModal()
  tabs.find(it => it.tabIndex === 0).focus()

  function choose(form) {
    localStorage.setItem(formKey, form.id)
    for (const [index, tab] of tabs.entries()) {
      const isChosen = forms[index] === form
      tab.setAttribute('aria-selected', isChosen)
      tab.tabIndex = isChosen ? 0 : -1
      if (isChosen) text.setAttribute('aria-labelledby', tab.id)
    }
    fill(text, form.code(list, place))
    fill(said)
  }
}

/** Goes to another tab by the keys of a list of tabs. */
function move(event, tabs) {
  const isReversed = getComputedStyle(event.currentTarget).direction === 'rtl'
  const at = tabs.indexOf(document.activeElement)
  const next = {
    ArrowRight: at + (isReversed ? -1 : 1), ArrowLeft: at + (isReversed ? 1 : -1),
    Home: 0, End: tabs.length - 1,
  }[event.key]
  if (next === undefined) return
  event.preventDefault()
  const tab = tabs[(next + tabs.length) % tabs.length]
  tab.focus()
  tab.click()
}

/**
 * Copies the text of an element. A page that did not come by TLS or from this machine has no
 * clipboard: there the text is selected, and copied as a person would copy it.
 * @returns what there is to say of it
 */
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent)
    return 'Copied'
  } catch {
    getSelection().selectAllChildren(element)
    return document.execCommand('copy') ? 'Copied' : 'The text is selected, and can be copied.'
  }
}
