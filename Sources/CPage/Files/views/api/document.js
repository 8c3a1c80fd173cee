// The OpenAPI document of the service: its operations, and what its references lead to.

import {service} from '../../service.js'
import {session} from '../../session.js'

/** The tag of the operations that are of no entity. */
const serviceTag = 'stele'
/** Texts of a format, for examples. */
const formats = {'date-time': '2024-05-01T09:00:00Z', 'json-pointer': '/name'}
/** The parameters that give an answer rows of other members. The document has them in a query. */
const shapes = ['select', 'groupBy', 'having', 'distinct', 'numbers']
/** A read that is sent as POST. */
const isQuery = /\/query$/
/** What a POST discards: the unsaved changes of an editing context. */
const isDiscard = /^\/contexts\/\{context\}\/(rollback|reset)$/

let present = null

/** The document, which is read once: the model of a service does not change while it runs. */
export function apiDocument() {
  present ??= service.get('openapi.json').then(it => new APIDocument(it))
  present.catch(() => { present = null })
  return present
}

/** An OpenAPI document. */
export class APIDocument {
  /** The operations by their names, in the order of the document. */
  operations = new Map()
  /** The operations by their tags; those of the service are the last ones. */
  groups = new Map()

  constructor(json) {
    this.json = json
    for (const {name} of json.tags) this.groups.set(name, [])
    for (const [path, item] of Object.entries(json.paths)) {
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
        if (item[method]) this.#add(new Operation(this, path, item, method))
      }
    }
  }

  #add(operation) {
    this.operations.set(operation.id, operation)
    const group = this.groups.get(operation.tag) ?? []
    group.push(operation)
    this.groups.set(operation.tag, group)
  }

  /** What an object of the document means: itself, or what its `$ref` leads to. */
  resolve(object) {
    let found = object
    while (found?.$ref) {
      found = found.$ref.replace(/^#\//, '').split('/')
        .map(key => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce((place, key) => place?.[key], this.json)
    }
    return found ?? {}
  }

  /** The members of the body of a query, which are all parameters of a list, by their names. */
  get queryMembers() {
    const {paths} = this.json
    const path = Object.keys(paths).find(it => paths[`${it}/query`]?.post && !it.includes('{'))
    const body = path && this.resolve(paths[`${path}/query`].post.requestBody)
    return this.resolve(body?.content?.['application/json']?.schema).properties ?? {}
  }

  /** The schema of that name; undefined for none. */
  schema(name) { return this.json.components.schemas[name] }

  /** A value that a schema allows: its own example, else one with what it needs. */
  example(schema) {
    const found = this.resolve(schema)
    for (const values of [found.examples, [found.example], [found.const], [found.default],
      found.enum]) {
      if (values?.[0] !== undefined) return values[0]
    }
    const choices = found.anyOf ?? found.oneOf
    if (choices) return this.example(choices[0])
    switch ([found.type].flat()[0]) {
      case 'array': return [this.example(found.items ?? {})]
      case 'integer': case 'number': return Math.max(0, found.minimum ?? 0)
      case 'boolean': return true
      case 'string': return formats[found.format] ?? 'text'
      case undefined: return null
      default: return Object.fromEntries((found.required ?? []).map(name =>
        [name, this.example(found.properties?.[name] ?? {})]))
    }
  }
}

/** An operation: a method of a path. */
export class Operation {
  #document

  constructor(document, path, item, method) {
    this.#document = document
    this.declared = item[method]
    this.id = this.declared.operationId
    this.method = method.toUpperCase()
    this.template = path
    /** The path as people read it. */
    this.path = decodeURIComponent(path)
    this.summary = this.declared.summary ?? ''
    this.tag = this.declared.tags?.[0] ?? serviceTag
    /** Whether it is also below an editing context, as all operations on objects are. */
    this.isData = this.tag !== serviceTag || path === '/transactions'
    this.text = `${this.id} ${this.method} ${this.path} ${this.summary}`.toLowerCase()
  }

  /** The parameters, resolved, and those of the answer's form that it takes as well. */
  get parameters() {
    const declared = (this.declared.parameters ?? []).map(it => this.#document.resolve(it))
    const names = new Set(declared.map(it => it.name))
    const members = this.isData ? this.#document.queryMembers : {}
    const others = shapesBeside(names).filter(it => members[it] && !names.has(it))
    return [...declared, ...others.map(name =>
      ({name, in: 'query', description: members[name].description, schema: members[name]}))]
  }

  /** The schemas of the body by media type; empty where it takes none. */
  get bodies() {
    const {content = {}} = this.#document.resolve(this.declared.requestBody)
    return Object.entries(content).map(([type, {schema}]) => ({type, schema}))
  }

  /** The answers: `[{status, description, headers, content}]`. */
  get answers() {
    return Object.entries(this.declared.responses ?? {}).map(([status, it]) =>
      ({status, ...this.#document.resolve(it)}))
  }

  /** The media types of the answers that are no errors. */
  get formats() {
    const types = this.answers.filter(it => it.status < '300')
      .flatMap(it => Object.keys(it.content ?? {}))
    return [...new Set(types)]
  }

  /** Whether it removes or replaces what is there, or changes more than one object. */
  get isDestructive() {
    const changesAll = this.method === 'PATCH' && !this.template.includes('{')
    return ['DELETE', 'PUT'].includes(this.method) || changesAll || isDiscard.test(this.template)
  }

  /** Why the token may not send it; null if it may. */
  get refusal() {
    const entity = session.model.entity(this.tag)
    const needed = entity ? this.#rightsOf(entity) : []
    for (const [verb, destination] of needed) {
      if (!session.may(verb, destination)) {
        return `The token does not give the right to ${verb} objects of ${destination.name}.`
      }
    }
    return entity || this.#isServiceAllowed ? null : 'The token does not give this right.'
  }

  /** The rights on an entity that it needs, as pairs of a verb and an entity. */
  #rightsOf(entity) {
    const [, key, below] = this.template.slice(entity.path.length + 1).split('/')
    if (this.method !== 'GET' && !isQuery.test(this.template)) {
      const verbs = {POST: 'create', DELETE: 'delete'}
      return [[below ? 'update' : verbs[this.method] ?? 'update', entity]]
    }
    const property = key === '{id}' && below && entity.property(decodeURIComponent(below))
    const destination = property?.destination
    return [['read', entity], ...destination ? [['read', destination]] : []]
  }

  get #isServiceAllowed() {
    const {role, service: routes = {}} = session.rights
    if (this.template in routes) return routes[this.template]
    const needsAll = /^\/(metadata|backup|metrics|contexts(?!\/openapi))\b/.test(this.template)
      || this.id === 'deleteChanges'
    return !needsAll || (role ?? null) === null
  }
}

/** The parameters of the answer's form that go with others: a list has all, an object some. */
function shapesBeside(names) {
  if (names.has('sort')) return shapes
  if (names.has('include')) return ['select', 'numbers']
  return names.has('mergePolicy') ? ['numbers'] : []
}

/** The name of a group as people read it. */
export function groupTitle(tag) {
  return tag === serviceTag && !session.model.entity(tag) ? 'The service' : tag
}

/** The name of the schema that a `$ref` leads to; undefined for any other object. */
export function schemaName(object) { return /\/schemas\/(.*)$/.exec(object?.$ref ?? '')?.[1] }
