// Written by stele model swift from the model Shapes 5: Canvas.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Canvas: ManagedObject {}

extension Canvas {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var shapes: [Shape] {
        get throws { try members(forKey: "shapes") }
    }

    public func setShapes(_ values: [Shape]) throws {
        try setMembers(values, forKey: "shapes")
    }

    public func addToShapes(_ value: Shape) throws {
        try addMembers([value], forKey: "shapes")
    }

    public func addToShapes(_ values: [Shape]) throws {
        try addMembers(values, forKey: "shapes")
    }

    public func removeFromShapes(_ value: Shape) throws {
        try removeMembers([value], forKey: "shapes")
    }

    public func removeFromShapes(_ values: [Shape]) throws {
        try removeMembers(values, forKey: "shapes")
    }

    public func insertIntoShapes(_ value: Shape, at index: Int) throws {
        try insertMembers([value], forKey: "shapes", at: index)
    }

    public func insertIntoShapes(_ values: [Shape], at index: Int) throws {
        try insertMembers(values, forKey: "shapes", at: index)
    }

    public func removeFromShapes(at index: Int) throws {
        try removeMember(forKey: "shapes", at: index)
    }

    public func replaceShapes(at index: Int, with value: Shape) throws {
        try replaceMember(forKey: "shapes", at: index, with: value)
    }

    public var transform: Transform? {
        get throws { try destination(forKey: "transform") }
    }

    public func setTransform(_ value: Transform?) throws {
        try setDestination(value, forKey: "transform")
    }
}

// Written by stele model swift from the model Shapes 5: Shape.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

open class Shape: ManagedObject {}

extension Shape {
    public var color: [Double]? {
        get throws { try transformable(forKey: "color") }
    }

    public func setColor(_ value: [Double]?) throws {
        try setTransformable(value, forKey: "color")
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var canvases: Set<Canvas> {
        get throws { try members(forKey: "canvases") }
    }

    public func setCanvases(_ values: Set<Canvas>) throws {
        try setMembers(values, forKey: "canvases")
    }

    public func addToCanvases(_ value: Canvas) throws {
        try addMembers([value], forKey: "canvases")
    }

    public func addToCanvases(_ values: Set<Canvas>) throws {
        try addMembers(values, forKey: "canvases")
    }

    public func removeFromCanvases(_ value: Canvas) throws {
        try removeMembers([value], forKey: "canvases")
    }

    public func removeFromCanvases(_ values: Set<Canvas>) throws {
        try removeMembers(values, forKey: "canvases")
    }
}

// Written by stele model swift from the model Shapes 5: Circle.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Circle: Shape {}

extension Circle {
    public var diameter: Float {
        get { attribute(forKey: "diameter") ?? 0 }
        set { setAttribute(newValue, forKey: "diameter") }
    }

    public var x: Float {
        get { attribute(forKey: "x") ?? 0 }
        set { setAttribute(newValue, forKey: "x") }
    }

    public var y: Float {
        get { attribute(forKey: "y") ?? 0 }
        set { setAttribute(newValue, forKey: "y") }
    }
}

// Written by stele model swift from the model Shapes 5: Polygon.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Polygon: Shape {}

extension Polygon {
    public var vertices: Set<Vertex> {
        get throws { try members(forKey: "vertices") }
    }

    public func setVertices(_ values: Set<Vertex>) throws {
        try setMembers(values, forKey: "vertices")
    }

    public func addToVertices(_ value: Vertex) throws {
        try addMembers([value], forKey: "vertices")
    }

    public func addToVertices(_ values: Set<Vertex>) throws {
        try addMembers(values, forKey: "vertices")
    }

    public func removeFromVertices(_ value: Vertex) throws {
        try removeMembers([value], forKey: "vertices")
    }

    public func removeFromVertices(_ values: Set<Vertex>) throws {
        try removeMembers(values, forKey: "vertices")
    }
}

// Written by stele model swift from the model Shapes 5: Transform.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Transform: ManagedObject {}

extension Transform {
    public var scale: Float {
        get { attribute(forKey: "scale") ?? 0 }
        set { setAttribute(newValue, forKey: "scale") }
    }

    public var canvas: Canvas? {
        get throws { try destination(forKey: "canvas") }
    }

    public func setCanvas(_ value: Canvas?) throws {
        try setDestination(value, forKey: "canvas")
    }
}

// Written by stele model swift from the model Shapes 5: Vertex.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Vertex: ManagedObject {}

extension Vertex {
    public var index: Int16 {
        get { attribute(forKey: "index") ?? 0 }
        set { setAttribute(newValue, forKey: "index") }
    }

    public var x: Float {
        get { attribute(forKey: "x") ?? 0 }
        set { setAttribute(newValue, forKey: "x") }
    }

    public var y: Float {
        get { attribute(forKey: "y") ?? 0 }
        set { setAttribute(newValue, forKey: "y") }
    }

    public var polygon: Polygon? {
        get throws { try destination(forKey: "polygon") }
    }

    public func setPolygon(_ value: Polygon?) throws {
        try setDestination(value, forKey: "polygon")
    }
}

// Written by stele model swift from the model Shapes 5: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum Shapes5Model: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Canvas", Canvas.self,
            [
                "name": .attribute(.string),
                "shapes": .ordered("Shape"),
                "transform": .toOne("Transform"),
            ]),
        TypedEntity(
            "Shape", Shape.self,
            [
                "color": .attribute(.transformable),
                "name": .attribute(.string),
                "canvases": .toMany("Canvas"),
            ]),
        TypedEntity(
            "Circle", Circle.self,
            [
                "diameter": .attribute(.float),
                "x": .attribute(.float),
                "y": .attribute(.float),
            ]),
        TypedEntity(
            "Polygon", Polygon.self,
            [
                "vertices": .toMany("Vertex")
            ]),
        TypedEntity(
            "Transform", Transform.self,
            [
                "scale": .attribute(.float),
                "canvas": .toOne("Canvas"),
            ]),
        TypedEntity(
            "Vertex", Vertex.self,
            [
                "index": .attribute(.integer16),
                "x": .attribute(.float),
                "y": .attribute(.float),
                "polygon": .toOne("Polygon"),
            ]),
    ]
}
