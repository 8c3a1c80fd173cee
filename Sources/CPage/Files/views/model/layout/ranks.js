// The first step of the layout: lines get a direction without cycles, and boxes get layers.

/**
 * The layers of a connected graph: `columns` of boxes, `[{items}]`, and the lines as `arcs` from a
 * column to a later one: `{tail, head, tailPort, headPort, edge, isTurned, bundle}`. A layer above
 * the height limit becomes several columns.
 */
export function layers(boxes, edges, tallest, gap) {
  const arcs = direct(boxes, edges)
  tighten(rank(boxes, arcs))
  const ranks = new Map()
  for (const box of boxes) {
    if (!ranks.has(box.rank)) ranks.set(box.rank, [])
    ranks.get(box.rank).push(box)
  }
  const columns = [...ranks.keys()].sort((a, b) => a - b)
    .flatMap(rank => cut(ranks.get(rank), tallest, gap))
  return {columns, arcs}
}

/**
 * The lines as arcs without cycles. Those of the highest weight come first; a line that would close
 * a cycle is turned round. Lines without a weight go from the lower rank to the higher one.
 */
function direct(boxes, edges) {
  const arcs = []
  const heads = new Map(boxes.map(box => [box, new Set()]))
  const strong = edges.filter(it => it.weight > 0).sort((a, b) => b.weight - a.weight)
  for (const edge of strong) add(edge, false)
  rank(boxes, arcs)
  for (const edge of edges) {
    if (edge.weight === 0) add(edge, edge.from.rank > edge.to.rank)
  }
  return arcs

  function add(edge, isBack) {
    const {from, to, fromPort, toPort, bundle} = edge
    const isTurned = isBack !== (isBack ? reaches(heads, from, to) : reaches(heads, to, from))
    const arc = isTurned ? {tail: to, head: from, tailPort: toPort, headPort: fromPort}
      : {tail: from, head: to, tailPort: fromPort, headPort: toPort, bundle}
    arcs.push({...arc, edge, isTurned})
    heads.get(arc.tail).add(arc.head)
  }
}

function reaches(heads, start, end) {
  const seen = new Set([start])
  for (const box of seen) {
    if (box === end) return true
    for (const next of heads.get(box)) seen.add(next)
  }
  return false
}

/** Ranks boxes by the longest way from a first one. Gives them in an order along the arcs. */
function rank(boxes, arcs) {
  for (const box of boxes) Object.assign(box, {incoming: [], outgoing: []})
  for (const arc of arcs) {
    arc.tail.outgoing.push(arc)
    arc.head.incoming.push(arc)
  }
  const sorted = topological(boxes)
  for (const box of sorted) box.rank = afterTails(box)
  return sorted
}

function topological(boxes) {
  const open = new Map(boxes.map(box => [box, box.incoming.length]))
  const sorted = boxes.filter(box => !box.incoming.length)
  for (const box of sorted) {
    for (const {head} of box.outgoing) {
      open.set(head, open.get(head) - 1)
      if (open.get(head) === 0) sorted.push(head)
    }
  }
  return sorted
}

function afterTails(box) { return Math.max(-1, ...box.incoming.map(it => it.tail.rank)) + 1 }

/** Moves boxes towards the side on which they have more lines: lines become shorter. */
function tighten(sorted) {
  for (let pass = 0; pass < 3; pass++) {
    for (const box of [...sorted].reverse()) {
      if (box.outgoing.length <= box.incoming.length) continue
      box.rank = Math.min(...box.outgoing.map(it => it.head.rank)) - 1
    }
    for (const box of sorted) {
      if (box.incoming.length > box.outgoing.length) box.rank = afterTails(box)
    }
  }
}

/** A layer as columns that are not too high: boxes with more lines to the right come last. */
function cut(boxes, tallest, gap) {
  const height = boxes.reduce((sum, it) => sum + it.height + gap, 0)
  const count = Math.max(1, Math.round(height / tallest))
  const pull = box => box.outgoing.length - box.incoming.length
  const columns = Array.from({length: count}, () => ({items: []}))
  let filled = 0
  for (const box of [...boxes].sort((a, b) => pull(a) - pull(b))) {
    const middle = filled + (box.height + gap) / 2
    columns[Math.floor(middle / height * count)].items.push(box)
    filled += box.height + gap
  }
  return columns.filter(it => it.items.length)
}
