// The one place that talks to the service.

/** A request as a value: it can be sent, sent again, and shown as code. */
export class Request {
  /**
   * @param method such as `GET`
   * @param path below the service's address, such as `Player/1`; its segments are encoded already
   * @param query an object of parameters; empty ones are left out
   */
  constructor(method, path, {query = {}, body, headers = {}} = {}) {
    this.method = method
    this.path = path
    this.query = Object.entries(query).filter(([, value]) => value !== '' && value != null)
    this.body = body
    this.headers = headers
  }

  /** The address, relative to the service's. */
  get target() {
    const query = this.query.map(([name, value]) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    return this.path + (query.length ? '?' + query.join('&') : '')
  }
}

/** The length from which a query is sent as a body. */
const longestTarget = 6000

/** The parameters of a list as the body of `POST …/query`. */
function bodyOf(query) {
  const body = {}
  for (const [name, value] of query) {
    const variable = /^var\.(.*)/.exec(name)
    if (variable) (body.var ??= {})[variable[1]] = value
    else body[name] = value
  }
  return body
}

/** The request of a list. A query that is too long for an address is sent as a body. */
export function listRequest(path, query) {
  const request = new Request('GET', path, {query})
  if (request.target.length <= longestTarget) return request
  return new Request('POST', `${path}/query`, {body: bodyOf(request.query)})
}

/**
 * Where the next page begins, from the head of a page's answer; undefined for none.
 * @param parameter the parameter of the link that says it, such as `after`
 */
export function nextPlace(headers, parameter) {
  const found = new RegExp(`[?&]${parameter}=([^&>]*)`).exec(headers.get('Link') ?? '')
  return found ? decodeURIComponent(found[1]) : undefined
}

/** What an answer of status 400 and more says (RFC 9457). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `status ${status}`)
    this.status = status
    Object.assign(this, document)
  }

  /** Whether the editing context is not there any more. */
  get isContextGone() { return /^context\.(gone|unknown)$/.test(this.code ?? '') }
}

/** The service is not reached. */
export class Unreachable extends Error {
  constructor() { super('The service does not answer.') }
}

/**
 * The service that the page came from. It sends `offline` and `online` events when it stops and
 * comes back, and `token` when a request needs one.
 */
class Service extends EventTarget {
  /** The address of the service, which ends with a slash. */
  base = new URL('.', document.location.href.split('#')[0]).href
  isOnline = true
  #tokenKey = `stele token ${this.base}`
  #returned = null

  /** The token of this tab; empty for none. */
  get token() { return sessionStorage.getItem(this.#tokenKey) ?? '' }

  set token(token) {
    if (token) sessionStorage.setItem(this.#tokenKey, token)
    else sessionStorage.removeItem(this.#tokenKey)
  }

  /** The whole address of a request. */
  url(request) { return this.base + request.target }

  /**
   * Sends a request. A GET waits for a service that is away; anything else is never sent twice.
   * @returns {Promise<{status: number, headers: Headers, data: any}>} where `data` is the JSON of
   *   the answer, or its text if it is something else
   * @throws {Problem} for a status of 400 and more, {Unreachable}, and an AbortError by `signal`
   */
  async send(request, {signal} = {}) {
    const response = await this.fetch(request, {signal})
    const text = await response.text()
    const isJSON = /json/.test(response.headers.get('Content-Type') ?? '')
    const data = isJSON && text ? JSON.parse(text) : text
    return {status: response.status, headers: response.headers, data}
  }

  /** The JSON that a GET gives. */
  async get(path, query, options) {
    return (await this.send(new Request('GET', path, {query}), options)).data
  }

  /** The answer of a list. */
  async list(path, query, signal) { return this.send(listRequest(path, query), {signal}) }

  /** Sends a request and gives the answer with its body unread, as `send` does otherwise. */
  async fetch(request, {signal} = {}) {
    const response = await this.exchange(request, {signal})
    if (response.ok) return response
    throw await this.#problem(response)
  }

  /** The answer to a request, whatever its status is. */
  async exchange(request, {signal} = {}) {
    for (let isAgain = false; ; isAgain = true) {
      try {
        const response = await fetch(this.url(request), this.#options(request, signal))
        // A proxy that refuses again, with the service alive, is about the request itself.
        if (isOfProxy(response) && !(isAgain && this.isOnline)) throw new Unreachable()
        this.#isBack()
        return response
      } catch (error) {
        if (error.name === 'AbortError') throw error
        this.#isAway()
        // Asks for it also where nothing waits, so that the page notices its return.
        const returned = this.#untilReturned()
        if (request.method !== 'GET') throw new Unreachable()
        await (signal ? Promise.race([returned, aborted(signal)]) : returned)
      }
    }
  }

  #options(request, signal) {
    const headers = {Accept: 'application/json', ...request.headers}
    if (this.token) headers.Authorization = `Bearer ${this.token}`
    let body = request.body
    if (body !== undefined && !(body instanceof Blob)) {
      headers['Content-Type'] ??= 'application/json'
      body = JSON.stringify(body)
    }
    return {method: request.method, headers, body, signal, cache: 'no-store'}
  }

  async #problem(response) {
    const text = await response.text()
    let document = {}
    try {
      document = JSON.parse(text)
    } catch {
      document = {detail: text.replace(/<[^>]*>/g, ' ').trim() || response.statusText}
    }
    const problem = new Problem(response.status, document)
    if (response.status === 401) this.dispatchEvent(new Event('token'))
    return problem
  }

  #isBack() {
    if (this.isOnline) return
    this.isOnline = true
    this.dispatchEvent(new Event('online'))
  }

  #isAway() {
    if (!this.isOnline) return
    this.isOnline = false
    this.dispatchEvent(new Event('offline'))
  }

  /** Waits until the service is alive. All waiting requests share one that asks. */
  #untilReturned() {
    this.#returned ??= this.#ask().finally(() => { this.#returned = null })
    return this.#returned
  }

  async #ask() {
    for (let wait = 250; ; wait = Math.min(2 * wait, 2000)) {
      await new Promise(done => setTimeout(done, wait))
      try {
        const response = await fetch(this.base + 'healthz', {cache: 'no-store'})
        if (response.ok) return this.#isBack()
      } catch { /* It is still away. */ }
    }
  }
}

/** Whether a proxy answers for a service that it does not reach: the service gives its reasons. */
function isOfProxy({status, headers}) {
  return status >= 502 && status <= 504 && !/problem\+json/.test(headers.get('Content-Type') ?? '')
}

function aborted(signal) {
  return new Promise((_, refuse) => {
    const end = () => refuse(new DOMException('The request was aborted.', 'AbortError'))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, {once: true})
  })
}

export const service = new Service()
