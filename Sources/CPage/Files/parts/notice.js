// What the page tells a person besides its views: errors, what is done, and that the service is
// away.

import {h} from './dom.js'

const place = document.getElementById('notices')
let away = null

function show(kind, ...content) {
  const close = h('button', {class: 'plain', 'aria-label': 'Close', onclick: () => box.remove()},
    '×')
  const box = h('div', {class: `notice ${kind}`}, h('div', {}, ...content), close)
  place.append(box)
  while (place.childElementCount > 4) place.firstElementChild.remove()
  return box
}

export const notice = {
  /** Says what went wrong, with the way out where the service names one. */
  error(error) {
    console.warn(error)
    show('error', h('p', {}, error.message), error.hint && h('p', {class: 'hint'}, error.hint))
  },

  /** Says what is done, for six seconds. */
  done(text) {
    const box = show('done', h('p', {}, text))
    setTimeout(() => box.remove(), 6000)
  },

  /** Says that the service does not answer, until `back` is called. */
  away() {
    away ??= h('div', {class: 'notice away'}, h('p', {},
      'The service does not answer. What you have typed stays here; '
      + 'the page goes on when the service is back.'))
    place.append(away)
  },

  back() {
    if (!away) return
    away.remove()
    away = null
    notice.done('The service is back.')
  },

}
