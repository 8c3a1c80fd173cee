// The login, where the service has tokens.

import {h, fill} from '../parts/dom.js'
import {service, Problem} from '../service.js'

/** Shows the login, and returns when the service has accepted a token. */
export function login(place) {
  return new Promise(done => {
    const field = h('input', {
      type: 'password', id: 'token', autocomplete: 'off', required: true, spellcheck: false,
      'aria-describedby': 'token-error',
    })
    const error = h('p', {id: 'token-error', class: 'error-text', role: 'alert'},
      service.token && 'The token is not valid any more.')
    const form = h('form', {class: 'login', onsubmit: async event => {
      event.preventDefault()
      const token = field.value.trim()
      // A header field has no other characters.
      if (!/^[\x21-\x7e]+$/.test(token)) {
        fill(error, 'A token has letters, digits and signs of ASCII only.')
        return
      }
      service.token = token
      try {
        await service.get('rights')
        done()
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem
        service.token = ''
        fill(error, problem.message)
        field.select()
      }
    }},
    h('h1', {}, 'Log in'),
    h('p', {}, 'The service needs a token. The page keeps it until this tab is closed.'),
    h('label', {for: 'token'}, 'Token'), field, error,
    h('button', {class: 'main'}, 'Log in'))
    fill(place, h('section', {}, form))
    field.focus()
  })
}
