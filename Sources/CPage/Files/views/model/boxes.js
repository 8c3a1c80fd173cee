// The boxes of the graph of a model: their sizes, and their elements.

import {h} from '../../parts/dom.js'
import {signed} from './changes.js'

/** The sizes of the parts of a box in pixels. The style sheet has them from `setMetrics`. */
const nameFont = 14
const rowFont = 12
const headHeight = 30
const rowHeight = 20
const padding = 5
/** The border of a box. That at its top is a part of the head. */
const border = 1
/** The height that a line needs at a box without rows, and the most that it gets. */
const lineHeight = 4.5
const tallestHead = 150
/** The space beside a name, and beside and between a name and a type. */
const nameSpace = 28
const rowSpace = 42
const signSpace = 14
/** The part of a row that its type may have. */
const typeShare = 0.6
const narrowest = 128
const widest = 248
/** The rows of a kind that a box shows. */
const mostRows = 30

/** Sets the sizes of the parts as properties for the style sheet. */
export function setMetrics(element) {
  const sizes = {
    'name-font': nameFont, 'row-font': rowFont, head: headHeight - border, row: rowHeight, padding,
  }
  for (const [name, size] of Object.entries(sizes)) {
    element.style.setProperty(`--${name}`, `${size}px`)
  }
  element.style.setProperty('--type-share', `${100 * typeShare}%`)
}

/** What measures texts in the font of an element. */
export function measurer(element) {
  const context = document.createElement('canvas').getContext('2d')
  const {fontFamily} = getComputedStyle(element)
  return (text, size, weight) => {
    context.font = `${weight} ${size}px ${fontFamily}`
    return context.measureText(text).width
  }
}

/**
 * Gives a box its size, and its rows their ports: where their lines end. The other lines end at
 * its `span`, the name.
 * @param isCompact whether only the name is shown
 * @param lineCount the number of lines that end at the box
 */
export function measure(box, isCompact, lineCount, textWidth) {
  let width = textWidth(nameOf(box), nameFont, 600) + signWidth(box) + nameSpace
  box.height = headHeight
  if (isCompact) {
    box.height = Math.max(headHeight, Math.min(tallestHead, 12 + lineCount * lineHeight))
    for (const row of box.rows) row.port = null
  } else {
    for (const group of box.groups) {
      box.height += padding
      group.forEach((row, index) => {
        row.port = box.height + (Math.min(index, mostRows) + 0.5) * rowHeight
        if (index >= mostRows) return
        const name = textWidth(nameOf(row), rowFont, 400) + signWidth(row)
        const type = textWidth(row.type, rowFont, 400)
        width = Math.max(width, name + type + rowSpace, type / typeShare + rowSpace / 2)
      })
      box.height += Math.min(group.length, mostRows + 1) * rowHeight + padding
    }
    box.height += border
  }
  box.span = isCompact ? box.height : headHeight
  box.width = Math.ceil(Math.max(narrowest, Math.min(widest, width)))
}

function signWidth({state}) { return state ? signSpace : 0 }

function nameOf({name, was}) { return was ? `${name} (was ${was})` : name }

/**
 * The element of a box.
 * @param href the address of the entity's rows; null where they may not be read
 */
export function boxElement(box, href, isCompact) {
  const name = h(href ? 'a' : 'span', {
    class: 'name', dir: 'auto', tabIndex: -1, draggable: false, href,
  }, nameOf(box))
  box.element = h('li', {
    class: `box ${box.state} ${box.entity.isAbstract ? 'abstract' : ''}`,
    title: nameOf(box) + (box.entity.isAbstract ? ' (abstract)' : ''),
  }, h('div', {class: 'head'}, signed(box.state), name), !isCompact && rowsElement(box))
  box.focusable = name
  box.element.style.width = `${box.width}px`
  box.element.style.minHeight = `${box.height}px`
  return box.element
}

/** The properties of a box. */
export function rowsElement(box) {
  return box.groups.map(group => {
    const rest = group.length - mostRows
    return h('dl', {}, group.slice(0, mostRows).map(row => h('div', {class: row.state},
      h('dt', {dir: 'auto', title: nameOf(row)}, signed(row.state), nameOf(row)),
      h('dd', {title: row.type}, h('bdi', {}, row.type)))),
    rest > 0 && h('div', {}, h('dt', {}, '…'), h('dd', {}, `${rest} more`)))
  })
}
