// Written by stele model swift from the model Movies: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Actor: ManagedObject {}

nonisolated extension Actor {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var rating: Int16? {
        get { attribute(forKey: "rating") }
        set { setAttribute(newValue, forKey: "rating") }
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

nonisolated extension ObjectKeys where Object == Actor {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var rating: AttributeKey<Int16> { self[attribute: "rating"] }
    public var movies: ToManyKeys<Movie> { self[toMany: "movies"] }
}

public final nonisolated class Movie: ManagedObject {}

nonisolated extension Movie {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var rating: Int16? {
        get { attribute(forKey: "rating") }
        set { setAttribute(newValue, forKey: "rating") }
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

    public var studios: Set<Studio> {
        get throws { try members(forKey: "studios") }
    }

    public func setStudios(_ values: Set<Studio>) throws {
        try setMembers(values, forKey: "studios")
    }

    public func addToStudios(_ value: Studio) throws {
        try addMembers([value], forKey: "studios")
    }

    public func addToStudios(_ values: Set<Studio>) throws {
        try addMembers(values, forKey: "studios")
    }

    public func removeFromStudios(_ value: Studio) throws {
        try removeMembers([value], forKey: "studios")
    }

    public func removeFromStudios(_ values: Set<Studio>) throws {
        try removeMembers(values, forKey: "studios")
    }
}

nonisolated extension ObjectKeys where Object == Movie {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var rating: AttributeKey<Int16> { self[attribute: "rating"] }
    public var actors: ToManyKeys<Actor> { self[toMany: "actors"] }
    public var studios: ToManyKeys<Studio> { self[toMany: "studios"] }
}

public final nonisolated class Studio: ManagedObject {}

nonisolated extension Studio {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var rating: Int16? {
        get { attribute(forKey: "rating") }
        set { setAttribute(newValue, forKey: "rating") }
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

nonisolated extension ObjectKeys where Object == Studio {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var rating: AttributeKey<Int16> { self[attribute: "rating"] }
    public var movies: ToManyKeys<Movie> { self[toMany: "movies"] }
}

public nonisolated enum MoviesModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Movies",
        currentVersion: "Movies",
        versions: [
            #"""
            {
              "name": "Movies",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Actor",
                  "class": "Actor",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "rating",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "movies",
                      "destination": "Movie",
                      "inverse": "actors",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Movie",
                  "class": "Movie",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "rating",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "actors",
                      "destination": "Actor",
                      "inverse": "movies",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "studios",
                      "destination": "Studio",
                      "inverse": "movies",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Studio",
                  "class": "Studio",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "rating",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "movies",
                      "destination": "Movie",
                      "inverse": "studios",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
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
            "Actor", Actor.self,
            [
                "name": .attribute(.string),
                "rating": .attribute(.integer16),
                "movies": .toMany("Movie"),
            ]),
        TypedEntity(
            "Movie", Movie.self,
            [
                "name": .attribute(.string),
                "rating": .attribute(.integer16),
                "actors": .toMany("Actor"),
                "studios": .toMany("Studio"),
            ]),
        TypedEntity(
            "Studio", Studio.self,
            [
                "name": .attribute(.string),
                "rating": .attribute(.integer16),
                "movies": .toMany("Movie"),
            ]),
    ]
}
