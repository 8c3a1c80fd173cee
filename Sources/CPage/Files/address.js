// The state of the page as the fragment of its address, so that every view can be sent to someone:
// `#/rows/Player?where=goals > 12&sort=-goals`.

/** The address of a view: its path as a list of segments, and its parameters in order. */
export class Address {
  constructor(path = [], parameters = {}) {
    this.path = path
    this.parameters = new Map(Object.entries(parameters).filter(([, value]) => isGiven(value)))
  }

  /** The address in a fragment such as `#/rows/Player?sort=name`. */
  static of(fragment) {
    const [path, query = ''] = split(fragment.replace(/^#\/?/, ''), '?')
    const address = new Address(path.split('/').filter(Boolean).map(decode))
    for (const part of query.split('&').filter(Boolean)) {
      const [name, value = ''] = split(part, '=')
      address.parameters.set(decode(name), decode(value))
    }
    return address
  }

  /** The name of the view. */
  get view() { return this.path[0] ?? '' }

  /** The value of a parameter, or the empty string. */
  get(name) { return this.parameters.get(name) ?? '' }

  /** The same address with other parameters; an empty value, null or false takes one away. */
  with(parameters) {
    const all = {...Object.fromEntries(this.parameters), ...parameters}
    return new Address(this.path, all)
  }

  /** The fragment. Commas stay as they are. */
  toString() {
    const path = this.path.map(segment => escape(segment)).join('/')
    const parts = [...this.parameters].map(([name, value]) => `${escape(name)}=${escape(value)}`)
    return '#/' + path + (parts.length ? '?' + parts.join('&') : '')
  }
}

function isGiven(value) {
  return value !== '' && value !== null && value !== undefined && value !== false
}

function escape(value) { return encodeURIComponent(value).replaceAll('%2C', ',') }

function split(text, mark) {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** Decodes a part of an address. A person may have typed a percent sign that is none of ours. */
function decode(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
