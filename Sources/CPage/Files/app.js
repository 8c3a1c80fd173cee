// The page: reads the model, shows the view that the address names, and says when the service is
// away.

import {Address} from './address.js'
import {editing} from './editing.js'
import {service} from './service.js'
import {session} from './session.js'
import {h, fill} from './parts/dom.js'
import {Head} from './parts/head.js'
import {entityList} from './parts/entity-list.js'
import {listenToKeys} from './parts/keys.js'
import {showLostSteps} from './parts/lost-steps.js'
import {notice} from './parts/notice.js'

/** The modules of the views, by the first part of an address. Each defines an element. */
const views = {
  model: () => import('./views/model/model.js'),
  rows: () => import('./views/rows/rows.js'),
  chart: () => import('./views/chart/chart.js'),
  map: () => import('./views/map/map.js'),
  feed: () => import('./views/feed/feed.js'),
  api: () => import('./views/api/api.js'),
  import: () => import('./views/import/import.js'),
}

/** The views that are of one entity, which is the second part of their addresses. */
const ofAnEntity = new Set(['rows', 'chart', 'map', 'import'])

const main = document.getElementById('main')
const head = new Head(document.getElementById('head'))
const entities = document.getElementById('entities')

function present() {
  const address = Address.of(location.hash)
  return {address, name: address.view || 'model'}
}

/** Shows the view of the address. A view that is there already is told the new address. */
async function show() {
  if (!session.rights) return
  const {address, name} = present()
  const entity = address.path[1]
  const shown = main.firstElementChild
  if (shown?.unfinished && !isOf(shown, name, entity) && !confirm(shown.unfinished)) {
    return history.replaceState(null, '', shown.address)
  }
  head.show(address)
  entityList(entities, address)
  document.title = [entity, name === 'rows' ? null : name, session.index.model, 'Stele']
    .filter(Boolean).join(' · ')
  if (!views[name]) return fill(main, notFound(`There is no view ${name}.`))
  if (ofAnEntity.has(name) && !session.model.entity(entity)) {
    return fill(main, notFound(`The model has no entity ${entity ?? ''}.`))
  }
  try {
    await views[name]()
    // Another address may have come while the module was loaded.
    if (present().address.toString() === address.toString()) {
      await elementOf(name, entity).show(address)
    }
  } catch (error) {
    report(error)
  }
}

/** The element of a view: the one that is shown, or a new one in its place. */
function elementOf(name, entity) {
  const shown = main.firstElementChild
  if (shown && isOf(shown, name, entity)) return shown
  const view = document.createElement(`stele-${name}`)
  view.entityName = entity
  fill(main, view)
  // What had the focus may be gone with the view before.
  if (shown && document.activeElement === document.body) main.focus()
  return view
}

function isOf(view, name, entity) {
  return view.localName === `stele-${name}` && view.entityName === entity
}

function notFound(text) {
  return h('section', {class: 'empty'}, h('h1', {}, 'Not found'), h('p', {}, text),
    h('p', {}, h('a', {href: '#/model'}, 'All entities')))
}

/** Says what went wrong. A context that is gone is made again, and the views read it then. */
function report(error) {
  if (error?.name === 'AbortError') return
  if (error?.isContextGone) editing.revive()
  else notice.error(error)
}

/** Reads what every view needs, after the login where the service has tokens. */
async function start() {
  // The module of the view is loaded while the model is read.
  views[present().name]?.()
  try {
    await session.open()
    await editing.restore().catch(report)
  } catch (error) {
    if (error.status !== 401) return report(error)
    const {login} = await import('./views/login.js')
    await login(main)
    return start()
  }
  await show()
}

service.addEventListener('offline', () => notice.away())
service.addEventListener('online', () => {
  notice.back()
  editing.revive()
})
editing.addEventListener('saved', () =>
  notice.done('The changes were saved before the connection was lost.'))
editing.addEventListener('lost', event => showLostSteps(event.detail))
editing.addEventListener('unkept', () => notice.error(new Error(
  'The unsaved changes are too large for the browser to keep. Save before you reload the page.')))
// A token has ended: the login comes with the next start.
service.addEventListener('token', () => { if (session.rights) location.reload() })
addEventListener('hashchange', show)
addEventListener('unhandledrejection', event => {
  event.preventDefault()
  report(event.reason)
})
// The fragment is the address of the view, and cannot name a place in it.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault()
  main.focus()
})
listenToKeys()
start()
