// The model that the service serves, as `GET /model` describes it.

const numbers = new Set(['Integer 16', 'Integer 32', 'Integer 64', 'Decimal', 'Double', 'Float'])

/** The words of the predicate language, which are no keys unless they are marked. */
const reserved = new Set(`and or not any some all none like matches contains beginswith endswith
  between in caseinsensitive ci null nil self true yes false no first last size anykey subquery cast
  fetch function ternary truepredicate falsepredicate union intersect minus`.split(/\s+/))

/** A key path as it stands in an expression, and as the rows of a list name it. */
export function keyPath(path) {
  return reserved.has(path.split('.')[0].toLowerCase()) ? `#${path}` : path
}

/** An attribute of an entity. */
export class Attribute {
  kind = 'attribute'

  constructor(declared) {
    this.declared = declared
    this.name = declared.name
    this.type = declared.type
    this.isOptional = declared.optional ?? true
  }

  /** Its name in expressions and in the rows of a selection. */
  get key() { return keyPath(this.name) }

  get isNumber() { return numbers.has(this.type) }
  get isInteger() { return this.type.startsWith('Integer') }
  get isText() { return this.type === 'String' }
  get isDate() { return this.type === 'Date' }

  /** Whether it is computed, and never written. */
  get isReadOnly() { return Boolean(this.declared.derivation || this.declared.transient) }

  /** Whether rows can be sorted by it. */
  get isSortable() {
    return !this.declared.transient
      && !['Binary', 'Transformable', 'Composite', 'Undefined'].includes(this.type)
  }
}

/** A relationship of an entity. */
export class Relationship {
  kind = 'relationship'

  constructor(declared) {
    this.declared = declared
    this.name = declared.name
    this.isToMany = declared.toMany ?? false
    this.isOrdered = declared.ordered ?? false
    this.isOptional = declared.optional ?? true
    this.inverse = declared.inverse
  }

  /** Its name in expressions and in the rows of a selection. */
  get key() { return keyPath(this.name) }

  get isReadOnly() { return Boolean(this.declared.transient) }
}

/** A fetched property of an entity. */
export class FetchedProperty {
  kind = 'fetchedProperty'
  isReadOnly = true

  constructor(declared) {
    this.declared = declared
    this.name = declared.name
  }
}

/** An entity, with the properties that it inherits. */
export class Entity {
  parent = null
  /** The direct subentities. */
  subentities = []

  constructor(declared) {
    this.declared = declared
    this.name = declared.name
    this.isAbstract = declared.abstract ?? false
    this.ownProperties = [
      ...(declared.attributes ?? []).map(it => new Attribute(it)),
      ...(declared.relationships ?? []).map(it => new Relationship(it)),
      ...(declared.fetchedProperties ?? []).map(it => new FetchedProperty(it)),
    ]
  }

  /** All properties, those of the parents first. */
  get properties() { return [...(this.parent?.properties ?? []), ...this.ownProperties] }
  get attributes() { return this.properties.filter(it => it.kind === 'attribute') }
  get relationships() { return this.properties.filter(it => it.kind === 'relationship') }
  get fetchedProperties() { return this.properties.filter(it => it.kind === 'fetchedProperty') }

  /** The property of that name; undefined for none. */
  property(name) { return this.properties.find(it => it.name === name) }

  /** The first entity of the line of parents. */
  get root() { return this.parent?.root ?? this }

  /** The entity and all entities below it. */
  get family() { return [this, ...this.subentities.flatMap(it => it.family)] }

  /** Its route: an entity that does not begin with a capital letter has a longer one. */
  get path() {
    const name = encodeURIComponent(this.name)
    return /^\p{Lu}/u.test(this.name) ? name : `entities/${name}`
  }

  /** The route of an object. */
  pathOf(id) { return `${this.path}/${encodeURIComponent(id)}` }

  /** The attribute that names an object to people; undefined where none does. */
  get title() {
    const texts = this.attributes.filter(it => it.isText && !it.declared.transient)
    const likely = ['name', 'title', 'label', 'login', 'subject', 'summary', 'code']
    const byWord = likely.map(word => texts.find(it => it.name.toLowerCase() === word))
    const named = byWord.find(Boolean) ?? texts.find(it => /name|title/i.test(it.name))
    return named ?? (this.#isLink(texts[0]) ? undefined : texts[0])
  }

  get #toOnes() {
    return this.relationships.filter(it => !it.isToMany && !it.declared.transient)
  }

  /** Whether objects link two others, and their first text, such as a kind, does not name them. */
  #isLink(text) {
    const unique = (this.root.declared.uniquenessConstraints ?? []).flat()
    return this.#toOnes.length === 2 && (!text || text.isOptional && !unique.includes(text.name))
  }

  /** The relationships to the two objects that an object without a title links; else none. */
  get ends() { return this.title || this.#toOnes.length !== 2 ? [] : this.#toOnes }

  /** Latitude and longitude, if it has both: their key paths. */
  get coordinates() {
    const find = pattern => this.attributes.find(it => it.isNumber && pattern.test(it.name))?.name
    const latitude = find(/^(.*_)?lat(itude)?$/i)
    const longitude = find(/^(.*_)?(lng|lon|long|longitude)$/i)
    return latitude && longitude ? {latitude, longitude} : null
  }
}

/** A model: entities by name, and the rest of the document. */
export class Model {
  /** @param document the JSON of `GET /model` */
  constructor(document) {
    this.document = document
    this.name = document.name
    this.entities = new Map()
    for (const declared of document.entities ?? []) {
      this.entities.set(declared.name, new Entity(declared))
    }
    this.composites = new Map((document.composites ?? []).map(it => [it.name, it]))
    for (const entity of this.entities.values()) {
      entity.parent = this.entities.get(entity.declared.parent) ?? null
      entity.parent?.subentities.push(entity)
      for (const property of entity.ownProperties) {
        if (property.kind === 'relationship') {
          property.destination = this.entities.get(property.declared.destination)
        }
      }
    }
  }

  entity(name) { return this.entities.get(name) }

  /**
   * The properties that a key path such as `team.name` goes through; null where it leads nowhere.
   */
  resolve(entity, path) {
    const found = []
    let place = entity
    for (const key of path.replace(/^#/, '').split('.')) {
      const property = place?.property(key)
      if (!property) return null
      found.push(property)
      place = property.kind === 'relationship' ? property.destination : null
    }
    return found
  }
}
