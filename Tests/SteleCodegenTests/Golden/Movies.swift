// Written by stele model swift from the model Movies: Actor.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Actor: ManagedObject {}

extension Actor {
    public var bornOn: Date? {
        get { attribute(forKey: "bornOn") }
        set { setAttribute(newValue, forKey: "bornOn") }
    }

    public var homepage: URL? {
        get { attribute(forKey: "homepage") }
        set { setAttribute(newValue, forKey: "homepage") }
    }

    public var isActive: Bool {
        get { attribute(forKey: "isActive") ?? false }
        set { setAttribute(newValue, forKey: "isActive") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var movies: Set<Movie> {
        get throws { try members(forKey: "movies") }
    }

    public func setMovies(_ values: Set<Movie>) throws {
        try setMembers(values, forKey: "movies")
    }

    public func addToMovies(_ value: Movie) throws {
        try addMembers([value], forKey: "movies")
    }

    public func addToMovies(_ values: Set<Movie>) throws {
        try addMembers(values, forKey: "movies")
    }

    public func removeFromMovies(_ value: Movie) throws {
        try removeMembers([value], forKey: "movies")
    }

    public func removeFromMovies(_ values: Set<Movie>) throws {
        try removeMembers(values, forKey: "movies")
    }
}

// Written by stele model swift from the model Movies: Director.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Director: ManagedObject {}

extension Director {
    public var bornOn: Date? {
        get { attribute(forKey: "bornOn") }
        set { setAttribute(newValue, forKey: "bornOn") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var movies: Set<Movie> {
        get throws { try members(forKey: "movies") }
    }

    public func setMovies(_ values: Set<Movie>) throws {
        try setMembers(values, forKey: "movies")
    }

    public func addToMovies(_ value: Movie) throws {
        try addMembers([value], forKey: "movies")
    }

    public func addToMovies(_ values: Set<Movie>) throws {
        try addMembers(values, forKey: "movies")
    }

    public func removeFromMovies(_ value: Movie) throws {
        try removeMembers([value], forKey: "movies")
    }

    public func removeFromMovies(_ values: Set<Movie>) throws {
        try removeMembers(values, forKey: "movies")
    }
}

// Written by stele model swift from the model Movies: Movie.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Movie: ManagedObject {}

extension Movie {
    public var homepage: URL? {
        get { attribute(forKey: "homepage") }
        set { setAttribute(newValue, forKey: "homepage") }
    }

    public var identifier: UUID? {
        get { attribute(forKey: "identifier") }
        set { setAttribute(newValue, forKey: "identifier") }
    }

    public var isColor: Bool {
        get { attribute(forKey: "isColor") ?? false }
        set { setAttribute(newValue, forKey: "isColor") }
    }

    public var rating: Double? {
        get { attribute(forKey: "rating") }
        set { setAttribute(newValue, forKey: "rating") }
    }

    public var releaseDate: Date? {
        get { attribute(forKey: "releaseDate") }
        set { setAttribute(newValue, forKey: "releaseDate") }
    }

    public var runtime: Int16? {
        get { attribute(forKey: "runtime") }
        set { setAttribute(newValue, forKey: "runtime") }
    }

    public var title: String? {
        get { attribute(forKey: "title") }
        set { setAttribute(newValue, forKey: "title") }
    }

    public var actors: Set<Actor> {
        get throws { try members(forKey: "actors") }
    }

    public func setActors(_ values: Set<Actor>) throws {
        try setMembers(values, forKey: "actors")
    }

    public func addToActors(_ value: Actor) throws {
        try addMembers([value], forKey: "actors")
    }

    public func addToActors(_ values: Set<Actor>) throws {
        try addMembers(values, forKey: "actors")
    }

    public func removeFromActors(_ value: Actor) throws {
        try removeMembers([value], forKey: "actors")
    }

    public func removeFromActors(_ values: Set<Actor>) throws {
        try removeMembers(values, forKey: "actors")
    }

    public var director: Director? {
        get throws { try destination(forKey: "director") }
    }

    public func setDirector(_ value: Director?) throws {
        try setDestination(value, forKey: "director")
    }

    public var studio: Studio? {
        get throws { try destination(forKey: "studio") }
    }

    public func setStudio(_ value: Studio?) throws {
        try setDestination(value, forKey: "studio")
    }
}

// Written by stele model swift from the model Movies: Studio.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Studio: ManagedObject {}

extension Studio {
    public var founded: Int16? {
        get { attribute(forKey: "founded") }
        set { setAttribute(newValue, forKey: "founded") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var website: URL? {
        get { attribute(forKey: "website") }
        set { setAttribute(newValue, forKey: "website") }
    }

    public var movies: Set<Movie> {
        get throws { try members(forKey: "movies") }
    }

    public func setMovies(_ values: Set<Movie>) throws {
        try setMembers(values, forKey: "movies")
    }

    public func addToMovies(_ value: Movie) throws {
        try addMembers([value], forKey: "movies")
    }

    public func addToMovies(_ values: Set<Movie>) throws {
        try addMembers(values, forKey: "movies")
    }

    public func removeFromMovies(_ value: Movie) throws {
        try removeMembers([value], forKey: "movies")
    }

    public func removeFromMovies(_ values: Set<Movie>) throws {
        try removeMembers(values, forKey: "movies")
    }
}

// Written by stele model swift from the model Movies: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum MoviesModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Actor", Actor.self,
            [
                "bornOn": .attribute(.date),
                "homepage": .attribute(.uri),
                "isActive": .attribute(.boolean),
                "name": .attribute(.string),
                "movies": .toMany("Movie"),
            ]),
        TypedEntity(
            "Director", Director.self,
            [
                "bornOn": .attribute(.date),
                "name": .attribute(.string),
                "movies": .toMany("Movie"),
            ]),
        TypedEntity(
            "Movie", Movie.self,
            [
                "homepage": .attribute(.uri),
                "identifier": .attribute(.uuid),
                "isColor": .attribute(.boolean),
                "rating": .attribute(.double),
                "releaseDate": .attribute(.date),
                "runtime": .attribute(.integer16),
                "title": .attribute(.string),
                "actors": .toMany("Actor"),
                "director": .toOne("Director"),
                "studio": .toOne("Studio"),
            ]),
        TypedEntity(
            "Studio", Studio.self,
            [
                "founded": .attribute(.integer16),
                "name": .attribute(.string),
                "website": .attribute(.uri),
                "movies": .toMany("Movie"),
            ]),
    ]
}
