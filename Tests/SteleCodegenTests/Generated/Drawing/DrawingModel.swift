// Written by stele model swift from the model Drawing: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public nonisolated enum DrawingModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Drawing",
        currentVersion: "Drawing",
        versions: [
            #"""
            {
              "name": "Drawing",
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
                      "name": "height",
                      "type": "Double",
                      "optional": true,
                      "default": 0.0,
                      "minimum": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "width",
                      "type": "Double",
                      "optional": true,
                      "default": 0.0,
                      "minimum": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "shapes",
                      "destination": "Shape",
                      "inverse": "canvas",
                      "toMany": true,
                      "ordered": true,
                      "optional": true,
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
                      "type": "Double",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Double",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Double",
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
                      "ordered": true,
                      "optional": true,
                      "deleteRule": "Cascade"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Rectangle",
                  "class": "Rectangle",
                  "parent": "Shape",
                  "attributes": [
                    {
                      "name": "height",
                      "type": "Double",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "width",
                      "type": "Double",
                      "optional": false,
                      "default": 1.0,
                      "minimum": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "x",
                      "type": "Double",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Double",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
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
                      "type": "String",
                      "optional": true,
                      "default": "black"
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "canvas",
                      "destination": "Canvas",
                      "inverse": "shapes",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "transform",
                      "destination": "Transform",
                      "inverse": "shape",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Cascade"
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
                      "name": "rotation",
                      "type": "Float",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true,
                      "userInfo": {
                        "unit": "degree"
                      }
                    },
                    {
                      "name": "scale",
                      "type": "Float",
                      "optional": false,
                      "default": 1.0,
                      "scalar": true
                    },
                    {
                      "name": "translateX",
                      "type": "Double",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "translateY",
                      "type": "Double",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "shape",
                      "destination": "Shape",
                      "inverse": "transform",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
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
                      "name": "x",
                      "type": "Double",
                      "optional": false,
                      "default": 0.0,
                      "scalar": true
                    },
                    {
                      "name": "y",
                      "type": "Double",
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
                      "deleteRule": "No Action"
                    }
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
            "Canvas", Canvas.self,
            [
                "height": .attribute(.double),
                "name": .attribute(.string),
                "width": .attribute(.double),
                "shapes": .ordered("Shape"),
            ]),
        TypedEntity(
            "Shape", Shape.self,
            [
                "color": .attribute(.string),
                "name": .attribute(.string),
                "canvas": .toOne("Canvas"),
                "transform": .toOne("Transform"),
            ]),
        TypedEntity(
            "Circle", Circle.self,
            [
                "radius": .attribute(.double),
                "x": .attribute(.double),
                "y": .attribute(.double),
            ]),
        TypedEntity(
            "Polygon", Polygon.self,
            [
                "vertices": .ordered("Vertex")
            ]),
        TypedEntity(
            "Rectangle", Rectangle.self,
            [
                "height": .attribute(.double),
                "width": .attribute(.double),
                "x": .attribute(.double),
                "y": .attribute(.double),
            ]),
        TypedEntity(
            "Transform", Transform.self,
            [
                "rotation": .attribute(.float),
                "scale": .attribute(.float),
                "translateX": .attribute(.double),
                "translateY": .attribute(.double),
                "shape": .toOne("Shape"),
            ]),
        TypedEntity(
            "Vertex", Vertex.self,
            [
                "x": .attribute(.double),
                "y": .attribute(.double),
                "polygon": .toOne("Polygon"),
            ]),
    ]
}
