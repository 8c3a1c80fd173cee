// A schema of the OpenAPI document, made readable. What it refers to is drawn when it is opened.

import {h, fill} from '../../parts/dom.js'
import {Address} from '../../address.js'
import {schemaName} from './document.js'

/** A `<details>` whose content is drawn when it is opened first. */
export function unfold(summary, draw, isOpen = false) {
  const content = h('div')
  let isDrawn = false
  const show = () => {
    if (isDrawn || !details.open) return
    isDrawn = true
    fill(content, draw())
  }
  const details = h('details', {ontoggle: show}, h('summary', {}, summary), content)
  details.open = isOpen
  show()
  return details
}

/** A list of terms and what they mean. */
export function terms(pairs) {
  return pairs.length > 0 && h('dl', {}, pairs.map(([term, meaning]) =>
    h('div', {}, h('dt', {}, term), h('dd', {}, meaning))))
}

/** The type of a schema in a few words, such as `array of Player or null`. */
export function typeText(document, schema) {
  const name = schemaName(schema)
  if (name) return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(it => JSON.stringify(it)).join(' or ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(it => typeText(document, it)).join(' or ')
  const types = [schema.type ?? 'any'].flat()
  return types.map(type => {
    const items = type === 'array' && schema.items
    return items ? `array of ${typeText(document, items)}` : type
  }).join(' or ')
}

/** What else a schema asks of a value, such as `from 1 to 99`. */
export function rulesText(schema) {
  const isNumber = [schema.type].flat().some(it => it === 'integer' || it === 'number')
  return [
    !isNumber && schema.format,
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' elements'),
    // The pattern of a number is that of its digits as a text.
    !isNumber && schema.pattern && `matches ${schema.pattern}`,
    schema.default !== undefined && `by default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean).join(', ')
}

function range(least, largest, unit = '') {
  // The largest integers are no rule that a person needs, and JavaScript rounds them.
  const most = largest > Number.MAX_SAFE_INTEGER ? undefined : largest
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return `at least ${least}${unit}`
  return least === undefined ? `at most ${most}${unit}` : `from ${least} to ${most}${unit}`
}

/**
 * The members of a schema, and below them those of the schemas that they refer to.
 * @param above the names of the schemas that it is in: a reference to one of them is a link
 */
export function schemaView(document, schema, above = []) {
  const name = schemaName(schema)
  const inside = name ? [...above, name] : above
  const found = document.resolve(schema)
  const members = Object.entries(found.properties ?? {})
  const rules = rulesText(found)
  return h('div', {class: 'schema'},
    found.description && h('p', {class: 'hint'}, found.description),
    members.length
      ? h('ul', {}, members.map(([key, it]) =>
        member(document, key, it, found.required?.includes(key), inside)))
      : [h('p', {}, h('code', {}, typeText(document, found)), rules && ` ${rules}`),
        below(document, found, inside)])
}

function member(document, key, schema, isRequired, above) {
  const resolved = document.resolve(schema)
  const rules = rulesText(resolved)
  return h('li', {},
    h('code', {class: 'key'}, key), ' ',
    h('span', {class: 'type'}, typeText(document, schema)),
    isRequired && h('span', {class: 'note'}, ' required'),
    rules && h('span', {class: 'hint'}, ` ${rules}`),
    schema.description && h('p', {class: 'hint'}, schema.description),
    below(document, schema, above))
}

/** The schemas in a schema that have members of their own. */
function below(document, schema, above) {
  return nested(document, schema).map(it => {
    const name = schemaName(it)
    if (above.includes(name)) {
      return h('p', {}, h('a', {href: new Address(['api'], {schema: name}).toString()}, name),
        h('span', {class: 'hint'}, ' is described above.'))
    }
    return unfold(name ?? 'its members', () => schemaView(document, it, above))
  })
}

function nested(document, schema) {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.flatMap(it => nested(document, it))
  const found = document.resolve(schema)
  const items = found.items
  if (items && !schemaName(schema)) return nested(document, items)
  const isComplex = found.properties || found.anyOf || found.oneOf || found.items
  return isComplex ? [schema] : []
}
