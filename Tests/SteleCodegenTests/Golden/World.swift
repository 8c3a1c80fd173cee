// Written by stele model swift from the model World: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class City: ManagedObject {}

nonisolated extension City {
    public var adminCode: String? {
        get { attribute(forKey: "adminCode") }
        set { setAttribute(newValue, forKey: "adminCode") }
    }

    public var geonameId: Int64 {
        get { attribute(forKey: "geonameId") ?? 0 }
        set { setAttribute(newValue, forKey: "geonameId") }
    }

    public var latitude: Double? {
        get { attribute(forKey: "latitude") }
        set { setAttribute(newValue, forKey: "latitude") }
    }

    public var longitude: Double? {
        get { attribute(forKey: "longitude") }
        set { setAttribute(newValue, forKey: "longitude") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var population: Int64? {
        get { attribute(forKey: "population") }
        set { setAttribute(newValue, forKey: "population") }
    }

    public var timezone: String? {
        get { attribute(forKey: "timezone") }
        set { setAttribute(newValue, forKey: "timezone") }
    }

    public var country: Country? {
        get { object(forKey: "country") }
        set { setObject(newValue, forKey: "country") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setCountry(_ value: Country?) throws {
        try setDestination(value, forKey: "country")
    }
}

nonisolated extension ObjectKeys where Object == City {
    public var adminCode: AttributeKey<String> { self[attribute: "adminCode"] }
    public var geonameId: AttributeKey<Int64> { self[attribute: "geonameId"] }
    public var latitude: AttributeKey<Double> { self[attribute: "latitude"] }
    public var longitude: AttributeKey<Double> { self[attribute: "longitude"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var population: AttributeKey<Int64> { self[attribute: "population"] }
    public var timezone: AttributeKey<String> { self[attribute: "timezone"] }
    public var country: ObjectKeys<Country> { self[toOne: "country"] }
}

public final nonisolated class Continent: ManagedObject {}

nonisolated extension Continent {
    public var code: String? {
        get { attribute(forKey: "code") }
        set { setAttribute(newValue, forKey: "code") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var population: Int64? {
        get { attribute(forKey: "population") }
        set { setAttribute(newValue, forKey: "population") }
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
}

nonisolated extension ObjectKeys where Object == Continent {
    public var code: AttributeKey<String> { self[attribute: "code"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var population: AttributeKey<Int64> { self[attribute: "population"] }
    public var countries: ToManyKeys<Country> { self[toMany: "countries"] }
}

public final nonisolated class Country: ManagedObject {}

nonisolated extension Country {
    public var areaKm2: Double? {
        get { attribute(forKey: "areaKm2") }
        set { setAttribute(newValue, forKey: "areaKm2") }
    }

    public var capital: String? {
        get { attribute(forKey: "capital") }
        set { setAttribute(newValue, forKey: "capital") }
    }

    public var currencyCode: String? {
        get { attribute(forKey: "currencyCode") }
        set { setAttribute(newValue, forKey: "currencyCode") }
    }

    public var currencyName: String? {
        get { attribute(forKey: "currencyName") }
        set { setAttribute(newValue, forKey: "currencyName") }
    }

    public var iso: String? {
        get { attribute(forKey: "iso") }
        set { setAttribute(newValue, forKey: "iso") }
    }

    public var iso3: String? {
        get { attribute(forKey: "iso3") }
        set { setAttribute(newValue, forKey: "iso3") }
    }

    public var isoNumeric: Int16? {
        get { attribute(forKey: "isoNumeric") }
        set { setAttribute(newValue, forKey: "isoNumeric") }
    }

    public var languages: [String]? {
        get throws { try transformable(forKey: "languages") }
    }

    public func setLanguages(_ value: [String]?) throws {
        try setTransformable(value, forKey: "languages")
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var phone: String? {
        get { attribute(forKey: "phone") }
        set { setAttribute(newValue, forKey: "phone") }
    }

    public var population: Int64? {
        get { attribute(forKey: "population") }
        set { setAttribute(newValue, forKey: "population") }
    }

    public var postalCodeRegex: String? {
        get { attribute(forKey: "postalCodeRegex") }
        set { setAttribute(newValue, forKey: "postalCodeRegex") }
    }

    public var tld: String? {
        get { attribute(forKey: "tld") }
        set { setAttribute(newValue, forKey: "tld") }
    }

    public var cities: Set<City> {
        get throws { try members(forKey: "cities") }
    }

    public func setCities(_ values: Set<City>) throws {
        try setMembers(values, forKey: "cities")
    }

    public func addToCities(_ value: City) throws {
        try addMembers([value], forKey: "cities")
    }

    public func addToCities(_ values: Set<City>) throws {
        try addMembers(values, forKey: "cities")
    }

    public func removeFromCities(_ value: City) throws {
        try removeMembers([value], forKey: "cities")
    }

    public func removeFromCities(_ values: Set<City>) throws {
        try removeMembers(values, forKey: "cities")
    }

    public var continent: Continent? {
        get { object(forKey: "continent") }
        set { setObject(newValue, forKey: "continent") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setContinent(_ value: Continent?) throws {
        try setDestination(value, forKey: "continent")
    }

    public var neighbours: Set<Country> {
        get throws { try members(forKey: "neighbours") }
    }

    public func setNeighbours(_ values: Set<Country>) throws {
        try setMembers(values, forKey: "neighbours")
    }

    public func addToNeighbours(_ value: Country) throws {
        try addMembers([value], forKey: "neighbours")
    }

    public func addToNeighbours(_ values: Set<Country>) throws {
        try addMembers(values, forKey: "neighbours")
    }

    public func removeFromNeighbours(_ value: Country) throws {
        try removeMembers([value], forKey: "neighbours")
    }

    public func removeFromNeighbours(_ values: Set<Country>) throws {
        try removeMembers(values, forKey: "neighbours")
    }
}

nonisolated extension ObjectKeys where Object == Country {
    public var areaKm2: AttributeKey<Double> { self[attribute: "areaKm2"] }
    public var capital: AttributeKey<String> { self[attribute: "capital"] }
    public var currencyCode: AttributeKey<String> { self[attribute: "currencyCode"] }
    public var currencyName: AttributeKey<String> { self[attribute: "currencyName"] }
    public var iso: AttributeKey<String> { self[attribute: "iso"] }
    public var iso3: AttributeKey<String> { self[attribute: "iso3"] }
    public var isoNumeric: AttributeKey<Int16> { self[attribute: "isoNumeric"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var phone: AttributeKey<String> { self[attribute: "phone"] }
    public var population: AttributeKey<Int64> { self[attribute: "population"] }
    public var postalCodeRegex: AttributeKey<String> { self[attribute: "postalCodeRegex"] }
    public var tld: AttributeKey<String> { self[attribute: "tld"] }
    public var cities: ToManyKeys<City> { self[toMany: "cities"] }
    public var continent: ObjectKeys<Continent> { self[toOne: "continent"] }
    public var neighbours: ToManyKeys<Country> { self[toMany: "neighbours"] }
}

public nonisolated enum WorldModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "World",
        currentVersion: "World",
        versions: [
            #"""
            {
              "name": "World",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "City",
                  "class": "City",
                  "attributes": [
                    {
                      "name": "adminCode",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "geonameId",
                      "type": "Integer 64",
                      "optional": false,
                      "minimum": 1,
                      "scalar": true
                    },
                    {
                      "name": "latitude",
                      "type": "Double",
                      "optional": true,
                      "minimum": -90.0,
                      "maximum": 90.0,
                      "scalar": false
                    },
                    {
                      "name": "longitude",
                      "type": "Double",
                      "optional": true,
                      "minimum": -180.0,
                      "maximum": 180.0,
                      "scalar": false
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    },
                    {
                      "name": "population",
                      "type": "Integer 64",
                      "optional": true,
                      "minimum": 0,
                      "scalar": false
                    },
                    {
                      "name": "timezone",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "country",
                      "destination": "Country",
                      "inverse": "cities",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "indexes": [
                    {
                      "name": "byName",
                      "elements": [
                        "name"
                      ]
                    },
                    {
                      "name": "byPopulation",
                      "elements": [
                        "population"
                      ]
                    }
                  ],
                  "uniquenessConstraints": [
                    [
                      "geonameId"
                    ]
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Continent",
                  "class": "Continent",
                  "attributes": [
                    {
                      "name": "code",
                      "type": "String",
                      "optional": false,
                      "minimum": 2,
                      "maximum": 2
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    },
                    {
                      "name": "population",
                      "type": "Integer 64",
                      "optional": true,
                      "minimum": 0,
                      "scalar": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "countries",
                      "destination": "Country",
                      "inverse": "continent",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "uniquenessConstraints": [
                    [
                      "code"
                    ]
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Country",
                  "class": "Country",
                  "attributes": [
                    {
                      "name": "areaKm2",
                      "type": "Double",
                      "optional": true,
                      "minimum": 0.0,
                      "scalar": false,
                      "userInfo": {
                        "unit": "square kilometre"
                      }
                    },
                    {
                      "name": "capital",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "currencyCode",
                      "type": "String",
                      "optional": true,
                      "minimum": 3,
                      "maximum": 3
                    },
                    {
                      "name": "currencyName",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "iso",
                      "type": "String",
                      "optional": false,
                      "minimum": 2,
                      "maximum": 2
                    },
                    {
                      "name": "iso3",
                      "type": "String",
                      "optional": true,
                      "minimum": 3,
                      "maximum": 3
                    },
                    {
                      "name": "isoNumeric",
                      "type": "Integer 16",
                      "optional": true,
                      "minimum": 0,
                      "maximum": 999,
                      "scalar": false
                    },
                    {
                      "name": "languages",
                      "type": "Transformable",
                      "optional": true,
                      "class": "[String]"
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    },
                    {
                      "name": "phone",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "population",
                      "type": "Integer 64",
                      "optional": true,
                      "minimum": 0,
                      "scalar": false
                    },
                    {
                      "name": "postalCodeRegex",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "tld",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "cities",
                      "destination": "City",
                      "inverse": "country",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Cascade"
                    },
                    {
                      "name": "continent",
                      "destination": "Continent",
                      "inverse": "countries",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "neighbours",
                      "destination": "Country",
                      "inverse": "neighbours",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "indexes": [
                    {
                      "name": "byName",
                      "elements": [
                        "name"
                      ]
                    }
                  ],
                  "uniquenessConstraints": [
                    [
                      "iso"
                    ]
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#
        ])

    public static let entities: [TypedEntity] = [
        TypedEntity(
            "City", City.self,
            [
                "adminCode": .attribute(.string),
                "geonameId": .attribute(.integer64),
                "latitude": .attribute(.double),
                "longitude": .attribute(.double),
                "name": .attribute(.string),
                "population": .attribute(.integer64),
                "timezone": .attribute(.string),
                "country": .toOne("Country"),
            ]),
        TypedEntity(
            "Continent", Continent.self,
            [
                "code": .attribute(.string),
                "name": .attribute(.string),
                "population": .attribute(.integer64),
                "countries": .toMany("Country"),
            ]),
        TypedEntity(
            "Country", Country.self,
            [
                "areaKm2": .attribute(.double),
                "capital": .attribute(.string),
                "currencyCode": .attribute(.string),
                "currencyName": .attribute(.string),
                "iso": .attribute(.string),
                "iso3": .attribute(.string),
                "isoNumeric": .attribute(.integer16),
                "languages": .attribute(.transformable),
                "name": .attribute(.string),
                "phone": .attribute(.string),
                "population": .attribute(.integer64),
                "postalCodeRegex": .attribute(.string),
                "tld": .attribute(.string),
                "cities": .toMany("City"),
                "continent": .toOne("Continent"),
                "neighbours": .toMany("Country"),
            ]),
    ]
}
