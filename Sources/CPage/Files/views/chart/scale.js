// Numbers and lengths of a drawing: round ticks, numbers as people read them, and texts that fit.

const whole = new Intl.NumberFormat(undefined, {maximumFractionDigits: 2})
const broken = new Intl.NumberFormat(undefined, {maximumSignificantDigits: 4})
/** Four digits may be a year. */
const ungrouped = new Intl.NumberFormat(undefined,
  {maximumFractionDigits: 2, useGrouping: 'min2'})
const short = new Intl.NumberFormat(undefined, {notation: 'compact', maximumFractionDigits: 3})
const extreme = new Intl.NumberFormat(undefined,
  {notation: 'scientific', maximumSignificantDigits: 4})

/** A number, or the digits of one, in the way of the person's language. */
export function amount(value) {
  if (value === null || value === undefined) return '–'
  const size = Math.abs(value)
  if (size >= 1e21 || (size > 0 && size < 1e-6)) return extreme.format(value)
  return (size >= 100 ? whole : broken).format(value)
}

/** A number by which objects are grouped, such as a year. */
export function keyText(value) {
  return Math.abs(value) >= 1000 && Math.abs(value) < 1e4 ? ungrouped.format(value) : amount(value)
}

/** What writes the numbers of an axis: all of them in the same way. */
export function tickFormat(values) {
  const most = Math.max(...values.map(Math.abs))
  return most >= 1e5 && most < 1e15 ? value => short.format(value) : amount
}

/**
 * A scale from numbers to a length, whose ends are round.
 * @param count about how many ticks there are
 * @returns {{place: (value: number) => number, ticks: number[]}}
 */
export function scale(values, {length, count, hasZero}) {
  const all = hasZero || !values.length ? [0, ...values] : values
  const low = Math.min(...all)
  const high = Math.max(...all)
  const range = high - low || Math.abs(high) || 1
  const power = 10 ** Math.floor(Math.log10(range / count))
  const step = power * [1, 2, 5, 10].find(it => it * power * count >= range * 0.999)
  const first = Math.floor(low / step)
  const last = Math.max(Math.ceil(high / step), first + 1)
  const ticks = []
  for (let n = first; n <= last; n++) ticks.push(Number((n * step).toPrecision(12)))
  return {
    place: value => (value - ticks[0]) / (ticks.at(-1) - ticks[0]) * length,
    ticks,
  }
}

const context = document.createElement('canvas').getContext('2d')

/** Measures texts in the font of an element. */
export class Ruler {
  constructor(element) {
    const {fontStyle, fontWeight, fontSize, fontFamily} = getComputedStyle(element)
    this.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`
  }

  /** The width of a text in pixels. */
  width(text) {
    context.font = this.font
    return context.measureText(text).width
  }

  /** The width of the widest of some texts. */
  widest(texts) { return Math.max(0, ...texts.map(text => this.width(text))) }

  /** A text, or as much of its beginning as fits into a width. */
  fitted(text, width) {
    if (this.width(text) <= width) return text
    const letters = [...text]
    let fits = 0
    let tooLong = letters.length
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2)
      if (this.width(letters.slice(0, middle).join('') + '…') <= width) fits = middle
      else tooLong = middle
    }
    return letters.slice(0, fits).join('') + '…'
  }
}
