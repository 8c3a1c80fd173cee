// The third step of the layout: the height at which each item of a column is, so that lines are as
// straight as the boxes allow.

/** The number of times that all columns are moved. */
const sweeps = 12
/** The room of a line beside a box, and beside another line. */
const besideBox = 16
const besideLine = 10

/** Sets `y` of all items. The order of a column stays. */
export function align(columns, gap) {
  for (const column of columns) {
    let y = 0
    for (const [index, item] of column.items.entries()) {
      if (index > 0) y += distance(column.items[index - 1], item, gap)
      item.y = y
    }
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0
    const sides = sweep >= sweeps - 4 ? ['left', 'right'] : [isForward ? 'left' : 'right']
    for (const column of isForward ? columns : [...columns].reverse()) {
      settle(column.items, column.items.map(item => wish(item, sides)), gap)
    }
  }
}

/** The least distance of the tops of two items that follow each other. */
function distance(above, below, gap) {
  const bends = Number(Boolean(above.isBend)) + Number(Boolean(below.isBend))
  return above.height + [gap, besideBox, besideLine][bends]
}

/** Where an item would like to be: `{y, weight}`. Long lines are kept straight first. */
function wish(item, sides) {
  let [sum, weight] = [0, 0]
  for (const side of sides) {
    for (const segment of item[side]) {
      const isLeft = side === 'left'
      const other = isLeft ? segment.tail : segment.head
      const [mine, its] = isLeft
        ? [segment.headPort, segment.tailPort] : [segment.tailPort, segment.headPort]
      const strength = item.isBend && other.isBend ? 8 : item.isBend || other.isBend ? 2 : 1
      sum += strength * (other.y + its - mine)
      weight += strength
    }
  }
  return weight ? {y: sum / weight, weight} : {y: item.y, weight: 0.1}
}

/**
 * Moves items as near to their wishes as their order and distances allow. The squares of what is
 * left are least: items that would overlap become groups, at the mean of their wishes.
 */
function settle(items, wishes, gap) {
  const groups = []
  const offsets = []
  let offset = 0
  items.forEach((item, index) => {
    if (index > 0) offset += distance(items[index - 1], item, gap)
    offsets.push(offset)
    let group = {count: 1, weight: wishes[index].weight, y: wishes[index].y - offset}
    while (groups.length && groups.at(-1).y >= group.y) {
      const before = groups.pop()
      const weight = before.weight + group.weight
      const y = (before.y * before.weight + group.y * group.weight) / weight
      group = {count: before.count + group.count, weight, y}
    }
    groups.push(group)
  })
  let index = 0
  for (const {count, y} of groups) {
    for (let each = 0; each < count; each++, index++) items[index].y = y + offsets[index]
  }
}
