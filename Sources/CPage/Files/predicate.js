// What can come next in a predicate that is being typed.

import {canRead} from './columns.js'
import {session} from './session.js'

const tokenPattern =
  /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[$@#]?[\p{L}_][\p{L}\p{N}_]*|\d[\w.]*|==|=<|=>|!=|<=|>=|<>|&&|\|\||\S/gu

const connectives = new Set(['AND', 'OR', '&&', '||'])
const openers = new Set(['(', '{', ',', 'NOT', '!', 'BETWEEN', '+', '-', '*', '/'])
const quantifiers = new Set(['ANY', 'ALL', 'NONE', 'SOME'])
const comparisons = new Set(['==', '=', '!=', '<>', '<', '<=', '>', '>=', '=<', '=>', 'IN',
  'BETWEEN', 'CONTAINS', 'BEGINSWITH', 'ENDSWITH', 'LIKE', 'MATCHES'])

const textOperators = ['==', '!=', 'CONTAINS[cd]', 'BEGINSWITH[c]', 'ENDSWITH[c]', 'LIKE[c]',
  'MATCHES', 'IN {', '<', '>']
const orderOperators = ['==', '!=', '<', '<=', '>', '>=', 'BETWEEN {', 'IN {']
const collectionOperators = ['@count', '@sum', '@avg', '@min', '@max']
const functions = ['lowercase(', 'uppercase(', 'length(', 'canonical(', 'now()', 'abs(', 'floor(',
  'TERNARY(', 'SUBQUERY(', 'CAST(']

/**
 * What can be put at a place of a predicate.
 *
 * @param entity the entity whose objects the predicate is about
 * @param text the predicate
 * @param cursor the place in it
 * @returns {{from: number, items: {text: string, detail: string}[], values: ?{path: string,
 *   property: Object, beginning: string, isOpen: boolean}}} `from` is where the text begins that an
 *   item replaces; `values` says whose stored values fit, if any do
 */
export function completions(entity, text, cursor) {
  const before = text.slice(0, cursor)
  const tokens = [...before.matchAll(tokenPattern)].map(it => ({text: it[0], at: it.index}))
  const last = tokens.at(-1)
  if (last && isOpenText(last.text)) return valuesOf(entity, tokens, last)
  const path = /(?:[#]?[\p{L}_][\p{L}\p{N}_]*\.)*[#@]?[\p{L}\p{N}_]*$/u.exec(before)[0]
  const from = cursor - path.length
  const done = tokens.filter(it => it.at < from)
  const {state, operand} = stateAfter(done)
  const items = itemsFor(entity, state, operand, path)
  const word = path.slice(path.lastIndexOf('.') + 1)
  const matching = items.filter(it =>
    it.text.toLowerCase().startsWith(word.toLowerCase()) && it.text !== word)
  const values = state === 'value' && word === '' ? valuesOf(entity, tokens, null).values : null
  return {from: cursor - word.length, items: matching, values}
}

/** Whether a token is a text without its closing quote. */
function isOpenText(token) {
  const quote = token[0]
  return (quote === '"' || quote === '\'') && !(token.length > 1 && token.endsWith(quote)
    && !token.endsWith(`\\${quote}`))
}

/**
 * What is expected after tokens: an `operand` that begins a comparison, an `operator`, a `value`
 * behind one, or a `connective`; and the path that is compared.
 */
function stateAfter(tokens) {
  let state = 'operand'
  let operand = ''
  for (const {text} of tokens) {
    const word = text.toUpperCase()
    if (connectives.has(word)) [state, operand] = ['operand', '']
    else if (comparisons.has(word)) state = 'value'
    else if (quantifiers.has(word) || (openers.has(word) && state === 'operand')) continue
    else if (state === 'operator' && text === '.') [state, operand] = ['operand', `${operand}.`]
    else if (state === 'operand') [state, operand] = ['operator', operand + text]
    else if (state === 'value' && !'[](){},'.includes(text) && !/^[cdnl]+$/.test(text)) {
      state = 'connective'
    } else if (state === 'connective' && openers.has(text)) state = 'value'
    else if (state === 'value' && text === ')') state = 'connective'
  }
  return {state, operand}
}

function itemsFor(entity, state, operand, path) {
  const at = path.lastIndexOf('.')
  const place = at < 0 ? null : session.model.resolve(entity, path.slice(0, at))?.at(-1)
  if (at >= 0 && !place) return []
  switch (state) {
    case 'operator': return operatorsFor(session.model.resolve(entity, operand)?.at(-1))
    case 'connective': return words(['AND', 'OR'])
    case 'value': return [
      ...constantsFor(session.model.resolve(entity, operand)?.at(-1)),
      ...keysOf(place ? place.destination : entity, place), ...words(functions, 'function')]
    default: return [
      ...keysOf(place ? place.destination : entity, place),
      ...(place ? [] : [...words(['NOT', 'ANY', 'ALL', 'NONE']), ...words(functions, 'function')]),
    ]
  }
}

/** The keys of an entity, with what each is. */
function keysOf(entity, through) {
  const keys = (entity?.properties ?? []).flatMap(property => {
    if (property.kind === 'fetchedProperty' || property.declared.transient) return []
    const text = through ? property.name : property.key
    if (property.kind === 'attribute') return [{text, detail: property.type}]
    if (!canRead(property)) return []
    const arrow = property.isToMany ? '→→' : '→'
    return [{text, detail: `${arrow} ${property.destination.name}`}]
  })
  return through?.isToMany ? [...keys, ...words(collectionOperators, 'of all')] : keys
}

function operatorsFor(property) {
  if (!property || property.isText) return words(textOperators)
  if (property.kind === 'relationship') {
    return words(property.isToMany ? ['CONTAINS'] : ['==', '!='])
  }
  return words(['Boolean', 'UUID', 'Binary', 'Transformable', 'URI'].includes(property.type)
    ? ['==', '!='] : orderOperators)
}

function constantsFor(property) {
  const nothing = property?.isOptional === false ? [] : ['nil']
  return words(property?.type === 'Boolean' ? ['YES', 'NO', ...nothing] : nothing)
}

function words(list, detail = '') { return list.map(text => ({text, detail})) }

/** The attribute whose values can stand at the end of the tokens. */
function valuesOf(entity, tokens, open) {
  const before = open ? tokens.slice(0, -1) : tokens
  const {operand} = stateAfter(before)
  const property = session.model.resolve(entity, operand)?.at(-1)
  const isKnown = property?.kind === 'attribute' && (property.isText || property.isNumber)
  return {
    from: open ? open.at : 0, items: [],
    values: isKnown && property.isText === Boolean(open ?? property.isText)
      ? {path: operand, property, beginning: open ? open.text.slice(1) : '', isOpen: Boolean(open)}
      : null,
  }
}
