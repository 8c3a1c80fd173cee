// The head of the page: the model's name, the views that are not of one entity, and the theme.

import {h, fill} from './dom.js'
import {icon} from './icon.js'
import {showKeys} from './keys.js'
import {service} from '../service.js'
import {session} from '../session.js'

const themeKey = 'stele theme'
const themes = ['auto', 'light', 'dark']
const root = document.documentElement

/** The element of the head, with the theme that was chosen in this browser. */
export class Head {
  constructor(element) {
    this.element = element
    root.dataset.theme = localStorage.getItem(themeKey) ?? 'auto'
  }

  /** Shows the head for an address. It is made once, so that the focus stays where it is. */
  show(address) {
    this.links ??= this.#build()
    for (const link of this.links) {
      if (link.dataset.view === (address.view || 'model')) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
  }

  #build() {
    const links = [['model', 'Model'], ['feed', 'Feed'], ['api', 'API']].map(([view, text]) =>
      h('a', {href: `#/${view}`, 'data-view': view}, text))
    fill(this.element,
      h('button', {class: 'plain menu', 'aria-label': 'Entities', 'aria-controls': 'entities',
        onclick: () => document.body.classList.toggle('with-entities')}, icon('menu')),
      h('a', {class: 'name', href: '#/model'}, icon('stele'), session.index.model),
      h('nav', {'aria-label': 'Views'}, links),
      h('span', {class: 'space'}),
      h('span', {class: 'about'}, `Stele ${session.index.stele}`),
      session.rights.token && h('span', {class: 'about'}, session.rights.token),
      h('button', {class: 'plain', 'aria-label': 'Keys', title: 'Keys (?)', onclick: showKeys},
        '?'),
      service.token && h('button', {class: 'plain', onclick: leave}, 'Log out'),
      !service.token && session.rights.role !== null
        && h('button', {class: 'plain', onclick: enter}, 'Log in'),
      this.#themeButton())
    return links
  }

  #themeButton() {
    const theme = root.dataset.theme
    const next = themes[(themes.indexOf(theme) + 1) % themes.length]
    return h('button', {
      class: 'plain', 'aria-label': `Theme: ${theme}. Change to ${next}`, title: `Theme: ${theme}`,
      onclick: event => {
        root.dataset.theme = next
        localStorage.setItem(themeKey, next)
        const button = this.#themeButton()
        event.currentTarget.replaceWith(button)
        button.focus()
      },
    }, icon({auto: 'auto', light: 'sun', dark: 'moon'}[theme]))
  }
}

/** Asks for a token, where requests without one have some rights as well. */
async function enter() {
  const {login} = await import('../views/login.js')
  await login(document.getElementById('main'))
  location.reload()
}

function leave() {
  // Until the page goes, views still send requests.
  addEventListener('pagehide', () => { service.token = '' }, {once: true})
  location.reload()
}
