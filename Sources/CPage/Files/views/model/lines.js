// The lines of the graph of a model, as SVG.

import {svg} from '../../parts/dom.js'

const headLength = 8
const headHalf = 4.5
const headStep = 6.5
const triangleLength = 11
const triangleHalf = 6.5

/** The element of a line through the points of its layout. */
export function lineElement(line, points) {
  const shape = line.kind === 'inheritance'
    ? inheritancePath(points) : curve(points) + heads(line.heads, points)
  line.element = svg('g', {class: `line ${line.kind} ${line.state}`},
    svg('title', {}, line.title),
    svg('path', {class: 'reach', d: shape}), svg('path', {d: shape}))
  return line.element
}

/** A path of straight parts and curves in turn. Curves go on in the direction of the straight. */
function curve(points) {
  let path = `M${place(points[0])}`
  for (let index = 1; index < points.length; index += 2) {
    path += `L${place(points[index])}`
    if (index + 1 < points.length) {
      const [start, end] = [points[index], points[index + 1]]
      const reach = Math.max(16, Math.abs(end[0] - start[0]) / 2)
      const first = [start[0] + reach * side(points[index - 1], start), start[1]]
      const second = [end[0] - reach * side(end, points[index + 2]), end[1]]
      path += `C${place(first)} ${place(second)} ${place(end)}`
    }
  }
  return path
}

function place([x, y]) { return `${x.toFixed(1)},${y.toFixed(1)}` }

/** The direction from one point to another: 1 to the right, −1 to the left. */
function side(from, to) { return to[0] >= from[0] ? 1 : -1 }

/** The arrowheads at both ends. */
function heads([first, last], points) {
  return arrow(first, points[0], side(points[1], points[0]))
    + arrow(last, points.at(-1), side(points.at(-2), points.at(-1)))
}

function arrow(count, [x, y], direction) {
  let path = ''
  for (let index = 0; index < count; index++) {
    const tip = x - direction * headStep * index
    const back = tip - direction * headLength
    path += `M${place([back, y - headHalf])}L${place([tip, y])}L${place([back, y + headHalf])}`
  }
  return path
}

/** A line that begins at a hollow triangle, which points at the parent. */
function inheritancePath(points) {
  const [[x, y], next] = points
  const base = x + triangleLength * side([x, y], next)
  return curve([[base, y], ...points.slice(1)])
    + `M${place([x, y])}L${place([base, y - triangleHalf])}L${place([base, y + triangleHalf])}Z`
}
