// Written by stele model swift from the model Catalog: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Country: ManagedObject {}

nonisolated extension Country {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var region: String? {
        get { attribute(forKey: "region") }
        set { setAttribute(newValue, forKey: "region") }
    }

    public var products: Set<Product> {
        get throws { try members(forKey: "products") }
    }

    public func setProducts(_ values: Set<Product>) throws {
        try setMembers(values, forKey: "products")
    }

    public func addToProducts(_ value: Product) throws {
        try addMembers([value], forKey: "products")
    }

    public func addToProducts(_ values: Set<Product>) throws {
        try addMembers(values, forKey: "products")
    }

    public func removeFromProducts(_ value: Product) throws {
        try removeMembers([value], forKey: "products")
    }

    public func removeFromProducts(_ values: Set<Product>) throws {
        try removeMembers(values, forKey: "products")
    }
}

nonisolated extension ObjectKeys where Object == Country {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var region: AttributeKey<String> { self[attribute: "region"] }
    public var products: ToManyKeys<Product> { self[toMany: "products"] }
}

public final nonisolated class Manufacturer: ManagedObject {}

nonisolated extension Manufacturer {
    public var address: String? {
        get { attribute(forKey: "address") }
        set { setAttribute(newValue, forKey: "address") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var preferredProvider: Bool {
        get { attribute(forKey: "preferredProvider") ?? false }
        set { setAttribute(newValue, forKey: "preferredProvider") }
    }

    public var products: Set<Product> {
        get throws { try members(forKey: "products") }
    }

    public func setProducts(_ values: Set<Product>) throws {
        try setMembers(values, forKey: "products")
    }

    public func addToProducts(_ value: Product) throws {
        try addMembers([value], forKey: "products")
    }

    public func addToProducts(_ values: Set<Product>) throws {
        try addMembers(values, forKey: "products")
    }

    public func removeFromProducts(_ value: Product) throws {
        try removeMembers([value], forKey: "products")
    }

    public func removeFromProducts(_ values: Set<Product>) throws {
        try removeMembers(values, forKey: "products")
    }
}

nonisolated extension ObjectKeys where Object == Manufacturer {
    public var address: AttributeKey<String> { self[attribute: "address"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var preferredProvider: AttributeKey<Bool> { self[attribute: "preferredProvider"] }
    public var products: ToManyKeys<Product> { self[toMany: "products"] }
}

open nonisolated class Product: ManagedObject {}

nonisolated extension Product {
    public var details: String? {
        get { attribute(forKey: "details") }
        set { setAttribute(newValue, forKey: "details") }
    }

    public var image: String? {
        get { attribute(forKey: "image") }
        set { setAttribute(newValue, forKey: "image") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var price: Decimal? {
        get { attribute(forKey: "price") }
        set { setAttribute(newValue, forKey: "price") }
    }

    public var quantityOnHand: Int32? {
        get { attribute(forKey: "quantityOnHand") }
        set { setAttribute(newValue, forKey: "quantityOnHand") }
    }

    public var countries: Set<Country> {
        get throws { try members(forKey: "countries") }
    }

    public func setCountries(_ values: Set<Country>) throws {
        try setMembers(values, forKey: "countries")
    }

    public func addToCountries(_ value: Country) throws {
        try addMembers([value], forKey: "countries")
    }

    public func addToCountries(_ values: Set<Country>) throws {
        try addMembers(values, forKey: "countries")
    }

    public func removeFromCountries(_ value: Country) throws {
        try removeMembers([value], forKey: "countries")
    }

    public func removeFromCountries(_ values: Set<Country>) throws {
        try removeMembers(values, forKey: "countries")
    }

    public var manufacturer: Manufacturer? {
        get { object(forKey: "manufacturer") }
        set { setObject(newValue, forKey: "manufacturer") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setManufacturer(_ value: Manufacturer?) throws {
        try setDestination(value, forKey: "manufacturer")
    }

    public var relatedProducts: Set<Product> {
        get throws { try members(forKey: "relatedProducts") }
    }

    public func setRelatedProducts(_ values: Set<Product>) throws {
        try setMembers(values, forKey: "relatedProducts")
    }

    public func addToRelatedProducts(_ value: Product) throws {
        try addMembers([value], forKey: "relatedProducts")
    }

    public func addToRelatedProducts(_ values: Set<Product>) throws {
        try addMembers(values, forKey: "relatedProducts")
    }

    public func removeFromRelatedProducts(_ value: Product) throws {
        try removeMembers([value], forKey: "relatedProducts")
    }

    public func removeFromRelatedProducts(_ values: Set<Product>) throws {
        try removeMembers(values, forKey: "relatedProducts")
    }

    public var belowAverage: [Product] {
        get throws { try fetched(forKey: "belowAverage") }
    }

    public var cheapProducts: [Product] {
        get throws { try fetched(forKey: "cheapProducts") }
    }

    public var cheaperProducts: [Product] {
        get throws { try fetched(forKey: "cheaperProducts") }
    }
}

nonisolated extension ObjectKeys where Object: Product {
    public var details: AttributeKey<String> { self[attribute: "details"] }
    public var image: AttributeKey<String> { self[attribute: "image"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var price: AttributeKey<Decimal> { self[attribute: "price"] }
    public var quantityOnHand: AttributeKey<Int32> { self[attribute: "quantityOnHand"] }
    public var countries: ToManyKeys<Country> { self[toMany: "countries"] }
    public var manufacturer: ObjectKeys<Manufacturer> { self[toOne: "manufacturer"] }
    public var relatedProducts: ToManyKeys<Product> { self[toMany: "relatedProducts"] }
}

public final nonisolated class Hammer: Product {}

nonisolated extension Hammer {
    public var clawLength: Double? {
        get { attribute(forKey: "clawLength") }
        set { setAttribute(newValue, forKey: "clawLength") }
    }

    public var weight: Int16? {
        get { attribute(forKey: "weight") }
        set { setAttribute(newValue, forKey: "weight") }
    }
}

nonisolated extension ObjectKeys where Object == Hammer {
    public var clawLength: AttributeKey<Double> { self[attribute: "clawLength"] }
    public var weight: AttributeKey<Int16> { self[attribute: "weight"] }
}

public final nonisolated class Screw: Product {}

nonisolated extension Screw {
    public var headType: String? {
        get { attribute(forKey: "headType") }
        set { setAttribute(newValue, forKey: "headType") }
    }

    public var length: Double? {
        get { attribute(forKey: "length") }
        set { setAttribute(newValue, forKey: "length") }
    }

    public var threadPitch: Double? {
        get { attribute(forKey: "threadPitch") }
        set { setAttribute(newValue, forKey: "threadPitch") }
    }

    public var relatedScrews: Set<Screw> {
        get throws { try members(forKey: "relatedScrews") }
    }

    public func setRelatedScrews(_ values: Set<Screw>) throws {
        try setMembers(values, forKey: "relatedScrews")
    }

    public func addToRelatedScrews(_ value: Screw) throws {
        try addMembers([value], forKey: "relatedScrews")
    }

    public func addToRelatedScrews(_ values: Set<Screw>) throws {
        try addMembers(values, forKey: "relatedScrews")
    }

    public func removeFromRelatedScrews(_ value: Screw) throws {
        try removeMembers([value], forKey: "relatedScrews")
    }

    public func removeFromRelatedScrews(_ values: Set<Screw>) throws {
        try removeMembers(values, forKey: "relatedScrews")
    }
}

nonisolated extension ObjectKeys where Object == Screw {
    public var headType: AttributeKey<String> { self[attribute: "headType"] }
    public var length: AttributeKey<Double> { self[attribute: "length"] }
    public var threadPitch: AttributeKey<Double> { self[attribute: "threadPitch"] }
    public var relatedScrews: ToManyKeys<Screw> { self[toMany: "relatedScrews"] }
}

public nonisolated enum CatalogModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Catalog",
        currentVersion: "Catalog",
        versions: [
            #"""
            {
              "name": "Catalog",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Country",
                  "class": "Country",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "region",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "products",
                      "destination": "Product",
                      "inverse": "countries",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Hammer",
                  "class": "Hammer",
                  "parent": "Product",
                  "attributes": [
                    {
                      "name": "clawLength",
                      "type": "Double",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "weight",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Manufacturer",
                  "class": "Manufacturer",
                  "attributes": [
                    {
                      "name": "address",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false
                    },
                    {
                      "name": "preferredProvider",
                      "type": "Boolean",
                      "optional": true,
                      "default": false,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "products",
                      "destination": "Product",
                      "inverse": "manufacturer",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Product",
                  "class": "Product",
                  "attributes": [
                    {
                      "name": "details",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "image",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "default": "New",
                      "indexed": true
                    },
                    {
                      "name": "price",
                      "type": "Decimal",
                      "optional": true,
                      "default": 0,
                      "minimum": 0,
                      "maximum": 10000
                    },
                    {
                      "name": "quantityOnHand",
                      "type": "Integer 32",
                      "optional": true,
                      "minimum": 0,
                      "scalar": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "countries",
                      "destination": "Country",
                      "inverse": "products",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "manufacturer",
                      "destination": "Manufacturer",
                      "inverse": "products",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "relatedProducts",
                      "destination": "Product",
                      "inverse": "relatedProducts",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "fetchedProperties": [
                    {
                      "name": "belowAverage",
                      "optional": true,
                      "fetchRequest": {
                        "name": "f3",
                        "entity": "Product",
                        "predicate": "price < $FETCH_SOURCE.manufacturer.products.@avg.price"
                      }
                    },
                    {
                      "name": "cheapProducts",
                      "optional": true,
                      "fetchRequest": {
                        "name": "f1",
                        "entity": "Product",
                        "predicate": "price < 1"
                      }
                    },
                    {
                      "name": "cheaperProducts",
                      "optional": true,
                      "fetchRequest": {
                        "name": "f2",
                        "entity": "Product",
                        "predicate": "price < $FETCH_SOURCE.price"
                      }
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class",
                  "userInfo": {
                    "color": "blue",
                    "owner": "shop"
                  }
                },
                {
                  "name": "Screw",
                  "class": "Screw",
                  "parent": "Product",
                  "attributes": [
                    {
                      "name": "headType",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "length",
                      "type": "Double",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "threadPitch",
                      "type": "Double",
                      "optional": true,
                      "scalar": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "relatedScrews",
                      "destination": "Screw",
                      "inverse": "relatedScrews",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ],
              "fetchRequests": [
                {
                  "name": "getHammersByWeight",
                  "entity": "Hammer",
                  "predicate": "weight == $WEIGHT",
                  "toolAttributes": {
                    "includeSubentities": "YES"
                  }
                },
                {
                  "name": "midPriced",
                  "entity": "Product",
                  "predicate": "((price < 5 OR price > 1) AND ANY countries.name == \"China\") AND (manufacturer.name == \"Manufacturer A\" OR manufacturer.name == \"Manufacturer B\")",
                  "toolAttributes": {
                    "includeSubentities": "YES"
                  }
                }
              ],
              "configurations": [
                {
                  "name": "Goods",
                  "entities": [
                    "Product",
                    "Hammer",
                    "Screw"
                  ]
                },
                {
                  "name": "People",
                  "entities": [
                    "Manufacturer",
                    "Country"
                  ]
                }
              ]
            }
            """#
        ])

    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Country", Country.self,
            [
                "name": .attribute(.string),
                "region": .attribute(.string),
                "products": .toMany("Product"),
            ]),
        TypedEntity(
            "Manufacturer", Manufacturer.self,
            [
                "address": .attribute(.string),
                "name": .attribute(.string),
                "preferredProvider": .attribute(.boolean),
                "products": .toMany("Product"),
            ]),
        TypedEntity(
            "Product", Product.self,
            [
                "details": .attribute(.string),
                "image": .attribute(.string),
                "name": .attribute(.string),
                "price": .attribute(.decimal),
                "quantityOnHand": .attribute(.integer32),
                "countries": .toMany("Country"),
                "manufacturer": .toOne("Manufacturer"),
                "relatedProducts": .toMany("Product"),
                "belowAverage": .fetched("Product"),
                "cheapProducts": .fetched("Product"),
                "cheaperProducts": .fetched("Product"),
            ]),
        TypedEntity(
            "Hammer", Hammer.self,
            [
                "clawLength": .attribute(.double),
                "weight": .attribute(.integer16),
            ]),
        TypedEntity(
            "Screw", Screw.self,
            [
                "headType": .attribute(.string),
                "length": .attribute(.double),
                "threadPitch": .attribute(.double),
                "relatedScrews": .toMany("Screw"),
            ]),
    ]
}
