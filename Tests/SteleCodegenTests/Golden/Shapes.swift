// Written by stele model swift from the model Shapes: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Canvas: ManagedObject {}

nonisolated extension Canvas {
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
        get { object(forKey: "transform") }
        set { setObject(newValue, forKey: "transform") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setTransform(_ value: Transform?) throws {
        try setDestination(value, forKey: "transform")
    }
}

nonisolated extension ObjectKeys where Object == Canvas {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var shapes: ToManyKeys<Shape> { self[toMany: "shapes"] }
    public var transform: ObjectKeys<Transform> { self[toOne: "transform"] }
}

open nonisolated class Shape: ManagedObject {}

nonisolated extension Shape {
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

nonisolated extension ObjectKeys where Object: Shape {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var canvases: ToManyKeys<Canvas> { self[toMany: "canvases"] }
}

public final nonisolated class Circle: Shape {}

nonisolated extension Circle {
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

nonisolated extension ObjectKeys where Object == Circle {
    public var diameter: AttributeKey<Float> { self[attribute: "diameter"] }
    public var x: AttributeKey<Float> { self[attribute: "x"] }
    public var y: AttributeKey<Float> { self[attribute: "y"] }
}

public final nonisolated class Polygon: Shape {}

nonisolated extension Polygon {
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

nonisolated extension ObjectKeys where Object == Polygon {
    public var vertices: ToManyKeys<Vertex> { self[toMany: "vertices"] }
}

public final nonisolated class Transform: ManagedObject {}

nonisolated extension Transform {
    public var scale: Float {
        get { attribute(forKey: "scale") ?? 0 }
        set { setAttribute(newValue, forKey: "scale") }
    }

    public var canvas: Canvas? {
        get { object(forKey: "canvas") }
        set { setObject(newValue, forKey: "canvas") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setCanvas(_ value: Canvas?) throws {
        try setDestination(value, forKey: "canvas")
    }
}

nonisolated extension ObjectKeys where Object == Transform {
    public var scale: AttributeKey<Float> { self[attribute: "scale"] }
    public var canvas: ObjectKeys<Canvas> { self[toOne: "canvas"] }
}

public final nonisolated class Vertex: ManagedObject {}

nonisolated extension Vertex {
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
        get { object(forKey: "polygon") }
        set { setObject(newValue, forKey: "polygon") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setPolygon(_ value: Polygon?) throws {
        try setDestination(value, forKey: "polygon")
    }
}

nonisolated extension ObjectKeys where Object == Vertex {
    public var index: AttributeKey<Int16> { self[attribute: "index"] }
    public var x: AttributeKey<Float> { self[attribute: "x"] }
    public var y: AttributeKey<Float> { self[attribute: "y"] }
    public var polygon: ObjectKeys<Polygon> { self[toOne: "polygon"] }
}

public nonisolated enum ShapesModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Shapes",
        currentVersion: "Shapes 5",
        versions: [
            #"""
            {
              "name": "Shapes",
              "versionIdentifier": "1",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Canvas",
                  "class": "Canvas",
                  "relationships": [
                    {
                      "name": "shapes",
                      "destination": "Shape",
                      "inverse": "canvases",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "transform",
                      "destination": "Transform",
                      "inverse": "canvas",
                      "toMany": false,
                      "optional": false,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Circle",
                  "class": "Circle",
                  "parent": "Shape",
                  "attributes": [
                    {
                      "name": "radius",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 1.0,
                      "maximum": 50.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Polygon",
                  "class": "Polygon",
                  "parent": "Shape",
                  "relationships": [
                    {
                      "name": "vertices",
                      "destination": "Vertex",
                      "inverse": "polygon",
                      "toMany": true,
                      "optional": false,
                      "minimumCount": 3,
                      "maximumCount": 6,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Shape",
                  "class": "Shape",
                  "abstract": true,
                  "attributes": [
                    {
                      "name": "color",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "NSSecureUnarchiveFromData",
                      "class": "[Double]"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvases",
                      "destination": "Canvas",
                      "inverse": "shapes",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Transform",
                  "class": "Transform",
                  "attributes": [
                    {
                      "name": "scale",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvas",
                      "destination": "Canvas",
                      "inverse": "transform",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Vertex",
                  "class": "Vertex",
                  "attributes": [
                    {
                      "name": "index",
                      "type": "Integer 16",
                      "optional": false,
                      "default": 0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "polygon",
                      "destination": "Polygon",
                      "inverse": "vertices",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#,
            #"""
            {
              "name": "Shapes 2",
              "versionIdentifier": "2",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Canvas",
                  "class": "Canvas",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "shapes",
                      "destination": "Shape",
                      "inverse": "canvases",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "transform",
                      "destination": "Transform",
                      "inverse": "canvas",
                      "toMany": false,
                      "optional": false,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Circle",
                  "class": "Circle",
                  "parent": "Shape",
                  "attributes": [
                    {
                      "name": "radius",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 1.0,
                      "maximum": 50.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Polygon",
                  "class": "Polygon",
                  "parent": "Shape",
                  "relationships": [
                    {
                      "name": "vertices",
                      "destination": "Vertex",
                      "inverse": "polygon",
                      "toMany": true,
                      "optional": false,
                      "minimumCount": 3,
                      "maximumCount": 6,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Shape",
                  "class": "Shape",
                  "abstract": true,
                  "attributes": [
                    {
                      "name": "color",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "NSSecureUnarchiveFromData",
                      "class": "[Double]"
                    },
                    {
                      "name": "label",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvases",
                      "destination": "Canvas",
                      "inverse": "shapes",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Transform",
                  "class": "Transform",
                  "attributes": [
                    {
                      "name": "scale",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvas",
                      "destination": "Canvas",
                      "inverse": "transform",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Vertex",
                  "class": "Vertex",
                  "attributes": [
                    {
                      "name": "index",
                      "type": "Integer 16",
                      "optional": false,
                      "default": 0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "polygon",
                      "destination": "Polygon",
                      "inverse": "vertices",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#,
            #"""
            {
              "name": "Shapes 3",
              "versionIdentifier": "3",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Canvas",
                  "class": "Canvas",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "shapes",
                      "destination": "Shape",
                      "inverse": "canvases",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "transform",
                      "destination": "Transform",
                      "inverse": "canvas",
                      "toMany": false,
                      "optional": false,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Circle",
                  "class": "Circle",
                  "parent": "Shape",
                  "attributes": [
                    {
                      "name": "radius",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 1.0,
                      "maximum": 50.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Polygon",
                  "class": "Polygon",
                  "parent": "Shape",
                  "relationships": [
                    {
                      "name": "vertices",
                      "destination": "Vertex",
                      "inverse": "polygon",
                      "toMany": true,
                      "optional": false,
                      "minimumCount": 3,
                      "maximumCount": 6,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Shape",
                  "class": "Shape",
                  "abstract": true,
                  "attributes": [
                    {
                      "name": "color",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "NSSecureUnarchiveFromData",
                      "class": "[Double]"
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true,
                      "renamingIdentifier": "label"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvases",
                      "destination": "Canvas",
                      "inverse": "shapes",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Transform",
                  "class": "Transform",
                  "attributes": [
                    {
                      "name": "scale",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvas",
                      "destination": "Canvas",
                      "inverse": "transform",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Vertex",
                  "class": "Vertex",
                  "attributes": [
                    {
                      "name": "index",
                      "type": "Integer 16",
                      "optional": false,
                      "default": 0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "polygon",
                      "destination": "Polygon",
                      "inverse": "vertices",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#,
            #"""
            {
              "name": "Shapes 4",
              "versionIdentifier": "4",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Canvas",
                  "class": "Canvas",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "shapes",
                      "destination": "Shape",
                      "inverse": "canvases",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "transform",
                      "destination": "Transform",
                      "inverse": "canvas",
                      "toMany": false,
                      "optional": false,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Circle",
                  "class": "Circle",
                  "parent": "Shape",
                  "attributes": [
                    {
                      "name": "diameter",
                      "type": "Float",
                      "optional": false,
                      "default": 2.0,
                      "minimum": 2.0,
                      "maximum": 100.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Polygon",
                  "class": "Polygon",
                  "parent": "Shape",
                  "relationships": [
                    {
                      "name": "vertices",
                      "destination": "Vertex",
                      "inverse": "polygon",
                      "toMany": true,
                      "optional": false,
                      "minimumCount": 3,
                      "maximumCount": 6,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Shape",
                  "class": "Shape",
                  "abstract": true,
                  "attributes": [
                    {
                      "name": "color",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "NSSecureUnarchiveFromData",
                      "class": "[Double]"
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true,
                      "renamingIdentifier": "label"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvases",
                      "destination": "Canvas",
                      "inverse": "shapes",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Transform",
                  "class": "Transform",
                  "attributes": [
                    {
                      "name": "scale",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvas",
                      "destination": "Canvas",
                      "inverse": "transform",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Vertex",
                  "class": "Vertex",
                  "attributes": [
                    {
                      "name": "index",
                      "type": "Integer 16",
                      "optional": false,
                      "default": 0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "polygon",
                      "destination": "Polygon",
                      "inverse": "vertices",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#,
            #"""
            {
              "name": "Shapes 5",
              "versionIdentifier": "5",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Canvas",
                  "class": "Canvas",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "shapes",
                      "destination": "Shape",
                      "inverse": "canvases",
                      "toMany": true,
                      "ordered": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "transform",
                      "destination": "Transform",
                      "inverse": "canvas",
                      "toMany": false,
                      "optional": false,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Circle",
                  "class": "Circle",
                  "parent": "Shape",
                  "attributes": [
                    {
                      "name": "diameter",
                      "type": "Float",
                      "optional": false,
                      "default": 2.0,
                      "minimum": 2.0,
                      "maximum": 100.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Polygon",
                  "class": "Polygon",
                  "parent": "Shape",
                  "relationships": [
                    {
                      "name": "vertices",
                      "destination": "Vertex",
                      "inverse": "polygon",
                      "toMany": true,
                      "optional": false,
                      "minimumCount": 3,
                      "maximumCount": 6,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Shape",
                  "class": "Shape",
                  "abstract": true,
                  "attributes": [
                    {
                      "name": "color",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "NSSecureUnarchiveFromData",
                      "class": "[Double]"
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true,
                      "renamingIdentifier": "label"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvases",
                      "destination": "Canvas",
                      "inverse": "shapes",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Transform",
                  "class": "Transform",
                  "attributes": [
                    {
                      "name": "scale",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvas",
                      "destination": "Canvas",
                      "inverse": "transform",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Vertex",
                  "class": "Vertex",
                  "attributes": [
                    {
                      "name": "index",
                      "type": "Integer 16",
                      "optional": false,
                      "default": 0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "polygon",
                      "destination": "Polygon",
                      "inverse": "vertices",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#,
        ])

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
