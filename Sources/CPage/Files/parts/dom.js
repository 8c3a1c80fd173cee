// Elements made from JavaScript. Text is always a text node, so nothing from the data is ever
// read as HTML.

const svgNamespace = 'http://www.w3.org/2000/svg'

/**
 * Makes an HTML element.
 *
 * `h('button', {class: 'main', onclick: save}, 'Save')`. A property that begins with `on` is a
 * listener; `class`, `aria-…`, `data-…`, `role` and `for` are attributes; the rest are properties
 * of the element. Children that are null, undefined or false are left out.
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) set(element, name, value)
  element.append(...nodes(children))
  return element
}

/** Makes an SVG element. All properties but listeners are attributes. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(svgNamespace, tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== null) element.setAttribute(name, value)
  }
  element.append(...nodes(children))
  return element
}

/** Puts other children in the place of those that an element has. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children))
  return element
}

function nodes(children) {
  return children.flat(Infinity).filter(child => child != null && child !== false)
}

function set(element, name, value) {
  if (value === undefined || value === null) return
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
  else if (/^(class|role|for|list|colspan|aria-.*|data-.*)$/.test(name)) {
    element.setAttribute(name, value)
  } else element[name] = value
}

/** Calls a function when calls of the result have stopped for some milliseconds. */
export function settled(milliseconds, call) {
  let timer
  const later = (...given) => {
    clearTimeout(timer)
    timer = setTimeout(() => call(...given), milliseconds)
  }
  later.cancel = () => clearTimeout(timer)
  return later
}

/** Calls a function once before the next frame, however often the result is called. */
export function framed(call) {
  let waits = false
  return () => {
    if (waits) return
    waits = true
    requestAnimationFrame(() => {
      waits = false
      call()
    })
  }
}
