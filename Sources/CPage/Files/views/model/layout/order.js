// The second step of the layout: the order in each column, with few crossings of lines.

/** The number of times that all columns are sorted. */
const sweeps = 20

/**
 * Joins the boxes of the columns by segments from one column to the next. A line over several
 * columns gets a bend in each: an item of no size, beside the boxes. Sets `left` and `right` of
 * the items to their segments, and `chain` of the arcs to the items that they go through.
 */
export function chain(columns, arcs) {
  columns.forEach((column, index) => {
    for (const item of column.items) Object.assign(item, {left: [], right: [], at: index})
  })
  const bends = new Map()
  const joined = new Map()
  for (const arc of arcs) {
    arc.chain = [arc.tail]
    for (let at = arc.tail.at + 1; at < arc.head.at; at++) {
      arc.chain.push(bend(arc, at))
    }
    arc.chain.push(arc.head)
    for (let index = 1; index < arc.chain.length; index++) join(arc, index)
  }

  function bend(arc, at) {
    const shared = keyed(bends, arc.bundle ?? arc)
    if (!shared.has(at)) {
      const item = {isBend: true, width: 0, height: 0, left: [], right: [], at}
      columns[at].items.push(item)
      shared.set(at, item)
    }
    return shared.get(at)
  }

  function join(arc, index) {
    const [tail, head] = [arc.chain[index - 1], arc.chain[index]]
    const known = keyed(joined, tail)
    if (tail.isBend && head.isBend && known.has(head)) return
    known.set(head, true)
    const segment = {
      tail, head, tailPort: tail.isBend ? 0 : arc.tailPort ?? tail.span / 2,
      headPort: head.isBend ? 0 : arc.headPort ?? head.span / 2,
    }
    tail.right.push(segment)
    head.left.push(segment)
  }
}

function keyed(map, key) {
  if (!map.has(key)) map.set(key, new Map())
  return map.get(key)
}

/**
 * Sorts each column by the mean place of what its items are joined to, from left to right and back,
 * and keeps the order with the fewest crossings.
 */
export function order(columns) {
  columns.forEach(number)
  let best = columns.map(it => it.items)
  let fewest = crossings(columns)
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isForward = sweep % 2 === 0
    const [side, end, port] = isForward
      ? ['left', 'tail', 'tailPort'] : ['right', 'head', 'headPort']
    for (const column of isForward ? columns : [...columns].reverse()) {
      for (const item of column.items) item.mean = mean(item, side, end, port)
      column.items = [...column.items].sort((a, b) => a.mean - b.mean)
      number(column)
    }
    const count = crossings(columns)
    if (count >= fewest) continue
    fewest = count
    best = columns.map(it => it.items)
  }
  columns.forEach((column, index) => {
    column.items = best[index]
    number(column)
  })
}

function number(column) { column.items.forEach((item, index) => { item.order = index }) }

function mean(item, side, end, port) {
  const segments = item[side]
  if (!segments.length) return item.order
  const sum = segments.reduce((all, it) => all + place(it[end], it[port]), 0)
  return sum / segments.length
}

/** The place of an end of a segment: that of the item, and of the port within it. */
function place(item, port) { return item.order + (item.height ? port / item.height : 0.5) }

function crossings(columns) {
  return columns.reduce((sum, column) => {
    const segments = column.items.flatMap(it => it.right)
    const ends = segments.map(it => [place(it.tail, it.tailPort), place(it.head, it.headPort)])
    ends.sort((a, b) => a[0] - b[0] || a[1] - b[1])
    return sum + inversions(ends.map(it => it[1]))
  }, 0)
}

/** The number of pairs of values that are not in ascending order. */
function inversions(values) {
  const sorted = []
  let count = 0
  for (const value of values) {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const half = (low + high) >> 1
      if (sorted[half] <= value) low = half + 1
      else high = half
    }
    count += sorted.length - low
    sorted.splice(low, 0, value)
  }
  return count
}
