// The model as tables: one for each entity, and for the other parts of the model.

import {h} from '../../parts/dom.js'
import {rowsAddress, typeOf, words} from './words.js'

const heads = ['Property', 'Type', 'Optional', 'Default', 'Minimum', 'Maximum', 'Inverse',
  'Delete rule', 'Further']

/** The settings that have a column, or are of the editor of the model alone. */
const shown = new Set([
  'name', 'type', 'composite', 'destination', 'toMany', 'optional', 'default', 'minimum', 'maximum',
  'minimumCount', 'maximumCount', 'inverse', 'inverseEntity', 'deleteRule', 'scalar', 'syncable',
  'storedInTruthFile', 'toolAttributes', 'toolElements',
])

/** The settings of an entity and a fetch request that are shown in another way. */
const shownOfEntity = new Set([
  'name', 'class', 'parent', 'abstract', 'attributes', 'relationships', 'fetchedProperties',
  'propertyOrder', 'indexes', 'uniquenessConstraints', 'codeGeneration', 'syncable',
  'toolAttributes', 'toolElements',
])
const shownOfRequest = new Set(['name', 'entity', 'predicate', 'toolAttributes', 'toolElements'])

/** The length from which a text may be cut in its cell. */
const longText = 12

/** Whether a name has a text in it, in any case. */
function matches(name, text) { return name.toLowerCase().includes(text.toLowerCase()) }

/** The entities that have a text in their name, then those in a property's name or type. */
export function matchingEntities(model, text) {
  const entities = [...model.entities.values()]
  return new Set([
    ...entities.filter(it => matches(it.name, text)),
    ...entities.filter(it => propertiesOf(it, text).length),
  ])
}

function propertiesOf(entity, text) {
  return entity.ownProperties.filter(it => matches(it.name, text) || matches(typeOf(it), text))
}

/**
 * The tables of a model.
 * @param text shows only what has it in its name or type; empty for all
 * @param addressOf gives the address of this view with only what has a text
 */
export function modelTables(model, text, addressOf) {
  const {fetchRequests = [], configurations = []} = model.document
  const entities = [...matchingEntities(model, text)]
  const composites = [...model.composites.values()].filter(it => matches(it.name, text))
  const requests = fetchRequests.filter(it => matches(it.name, text) || matches(it.entity, text))
  const parts = configurations.filter(it => matches(it.name, text))
  const sections = [
    ...entities.map(it => entitySection(it, text, addressOf)),
    ...composites.map(compositeSection),
    requests.length > 0 && requestSection(requests, addressOf),
    parts.length > 0 && configurationSection(parts, addressOf),
  ].filter(Boolean)
  return sections.length ? sections
    : h('p', {class: 'empty'}, `Nothing in the model has “${text}” in its name or type.`)
}

function entitySection(entity, text, addressOf) {
  const isWhole = matches(entity.name, text)
  const properties = isWhole ? entity.ownProperties : propertiesOf(entity, text)
  const address = rowsAddress(entity)
  const name = h('bdi', {}, entity.name)
  const about = facts(entity, addressOf)
  return h('section', {},
    h('h2', {class: entity.isAbstract ? 'abstract' : '', title: entity.name},
      address ? h('a', {href: address}, name) : name),
    about.length > 0 && h('p', {class: 'about'}, about),
    properties.length > 0 && table(`Properties of ${entity.name}`, heads,
      properties.map(it => propertyCells(it, addressOf))))
}

/** What is said of an entity besides its properties. */
function facts(entity, addressOf) {
  const {declared} = entity
  const uniques = declared.uniquenessConstraints ?? []
  return [
    entity.isAbstract && 'abstract',
    entity.parent && ['parent ', link(entity.parent.name, addressOf)],
    declared.class && declared.class !== entity.name && `class ${declared.class}`,
    ...uniques.map(names => `unique: ${names.join(', ')}`),
    ...(declared.indexes ?? []).map(indexText),
    ...further(declared, shownOfEntity),
  ].filter(Boolean).map(fact => h('span', {}, fact))
}

function indexText({name, elements, predicate}) {
  const parts = elements.map(element => {
    const {property, expression, collation, ascending = true} =
      typeof element === 'string' ? {property: element} : element
    return [property ?? expression, collation !== 'Binary' && collation, !ascending && 'descending']
      .filter(Boolean).join(' ')
  })
  return `index ${name}: ${parts.join(', ')}${predicate ? ` where ${predicate}` : ''}`
}

function propertyCells(property, addressOf) {
  const {declared, kind, name, destination} = property
  return [
    h('bdi', {}, name),
    destination
      ? [`${typeOf(property)[0]} `, link(destination.name, addressOf)] : typeOf(property),
    declared.optional === false ? '' : 'yes',
    valueText(declared.default),
    valueText(declared.minimum ?? declared.minimumCount),
    valueText(declared.maximum ?? (property.isToMany ? declared.maximumCount : undefined)),
    declared.inverse ?? '',
    kind === 'relationship' ? declared.deleteRule ?? 'Nullify' : '',
    (kind === 'fetchedProperty' ? [requestText(declared.fetchRequest)] : further(declared, shown))
      .join(' · '),
  ]
}

function requestText({predicate, ...request}) {
  return [predicate, ...further(request, shownOfRequest)].filter(Boolean).join(' · ')
}

/** The settings without a column of their own, as texts. */
function further(declared, known) {
  return Object.entries(declared)
    .filter(([key]) => !known.has(key))
    .map(([key, value]) => value === true ? words(key) : `${words(key)} ${valueText(value)}`)
}

function valueText(value) {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return Object.entries(value).map(([key, each]) => `${key}=${valueText(each)}`).join(', ')
}

function compositeSection({name, attributes}) {
  const cells = attributes.map(declared => propertyCells(
    {kind: 'attribute', declared, name: declared.name}))
  return h('section', {}, h('h2', {}, 'Composite ', h('bdi', {}, name)),
    table(`Attributes of ${name}`, heads, cells))
}

function requestSection(requests, addressOf) {
  return h('section', {}, h('h2', {}, 'Fetch requests'),
    table('Fetch requests', ['Name', 'Entity', 'Predicate', 'Further'], requests.map(request => [
      h('bdi', {}, request.name), link(request.entity, addressOf),
      h('code', {}, request.predicate ?? ''), further(request, shownOfRequest).join(' · '),
    ])))
}

function configurationSection(configurations, addressOf) {
  return h('section', {}, h('h2', {}, 'Configurations'),
    table('Configurations', ['Name', 'Entities'], configurations.map(({name, entities}) => [
      h('bdi', {}, name),
      entities.flatMap((it, index) => [index > 0 && ', ', link(it, addressOf)]),
    ])))
}

function link(name, addressOf) {
  return h('a', {href: addressOf(name)}, h('bdi', {}, name))
}

/** A table whose first column names the rows. */
function table(label, titles, rows) {
  return h('table', {'aria-label': label, class: titles === heads ? 'properties' : ''},
    h('thead', {}, h('tr', {}, titles.map(title => h('th', {scope: 'col'}, title)))),
    h('tbody', {}, rows.map(([name, ...cells]) => h('tr', {},
      titled(h('th', {scope: 'row'}, name)), cells.map(cell => titled(h('td', {}, cell)))))))
}

/** A cell whose text is in its title, too: a long one is cut. */
function titled(cell) {
  if (cell.textContent.length > longText) cell.title = cell.textContent
  return cell
}
