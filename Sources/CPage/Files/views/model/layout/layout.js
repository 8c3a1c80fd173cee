// The layout of a graph of boxes: connected parts in layers from left to right, the other boxes in
// a grid, and all of them packed beside each other. Equal graphs have equal layouts.

import {layers} from './ranks.js'
import {chain, order} from './order.js'
import {align} from './align.js'

/** The space between boxes above each other, and the room that a line needs. */
const gap = 26
/** The space between parts, and around all. */
const partGap = 56
const margin = 32
/** The straight part of a line at a box: arrowheads are on it. */
const lead = 20
/** The width that a loop needs beside its box. */
const loopWidth = 44

/**
 * Lays out a graph.
 * @param nodes boxes: `{width, height, span}`. The span is the upper part of the height, at which
 *   lines end whose ports are not given.
 * @param edges lines: `{from, to, fromPort, toPort, weight, bundle}`. `from` and `to` are indexes
 *   of nodes. A port is the distance from the top of a box at which the line ends; null where the
 *   layout chooses it. Lines of the highest weight go from left to right if they can, those of 0
 *   in either direction. Lines from one box with the same `bundle` run together.
 * @param aspect the width that is wanted for a height of 1
 * @returns {{width: number, height: number, places: {x: number, y: number}[],
 *   lines: number[][][]}} where lines are lists of points. The first two points are joined by a
 *   straight line, the next two by a curve, and so on in turn.
 */
export function layOut(nodes, edges, aspect) {
  const {parts, singles} = split(nodes, edges)
  const blocks = parts.map(part => layered(part, aspect))
  if (singles.length) blocks.push(grid(singles, aspect))
  const size = pack(blocks, aspect)
  const places = []
  const lines = []
  for (const {x, y, boxes, paths} of blocks) {
    for (const box of boxes) places[box.index] = {x: box.x + x, y: box.y + y}
    for (const path of paths) lines[path.index] = path.points.map(it => [it[0] + x, it[1] + y])
  }
  return {...size, places, lines}
}

/** The connected parts of a graph, and the boxes without a line. */
function split(nodes, edges) {
  const boxes = nodes.map((node, index) => ({...node, index, edges: [], part: null}))
  edges.forEach((edge, index) => {
    const mine = {...edge, index, from: boxes[edge.from], to: boxes[edge.to]}
    for (const box of new Set([mine.from, mine.to])) box.edges.push(mine)
  })
  const parts = []
  for (const first of boxes) {
    if (first.part || !first.edges.length) continue
    const part = {boxes: [], edges: new Set()}
    const waiting = [first]
    first.part = part
    for (const box of waiting) {
      part.boxes.push(box)
      for (const edge of box.edges) {
        part.edges.add(edge)
        for (const next of [edge.from, edge.to]) {
          if (next.part) continue
          next.part = part
          waiting.push(next)
        }
      }
    }
    parts.push({boxes: part.boxes, edges: [...part.edges]})
  }
  return {parts, singles: boxes.filter(it => !it.edges.length)}
}

/** A connected part: layers beside each other. */
function layered({boxes, edges}, aspect) {
  const tallest = heightLimit(boxes, aspect)
  const {columns, arcs} = layers(boxes, edges.filter(it => it.from !== it.to), tallest, gap)
  chain(columns, arcs)
  order(columns)
  align(columns, gap)
  const width = placeColumns(columns, boxes)
  const items = columns.flatMap(it => it.items)
  const top = Math.min(...items.map(it => it.y))
  for (const item of items) item.y -= top
  const height = Math.max(...items.map(it => it.y + it.height))
  spreadPorts(boxes, arcs)
  const loops = edges.filter(it => it.from === it.to)
  return {width, height, boxes, paths: [...arcs.map(path), ...loops.map(loop)]}
}

/** The height above which a layer becomes several columns. */
function heightLimit(boxes, aspect) {
  const area = boxes.reduce((sum, it) => sum + (it.width + 90) * (it.height + gap), 0)
  return Math.max(1.25 * Math.sqrt(area / aspect), ...boxes.map(it => it.height))
}

/** Gives each column its place: channels between them are wider where more lines run. */
function placeColumns(columns, boxes) {
  let x = 0
  for (const [index, column] of columns.entries()) {
    const lines = column.items.reduce((sum, it) => sum + it.right.length, 0)
    column.x = x
    column.width = Math.max(...column.items.map(it => it.width))
    for (const item of column.items) {
      item.column = column
      item.x = x + (column.width - item.width) / 2
    }
    x += column.width
    if (index < columns.length - 1) x += Math.min(190, 84 + 5 * lines)
  }
  const loops = boxes.filter(box => box.edges.some(it => it.from === it.to))
  return Math.max(x, ...loops.map(it => it.x + it.width + loopWidth))
}

/** Chooses the ports that are not given: spread along the span, in the order of the other ends. */
function spreadPorts(boxes, arcs) {
  const ends = new Map(boxes.map(box => [box, {left: [], right: []}]))
  for (const arc of arcs) {
    const {tail, head, tailPort, headPort, chain: items} = arc
    if (tailPort === null) ends.get(tail).right.push({arc, key: 'tailPort', to: items[1]})
    if (headPort === null) ends.get(head).left.push({arc, key: 'headPort', to: items.at(-2)})
  }
  for (const [box, sides] of ends) {
    for (const side of [sides.left, sides.right]) {
      side.sort((a, b) => middle(a.to) - middle(b.to))
      const groups = [...new Set(side.map(groupOf))]
      for (const end of side) {
        end.arc[end.key] = box.span * (groups.indexOf(groupOf(end)) + 1) / (groups.length + 1)
      }
    }
  }
}

function groupOf({arc, key}) { return key === 'tailPort' ? arc.bundle ?? arc : arc }
function middle(item) { return item.y + item.height / 2 }

/** The points of a line, from its first box to its second one. */
function path(arc) {
  const points = []
  for (const item of arc.chain) {
    const {column} = item
    if (item === arc.chain[0]) {
      const y = item.y + arc.tailPort
      points.push([item.x + item.width, y], [column.x + column.width + lead, y])
    } else if (item === arc.chain.at(-1)) {
      const y = item.y + arc.headPort
      points.push([column.x - lead, y], [item.x, y])
    } else {
      points.push([column.x, item.y], [column.x + column.width, item.y])
    }
  }
  return {index: arc.edge.index, points: arc.isTurned ? points.reverse() : points}
}

/** A line from a box to itself, at its right side. */
function loop(edge) {
  const {from: box, fromPort, toPort, index} = edge
  const x = box.x + box.width
  const isOne = fromPort === toPort
  const first = box.y + (fromPort ?? box.span / 2) - (isOne ? 7 : 0)
  const second = box.y + (toPort ?? box.span / 2) + (isOne ? 7 : 0)
  return {index, points: [[x, first], [x + lead, first], [x + lead, second], [x, second]]}
}

/** Boxes without lines, each below the lowest column. */
function grid(boxes, aspect) {
  const area = boxes.reduce((sum, it) => sum + (it.width + gap) * (it.height + gap), 0)
  const cell = Math.max(...boxes.map(it => it.width)) + gap
  const count = Math.max(1, Math.min(boxes.length, Math.round(Math.sqrt(area * aspect) / cell)))
  const bottoms = Array(count).fill(0)
  for (const box of boxes) {
    const column = bottoms.indexOf(Math.min(...bottoms))
    box.x = column * cell
    box.y = bottoms[column]
    bottoms[column] += box.height + gap
  }
  return {width: count * cell - gap, height: Math.max(...bottoms) - gap, boxes, paths: []}
}

/** Packs blocks in shelves, the highest first. A block goes below another where there is room. */
function pack(blocks, aspect) {
  const area = blocks.reduce((sum, it) => sum + (it.width + partGap) * (it.height + partGap), 0)
  const widest = Math.max(Math.sqrt(area * aspect), ...blocks.map(it => it.width))
  let shelf = {y: margin, height: 0, columns: [], right: margin}
  let width = 0
  for (const block of [...blocks].sort((a, b) => b.height - a.height)) {
    let column = shelf.columns.find(it => it.width >= block.width
      && it.bottom + block.height <= shelf.y + shelf.height)
    if (!column) {
      if (shelf.columns.length && shelf.right + block.width > margin + widest) {
        const y = shelf.y + shelf.height + partGap
        shelf = {y, height: 0, columns: [], right: margin}
      }
      column = {x: shelf.right, bottom: shelf.y, width: block.width}
      shelf.columns.push(column)
      shelf.right += block.width + partGap
      shelf.height = Math.max(shelf.height, block.height)
    }
    block.x = column.x
    block.y = column.bottom
    column.bottom += block.height + partGap
    width = Math.max(width, block.x + block.width)
  }
  return {width: width + margin, height: shelf.y + shelf.height + margin}
}

/**
 * The box that is nearest to another one in the direction of an arrow key; undefined for none, and
 * for other keys.
 * @param boxes `{x, y, width, height}`
 */
export function nearest(boxes, from, key) {
  const axes = {ArrowLeft: ['x', -1], ArrowRight: ['x', 1], ArrowUp: ['y', -1], ArrowDown: ['y', 1]}
  if (!axes[key]) return undefined
  const [axis, sign] = axes[key]
  const across = axis === 'x' ? 'y' : 'x'
  let best
  let least = Infinity
  for (const box of boxes) {
    const ahead = sign * (center(box, axis) - center(from, axis))
    const aside = Math.abs(center(box, across) - center(from, across))
    if (ahead <= aside / 4) continue
    const distance = between(box, from, axis) + 3 * between(box, from, across) + aside / 4
    if (distance >= least) continue
    least = distance
    best = box
  }
  return best
}

function sizeAlong(box, axis) { return axis === 'x' ? box.width : box.height }
function center(box, axis) { return box[axis] + sizeAlong(box, axis) / 2 }

/** The space between two boxes along an axis; 0 where they overlap. */
function between(one, other, axis) {
  return Math.max(0, one[axis] - other[axis] - sizeAlong(other, axis),
    other[axis] - one[axis] - sizeAlong(one, axis))
}
