// A field that finds an object of an entity by its title.

import {h, fill, settled} from '../../parts/dom.js'
import {nameOf, namePaths} from '../../columns.js'
import {literal} from '../../conditions.js'
import {editing} from '../../editing.js'
import {service} from '../../service.js'

const most = 20
let made = 0

/**
 * A combobox (ARIA's pattern of a list with autocompletion) over the objects of an entity.
 *
 * @param entity the destination
 * @param id of the field, for its label
 * @param choose gets the chosen object: `{_id, title}`, or null for none
 */
export function objectPicker(entity, {id, isOptional = true, choose}) {
  const listID = `picker${++made}`
  let objects = []
  let at = -1
  const list = h('div', {id: listID, role: 'listbox', class: 'menu-list popover', hidden: true,
    'aria-label': `Objects of ${entity.name}`})
  const input = h('input', {
    id, placeholder: `Find ${entity.name}`, autocomplete: 'off', spellcheck: false,
    role: 'combobox', 'aria-expanded': 'false', 'aria-controls': listID,
    'aria-autocomplete': 'list', dir: 'auto',
    oninput: () => search(), onkeydown: key,
    onblur: () => setTimeout(close, 150),
  })

  const search = settled(150, async () => {
    const text = input.value.trim()
    const names = namePaths(entity)
    const conditions = names.map(it => `${it} CONTAINS[cd] ${literal(text)}`)
    if (/^\d+$/.test(text)) conditions.push(`_id == ${text}`)
    const rows = await service.get(editing.path(entity.path), {
      where: text ? conditions.join(' OR ') || 'FALSEPREDICATE' : '',
      limit: most, select: ['_id', ...names].join(','),
      sort: names.join(','),
    })
    if (document.activeElement !== input) return
    objects = rows.map(row => ({_id: row._id, title: nameOf(entity, row._id, row)}))
    if (isOptional) objects.unshift(null)
    at = -1
    show()
  })

  function show() {
    fill(list, objects.map((object, index) => h('div', {
      role: 'option', id: `${listID}-${index}`, 'aria-selected': String(index === at),
      class: object ? '' : 'hint', onmousedown: () => take(object),
    }, h('span', {dir: 'auto'}, object ? object.title : 'none'),
    object && h('span', {class: 'hint'}, `${object._id}`))))
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
    if (at >= 0) input.setAttribute('aria-activedescendant', `${listID}-${at}`)
    else input.removeAttribute('aria-activedescendant')
  }

  function close() {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
  }

  function take(object) {
    close()
    input.value = object?.title ?? ''
    choose(object)
  }

  function key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (list.hidden) return search()
      at = (at + (event.key === 'ArrowDown' ? 1 : -1) + objects.length) % objects.length
      show()
    } else if (event.key === 'Enter' && !list.hidden && at >= 0) {
      event.preventDefault()
      event.stopPropagation()
      take(objects[at])
    } else if (event.key === 'Escape' && !list.hidden) {
      event.stopPropagation()
      close()
    }
  }

  return h('div', {class: 'picker'}, input, list)
}
