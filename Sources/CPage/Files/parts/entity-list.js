// The list of entities beside the view: the tree of subentities, with the number of their objects.

import {h, fill} from './dom.js'
import {editing} from '../editing.js'
import {service} from '../service.js'
import {session} from '../session.js'
import {grouped} from '../values.js'

/** From this many entities on the list can be searched. */
const manyEntities = 12

let shown = null

// A save, of all changes or of a single one, has left nothing unsaved.
editing.addEventListener('change', () => {
  if (!editing.state) shown?.counted.forEach(link => count(link))
})

/** Shows the list with the entity of the address marked. It is made once. */
export function entityList(element, address) {
  if (shown?.model !== session.model) shown = make(element)
  for (const [name, link] of shown.links) {
    if (address.path[1] === name) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  document.body.classList.remove('with-entities')
}

function make(element) {
  const links = new Map()
  const counted = new Set()
  const readable = new Set(session.readable)
  const roots = [...readable].filter(entity => !readable.has(entity.parent))
  roots.sort((a, b) => a.name.localeCompare(b.name))
  const list = h('ul', {}, roots.map(root => item(root, 0)))
  const search = h('input', {
    type: 'search', placeholder: 'Find an entity', 'aria-label': 'Find an entity',
    oninput: () => {
      const text = search.value.toLowerCase()
      for (const [name, link] of links) {
        link.parentElement.hidden = !name.toLowerCase().includes(text)
      }
    },
  })
  const observer = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue
      observer.unobserve(target)
      counted.add(target)
      count(target)
    }
  })
  fill(element, readable.size >= manyEntities && search, list)
  for (const link of links.values()) observer.observe(link)
  return {model: session.model, links, counted}

  function item(entity, depth) {
    const link = h('a', {
      href: `#/rows/${encodeURIComponent(entity.name)}`, 'data-entity': entity.name,
      title: entity.name, class: `depth-${Math.min(depth, 6)}`,
    }, h('span', {class: 'text'}, entity.name), h('span', {class: 'count'}))
    links.set(entity.name, link)
    const below = entity.subentities.filter(it => readable.has(it))
    return [h('li', {}, link), ...below.map(it => item(it, depth + 1))]
  }
}

async function count(link) {
  const entity = session.model.entity(link.dataset.entity)
  try {
    const {count} = await service.get(`${entity.path}/count`)
    link.lastElementChild.textContent = grouped(count)
  } catch {
    link.lastElementChild.textContent = ''
  }
}
