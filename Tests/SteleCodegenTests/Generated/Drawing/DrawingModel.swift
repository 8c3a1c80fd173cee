// Written by stele model swift from the model Drawing: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum DrawingModel: TypedModel {
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
