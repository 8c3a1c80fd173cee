// Event streams: the change feed and live queries, read by fetch. An EventSource sends no token
// and hides the status of a refusal.

import {service} from './service.js'
import {settled} from './parts/dom.js'

/** Milliseconds before a stream that broke is opened again, at first and at most. */
const pause = 1000
const longestPause = 30_000
/** Milliseconds without even a heartbeat after which a connection counts as broken. */
const longestSilence = 60_000

/**
 * Follows an event stream until the signal aborts, over restarts of the service.
 * @param request its `Accept` is set here
 * @param receive gets each event: `{type, data, id, after}`, where `data` is its JSON, `id` the
 *   position with it, and `after` the one before it
 * @param state gets `true` when the stream has begun and `false` when it broke, with the position
 * @param from the position to go on from; empty for none
 * @param parse reads the JSON of an event
 * @throws {Problem} where the service refuses the stream
 */
export async function follow(request, options) {
  const {receive, state = () => {}, from = '', parse = JSON.parse, signal} = options
  let position = from
  let wait = pause
  while (!signal.aborted) {
    const silence = new AbortController()
    const response = await open(request, position, AbortSignal.any([signal, silence.signal]))
    let isOpen = false
    for await (const {type, data, id} of events(response?.body, () => silence.abort())) {
      if (signal.aborted) return
      const after = position
      position = id ?? position
      if (!isOpen) state(isOpen = true, position)
      if (data === undefined) continue
      wait = type === 'error' ? Math.min(2 * wait, longestPause) : pause
      receive({type, data: parse(data), id: position, after})
    }
    if (signal.aborted) return
    state(false, position)
    await new Promise(done => setTimeout(done, wait))
  }
}

/** The answer with the stream; null where the service has no room for it now. */
async function open(request, position, signal) {
  request.headers = {...request.headers, Accept: 'text/event-stream'}
  if (position) request.headers['Last-Event-ID'] = position
  try {
    return await service.fetch(request, {signal})
  } catch (error) {
    if (error.status !== 503 && error.name !== 'AbortError') throw error
    return null
  }
}

/**
 * The events of a body until it ends or breaks: `{type, data, id}` with the text of the data, or
 * only an id for a comment that has one.
 */
async function* events(body, fellSilent) {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const heard = settled(longestSilence, fellSilent)
  let rest = ''
  let event = {type: 'message'}
  try {
    for (;;) {
      heard()
      const {value, done} = await reader.read().catch(() => ({done: true}))
      if (done) return
      const lines = value.split('\n')
      lines[0] = rest + lines[0]
      rest = lines.pop()
      for (const line of lines) {
        if (line !== '') read(line, event)
        else {
          if (event.data !== undefined || event.id !== undefined) yield event
          event = {type: 'message'}
        }
      }
    }
  } finally {
    heard.cancel()
    reader.cancel().catch(() => {})
  }
}

/** Reads a line of an event. */
function read(line, event) {
  const [, field, value] = /^(\w+): ?([^]*)/.exec(line) ?? []
  if (field === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
  else if (field === 'event') event.type = value
  else if (field === 'id') event.id = value
}
