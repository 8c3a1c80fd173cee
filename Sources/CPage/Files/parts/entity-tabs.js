// The tabs of an entity: the same objects as a table, a chart and a map.

import {h} from './dom.js'
import {icon} from './icon.js'
import {Address} from '../address.js'

/** What the tabs keep of an address: the objects are the same. */
const kept = ['where', 'subentities']

/** The heading and the tabs of an entity, for an address. */
export function entityTabs(entity, address) {
  const tabs = [['rows', 'Table', 'table'], ['chart', 'Chart', 'chart']]
  if (entity.coordinates) tabs.push(['map', 'Map', 'map'])
  const parameters = Object.fromEntries(kept.map(name => [name, address.get(name)]))
  return [
    h('h1', {}, entity.name),
    h('nav', {'aria-label': `Views of ${entity.name}`}, tabs.map(([view, title, picture]) =>
      h('a', {
        href: new Address([view, entity.name], parameters).toString(),
        'aria-current': address.view === view ? 'page' : null,
      }, icon(picture), title))),
  ]
}
