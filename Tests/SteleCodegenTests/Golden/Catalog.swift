// Written by stele model swift from the model Catalog: Country.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Country: ManagedObject {}

extension Country {
    public var code: String? {
        get { attribute(forKey: "code") }
        set { setAttribute(newValue, forKey: "code") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var manufacturers: Set<Manufacturer> {
        get throws { try members(forKey: "manufacturers") }
    }

    public func setManufacturers(_ values: Set<Manufacturer>) throws {
        try setMembers(values, forKey: "manufacturers")
    }

    public func addToManufacturers(_ value: Manufacturer) throws {
        try addMembers([value], forKey: "manufacturers")
    }

    public func addToManufacturers(_ values: Set<Manufacturer>) throws {
        try addMembers(values, forKey: "manufacturers")
    }

    public func removeFromManufacturers(_ value: Manufacturer) throws {
        try removeMembers([value], forKey: "manufacturers")
    }

    public func removeFromManufacturers(_ values: Set<Manufacturer>) throws {
        try removeMembers(values, forKey: "manufacturers")
    }
}

// Written by stele model swift from the model Catalog: Manufacturer.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Manufacturer: ManagedObject {}

extension Manufacturer {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var country: Country? {
        get throws { try destination(forKey: "country") }
    }

    public func setCountry(_ value: Country?) throws {
        try setDestination(value, forKey: "country")
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

// Written by stele model swift from the model Catalog: Product.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

open class Product: ManagedObject {}

extension Product {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var price: Decimal? {
        get { attribute(forKey: "price") }
        set { setAttribute(newValue, forKey: "price") }
    }

    public var sku: String? {
        get { attribute(forKey: "sku") }
        set { setAttribute(newValue, forKey: "sku") }
    }

    public var manufacturer: Manufacturer? {
        get throws { try destination(forKey: "manufacturer") }
    }

    public func setManufacturer(_ value: Manufacturer?) throws {
        try setDestination(value, forKey: "manufacturer")
    }
}

// Written by stele model swift from the model Catalog: Hammer.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Hammer: Product {}

extension Hammer {
    public var weight: Float? {
        get { attribute(forKey: "weight") }
        set { setAttribute(newValue, forKey: "weight") }
    }
}

// Written by stele model swift from the model Catalog: Screw.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Screw: Product {}

extension Screw {
    public var diameter: Double? {
        get { attribute(forKey: "diameter") }
        set { setAttribute(newValue, forKey: "diameter") }
    }

    public var headType: String? {
        get { attribute(forKey: "headType") }
        set { setAttribute(newValue, forKey: "headType") }
    }

    public var length: Double? {
        get { attribute(forKey: "length") }
        set { setAttribute(newValue, forKey: "length") }
    }
}

// Written by stele model swift from the model Catalog: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum CatalogModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Country", Country.self,
            [
                "code": .attribute(.string),
                "name": .attribute(.string),
                "manufacturers": .toMany("Manufacturer"),
            ]),
        TypedEntity(
            "Manufacturer", Manufacturer.self,
            [
                "name": .attribute(.string),
                "country": .toOne("Country"),
                "products": .toMany("Product"),
            ]),
        TypedEntity(
            "Product", Product.self,
            [
                "name": .attribute(.string),
                "price": .attribute(.decimal),
                "sku": .attribute(.string),
                "manufacturer": .toOne("Manufacturer"),
            ]),
        TypedEntity(
            "Hammer", Hammer.self,
            [
                "weight": .attribute(.float)
            ]),
        TypedEntity(
            "Screw", Screw.self,
            [
                "diameter": .attribute(.double),
                "headType": .attribute(.string),
                "length": .attribute(.double),
            ]),
    ]
}
