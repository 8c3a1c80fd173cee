// Texts of cells as values of an attribute's type, in the form that a request's body has.

/** Why a cell is no value of its attribute. */
export class Misfit {
  constructor(reason) { this.reason = reason }
}

/** How cells are read where the person says nothing else. */
export const defaults = {
  /** Whether cells are values of JSON, and not texts that may have JSON in them. */
  hasValues: false,
  /** Texts that are null, besides the empty cell. */
  nulls: '',
  /** Whether an empty text in quotes is null in a column of texts, too. */
  quotedIsNull: false,
  /** Whether spaces at both ends of a text are left out. */
  trims: false,
  trues: 'true, yes, 1',
  falses: 'false, no, 0',
  /** What a time without an offset is in: `UTC`, or `local` for the browser's time zone. */
  zone: 'UTC',
}

const dateWays = {dmy: 'day/month/year', mdy: 'month/day/year'}
const numberWays = {point: '1,234.5', comma: '1.234,5'}

/**
 * The two ways to write the values of an attribute that not every text tells apart, by name with
 * a title; null where there are none. The first is the usual one.
 */
export function waysOf(attribute) {
  if (attribute.isDate) return dateWays
  return attribute.isNumber ? numberWays : null
}

const bits = {'Integer 16': 16n, 'Integer 32': 32n, 'Integer 64': 64n}

/** Reads the cells of a column as values of an attribute. */
export class ValueReader {
  #parse
  #check
  #nulls

  constructor(attribute, options) {
    this.attribute = attribute
    this.options = options
    this.#parse = parserOf(attribute, options)
    this.#check = checkOf(attribute)
    this.#nulls = new Set(words(options.nulls))
  }

  /** Whether a cell stands for no value. */
  isNull(cell) {
    if (cell === null) return true
    if (cell === '') return !this.attribute.isText || this.options.quotedIsNull
    return this.#nulls.size > 0 && typeof cell === 'string' && this.#nulls.has(cell.trim())
  }

  /**
   * The value of a cell that is written in a way of `waysOf`; a Misfit where it has none, and
   * undefined where it says nothing, so that the attribute has its default.
   */
  read(cell, way) {
    if (cell === undefined) return undefined
    if (this.isNull(cell)) {
      const {isOptional, declared} = this.attribute
      if (isOptional) return null
      return declared.default === undefined ? new Misfit('a value is needed') : undefined
    }
    const value = this.#parse(cell, way)
    return value instanceof Misfit ? value : this.#check(value) ?? value
  }

  /**
   * Which way a cell shows: the name of the only one in which it can be read, `both` where both
   * give a value and not the same, and null where it makes no difference.
   */
  shows(cell) {
    const ways = waysOf(this.attribute)
    const marks = this.attribute.isDate ? /^\s*\d\d?[-/]/ : /[.,]/
    if (!ways || typeof cell !== 'string' || !marks.test(cell) || this.isNull(cell)) return null
    const [one, other] = Object.keys(ways)
    const [first, second] = [this.#parse(cell, one), this.#parse(cell, other)]
    if (first instanceof Misfit) return second instanceof Misfit ? null : other
    if (second instanceof Misfit) return one
    return first === second ? null : 'both'
  }
}

/** The words of a list with commas. */
function words(text) { return text.split(',').map(it => it.trim()).filter(Boolean) }

function parserOf(attribute, options) {
  const {type} = attribute
  const form = {
    String: () => text => text,
    Boolean: () => boolean(options),
    Date: () => (text, way) => date(text, way, options.zone),
    Decimal: () => decimal,
    Double: () => float(value => value),
    Float: () => float(Math.fround),
    UUID: () => uuid,
    Binary: () => base64,
    URI: () => text => text,
  }
  if (type === 'Transformable' || type === 'Composite') return options.hasValues ? it => it : json
  const parse = type in bits ? integer(bits[type]) : form[type]()
  const trims = type !== 'String' || options.trims
  return (cell, way) => {
    if (typeof cell === 'object') return new Misfit('a list or an object is no value of this type')
    const text = String(cell)
    if (text.includes('\0')) return new Misfit('U+0000 cannot be stored')
    return parse(trims ? text.trim() : text, way)
  }
}

/** A UUID as the service writes it. */
function uuid(text) {
  const isIt = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
  return isIt ? text.toUpperCase() : new Misfit('not a UUID')
}

function base64(text) {
  const isIt = text.length % 4 === 0 && /^[a-z\d+/]*={0,2}$/i.test(text)
  return isIt ? text : new Misfit('not base64 with padding')
}

function json(text) {
  try {
    return JSON.parse(text)
  } catch {
    return new Misfit('not JSON')
  }
}

function boolean({trues, falses}) {
  const values = new Map([
    ...words(trues).map(it => [it.toLowerCase(), true]),
    ...words(falses).map(it => [it.toLowerCase(), false]),
  ])
  return text => values.get(text.toLowerCase())
    ?? new Misfit(`neither true (${trues}) nor false (${falses})`)
}

// Numbers. They stay digits, because a Decimal has more of them than a number of JavaScript.

const numbers = {point: numberPattern('\\.', ','), comma: numberPattern(',', '.')}

/** The numbers with a mark before the fraction, and one or a space between thousands. */
function numberPattern(mark, group) {
  const grouped = `[1-9]\\d{0,2}(?:([${group} '’\u00a0\u202f])\\d{3})(?:\\3\\d{3})*`
  const plain = `(\\d+|${grouped})(?:${mark}(\\d*))?|${mark}(\\d+)`
  return new RegExp(`^([+-]?)(?:${plain})(e[+-]?\\d{1,4})?$`, 'i')
}

/** A number as JSON writes it; null for none. */
function digits(text, way = 'point') {
  if (/^-?[1-9]\d*$/.test(text)) return text
  const found = numbers[way].exec(text.replace('−', '-'))
  if (!found) return null
  const whole = (found[2] ?? '0').replace(/\D/g, '').replace(/^0+(?=\d)/, '')
  const fraction = found[4] || found[5]
  return `${found[1] === '-' ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}${found[6] ?? ''}`
}

function integer(width) {
  const largest = 1n << (width - 1n)
  return (text, way) => {
    const whole = digits(text, way)?.replace(/\.0+$/, '')
    if (!whole || !/^-?\d{1,400}$/.test(whole)) return new Misfit('not a whole number')
    // Numbers of JavaScript are exact up to 15 digits.
    const value = whole.length > 15 ? BigInt(whole) : Number(whole)
    return value < -largest || value >= largest
      ? new Misfit(`outside of the range of ${width} bits`) : whole
  }
}

function decimal(text, way) {
  const value = digits(text, way)
  if (value === null) return new Misfit('not a number')
  const significant = value.replace(/e.*/i, '').replace(/\D/g, '').replace(/^0+/, '')
  return significant.length > 38 ? new Misfit('more than 38 digits') : value
}

function float(round) {
  return (text, way) => {
    const value = digits(text, way)
    if (value === null) return new Misfit('not a number')
    return Number.isFinite(round(Number(value))) ? value : new Misfit('outside of the range')
  }
}

// Dates

const yearFirst = /^(?<year>\d{4})[-/.](?<month>\d\d?)[-/.](?<day>\d\d?)(?:(?:t| +)(?<time>.+))?$/i
const yearLast =
  /^(?<first>\d\d?)(?<mark>[-/.])(?<second>\d\d?)\k<mark>(?<year>\d{4})(?:,? +(?<time>.+))?$/
const clock = new RegExp('^(\\d\\d?):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?'
  + '(?: ?([ap])\\.?m\\.?)?(?: ?(z|utc|gmt|[+-]\\d\\d(?::?\\d\\d)?))?$', 'i')

/** A date in ISO 8601. With points the day is always first. */
function date(text, way, zone) {
  const found = (yearFirst.exec(text) ?? yearLast.exec(text))?.groups
  if (!found) {
    const isShort = /^\d\d?([-/.])\d\d?\1\d\d(?!\d)/.test(text)
    return new Misfit(isShort ? 'the year has two digits' : 'not a date')
  }
  const {year, first, second} = found
  const isMonthFirst = way === 'mdy' && found.mark !== '.'
  const month = found.month ?? (isMonthFirst ? first : second)
  const day = found.day ?? (isMonthFirst ? second : first)
  if (month < 1 || month > 12) return new Misfit(`there is no month ${month}`)
  if (day < 1 || day > daysOf(Number(year), Number(month))) {
    return new Misfit(`the month has no day ${day}`)
  }
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return found.time ? timed(date, found.time, zone) : date
}

function daysOf(year, month) {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

function timed(date, text, zone) {
  const found = clock.exec(text.trim())
  if (!found) return new Misfit('not a time')
  const [, hour, minute, second = '00', fraction, half, offset] = found
  const isTwelve = half && Number(hour) >= 1 && Number(hour) <= 12
  const hours = isTwelve ? Number(hour) % 12 + (/p/i.test(half) ? 12 : 0) : Number(hour)
  if (hours > 23 || minute > 59 || second > 59 || (half && !isTwelve)) {
    return new Misfit('not a time of the day')
  }
  const time = `${date}T${String(hours).padStart(2, '0')}:${minute}:${second}`
  return time + (fraction ? `.${fraction}` : '') + (offset ? offsetOf(offset) : zoneOf(time, zone))
}

function offsetOf(text) {
  if (/^[a-z]/i.test(text)) return 'Z'
  return `${text.slice(0, 3)}:${text.slice(3).replace(':', '') || '00'}`
}

/** The offset of a time without one. */
function zoneOf(time, zone) {
  if (zone === 'UTC') return 'Z'
  const minutes = -new Date(time).getTimezoneOffset()
  const part = value => String(Math.floor(value)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${part(Math.abs(minutes) / 60)}:${part(Math.abs(minutes) % 60)}`
}

// The model's rules

/** A function that gives a Misfit for a value that breaks a rule of the model. */
function checkOf({declared, isNumber, isText, isDate}) {
  const {minimum = null, maximum = null} = declared
  if (isText) return lengthCheck(minimum, maximum, patternOf(declared.regularExpression))
  if (!isNumber && !isDate) return () => undefined
  const size = isDate ? Date.parse : Number
  const least = minimum === null ? -Infinity : size(minimum)
  const most = maximum === null ? Infinity : size(maximum)
  const [before, after] = isDate ? ['before', 'after'] : ['less than', 'more than']
  return value => {
    const given = size(value)
    if (given < least) return new Misfit(`${before} ${minimum}`)
    return given > most ? new Misfit(`${after} ${maximum}`) : undefined
  }
}

function lengthCheck(minimum, maximum, pattern) {
  const characters = count => count === 1 ? '1 character' : `${count} characters`
  return text => {
    if (minimum !== null && text.length < minimum) {
      return new Misfit(`fewer than ${characters(minimum)}`)
    }
    if (maximum !== null && text.length > maximum) {
      return new Misfit(`more than ${characters(maximum)}`)
    }
    if (!pattern || pattern.test(text)) return undefined
    return new Misfit(`does not match ${pattern.source}`)
  }
}

/** What ICU and JavaScript read differently, and repeated groups, which may take without end. */
const uncertain = /[^ -~]|\\[a-z\d\\]|\[[^\]]*(\[|&&|--)|\(\?(?!:)|[*+?}]\+|\{(?!\d)|\)[*+{]/i

/** A regular expression of the model; null where only the service can tell what matches. */
function patternOf(text) {
  if (!text || uncertain.test(text)) return null
  try {
    return new RegExp(`^(?:${text})$`, 'u')
  } catch {
    return null
  }
}
