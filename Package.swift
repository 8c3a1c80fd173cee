// swift-tools-version: 6.2
// The target graph of Stele, readable as its architecture: imports run one way, top to bottom.

import PackageDescription

// `make` and the Dockerfile name the commit.
let build = Context.environment["STELE_BUILD"] ?? "development"
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

// A package that takes the library alone resolves no packages of the service.
let service = TargetDependencyCondition.when(traits: ["Service"])

let package = Package(
    name: "Stele",
    products: [
        .executable(name: "stele", targets: ["SteleCommand"]),
        .library(name: "Stele", targets: ["Stele"]),
        .plugin(name: "SteleModelPlugin", targets: ["SteleModelPlugin"]),
        .library(name: "SteleService", targets: ["SteleService"]),
        .library(name: "SteleModel", targets: ["SteleModel"]),
        .library(name: "SteleTransformers", targets: ["SteleTransformers"]),
        .library(name: "StelePredicates", targets: ["StelePredicates"]),
        .library(name: "SteleModelFiles", targets: ["SteleModelFiles"]),
        .library(name: "StelePersistence", targets: ["StelePersistence"]),
        .library(name: "SteleSQLite", targets: ["SteleSQLite"]),
        .library(name: "StelePostgreSQL", targets: ["StelePostgreSQL"]),
        .library(name: "SteleFiles", targets: ["SteleFiles"]),
        .library(name: "SteleMigration", targets: ["SteleMigration"]),
        .library(name: "SteleGraph", targets: ["SteleGraph"]),
    ],
    traits: [
        .default(enabledTraits: ["Service"]),
        .trait(
            name: "Service",
            description: "The service and the command. The library needs neither."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
        // For tests alone.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    // A target names all that it imports: what came by way of another would not be built anew when
    // only that has changed.
    targets: [
        // The C libraries: a module map and a shim each, no logic.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CLinux"),

        // The name of the build.
        .target(
            name: "CBuild", cSettings: [.define("STELE_BUILD", to: "\"\(build)\"")]),

        // The files of the page for browsers.
        .target(name: "CPage", exclude: ["Files"]),

        // Threads, alarms, clocks, queues and mutexes: one place for each.
        .target(name: "SteleSystem", dependencies: ["CLinux"], swiftSettings: settings),

        // On the C libraries alone.
        .target(name: "SteleJSON", dependencies: ["CJansson"], swiftSettings: settings),
        .target(
            name: "SteleHTTP",
            dependencies: ["CMicroHTTPD", "CGnuTLS", "CZlib", "CLinux", "SteleSystem"],
            swiftSettings: settings),

        // Hashes, encryption and signatures.
        .target(name: "SteleCrypto", dependencies: ["CGnuTLS"], swiftSettings: settings),

        // Core Data: the model, the language, the contract of a store, the graph.
        .target(
            name: "SteleModel", dependencies: ["CExpat", "SteleJSON", "SteleSystem"],
            swiftSettings: settings),
        // What makes bytes of Transformable values: archives, encryption.
        .target(
            name: "SteleTransformers",
            dependencies: [
                "SteleModel", "SteleJSON", "SteleCrypto",
            ],
            swiftSettings: settings),
        // ICU, for regular expressions, comes with the toolchain.
        .target(
            name: "StelePredicates",
            dependencies: ["SteleModel", "SteleJSON", "SteleSystem", "CLinux"],
            swiftSettings: settings, linkerSettings: [.linkedLibrary("_FoundationICU")]),
        // Files of models and archived predicates, which need the language.
        .target(
            name: "SteleModelFiles",
            dependencies: ["SteleModel", "StelePredicates", "SteleSystem", "CZlib"],
            swiftSettings: settings),
        .target(
            name: "StelePersistence",
            dependencies: [
                "SteleModel", "SteleModelFiles", "StelePredicates", "SteleCrypto", "SteleSystem",
            ],
            swiftSettings: settings),
        .target(
            name: "SteleGraph",
            dependencies: [
                "SteleModel", "SteleModelFiles", "StelePredicates", "StelePersistence",
                "SteleMigration", "SteleJSON", "SteleSystem",
            ],
            swiftSettings: settings),

        // From one model to another, as a plan. Mapping models are read from files.
        .target(
            name: "SteleMigration",
            dependencies: ["SteleModel", "StelePredicates", "SteleModelFiles", "SteleJSON"],
            swiftSettings: settings),

        // Swift for a model's entities, written over the graph.
        .target(
            name: "SteleCodegen", dependencies: ["SteleModel", "SteleModelFiles"],
            swiftSettings: settings),

        // The same at each build of a target with a model.
        .executableTarget(
            name: "SteleGenerate",
            dependencies: ["SteleCodegen", "SteleModel", "SteleModelFiles", "StelePredicates"],
            swiftSettings: settings),
        .plugin(
            name: "SteleModelPlugin", capability: .buildTool(), dependencies: ["SteleGenerate"]),

        // Stores. Two stores never see each other.
        .target(
            name: "SteleSQL",
            dependencies: [
                "SteleModel", "StelePredicates", "StelePersistence", "SteleMigration", "SteleJSON",
                "SteleSystem",
            ],
            swiftSettings: settings),
        .target(
            name: "SteleSQLite",
            dependencies: [
                "SteleModel", "StelePredicates", "SteleModelFiles", "StelePersistence",
                "SteleMigration", "SteleSQL", "SteleSystem", "CSQLite", "CLinux",
            ],
            swiftSettings: settings),

        .target(
            name: "StelePostgreSQL",
            dependencies: [
                "SteleJSON", "SteleModel", "SteleModelFiles", "StelePredicates",
                "StelePersistence", "SteleMigration", "SteleSQL", "SteleSystem", "CPostgreSQL",
            ],
            swiftSettings: settings),

        .target(
            name: "SteleFiles",
            dependencies: [
                "SteleModel", "SteleModelFiles", "StelePredicates", "StelePersistence",
                "SteleJSON", "SteleSystem", "SteleCrypto", "CLinux",
            ],
            swiftSettings: settings),

        // The library by one import: containers open models and stores.
        .target(
            name: "Stele",
            dependencies: [
                "SteleModel", "SteleModelFiles", "SteleTransformers", "StelePredicates",
                "StelePersistence", "SteleMigration", "SteleGraph", "SteleSQLite", "SteleFiles",
                "SteleSystem",
            ],
            swiftSettings: settings),

        // The service, from text to a decision, from results to bytes, and what follows saves.
        .target(
            name: "SteleRequests",
            dependencies: [
                "SteleModel", "StelePredicates", "StelePersistence", "SteleGraph", "SteleJSON",
                "SteleHTTP", "SteleCrypto", "SteleSystem",
            ],
            swiftSettings: settings),
        .target(
            name: "SteleAnswers",
            dependencies: [
                "SteleRequests", "SteleModel", "StelePredicates", "StelePersistence",
                "SteleGraph", "SteleJSON", "SteleHTTP", "SteleSystem",
            ],
            swiftSettings: settings),
        .target(
            name: "SteleFeed",
            dependencies: [
                "SteleRequests", "SteleAnswers", "SteleModel", "StelePredicates",
                "StelePersistence", "SteleGraph", "SteleJSON", "SteleHTTP", "SteleSystem",
                .product(name: "Logging", package: "swift-log", condition: service),
            ],
            swiftSettings: settings),
        // One road from request to answer.
        .target(
            name: "SteleService",
            dependencies: [
                "SteleRequests", "SteleAnswers", "SteleFeed", "SteleModel", "StelePredicates",
                "StelePersistence", "SteleGraph", "SteleMigration", "SteleJSON", "SteleHTTP",
                "SteleCrypto", "SteleSystem", "CBuild", "CPage",
                .product(name: "Logging", package: "swift-log", condition: service),
            ],
            swiftSettings: settings),
        // The one place that names a concrete store.
        .executableTarget(
            name: "SteleCommand",
            dependencies: [
                "Stele", "SteleModel", "SteleModelFiles", "StelePredicates", "StelePersistence",
                "SteleGraph", "SteleSQLite", "StelePostgreSQL",
                "SteleMigration", "SteleFiles", "SteleTransformers", "SteleCodegen", "SteleJSON",
                "SteleHTTP",
                "SteleRequests", "SteleService", "SteleSystem", "CGnuTLS",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: service),
                .product(name: "Configuration", package: "swift-configuration", condition: service),
                .product(name: "Logging", package: "swift-log", condition: service),
            ],
            swiftSettings: settings),

        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "SteleModel", "SteleModelFiles", "StelePredicates", "StelePersistence",
                "SteleMigration", "SteleGraph", "SteleSQL", "SteleSQLite", "SteleService",
                "SteleSystem", "TestSupport", "StatementTally", "CSQLite", "CJansson", "CLinux",
            ],
            path: "Tests/Benchmarks", swiftSettings: settings),

        // What several test targets share: models, stores, folders, seeded numbers, threads.
        .target(
            name: "TestSupport",
            dependencies: [
                "SteleModel", "SteleModelFiles", "StelePredicates", "StelePersistence",
                "SteleGraph", "SteleSQLite", "StelePostgreSQL",
                "SteleFiles", "SteleCrypto", "SteleSystem", "CSQLite",
            ],
            path: "Tests/TestSupport", swiftSettings: settings),

        // How many statements SQLite runs: for tests and benchmarks.
        .target(
            name: "StatementTally", dependencies: ["CSQLite", "SteleSystem"],
            path: "Tests/StatementTally", swiftSettings: settings),

        // Random predicates on two stores: for a test, and for as long as one likes.
        .target(
            name: "SteleDifferential",
            dependencies: [
                "SteleModel", "StelePredicates", "StelePersistence", "SteleGraph", "SteleSQL",
                "TestSupport",
            ],
            path: "Tests/Differential", swiftSettings: settings),
        .executableTarget(
            name: "Differential", dependencies: ["SteleDifferential", "TestSupport"],
            path: "Tests/DifferentialCommand", swiftSettings: settings),

        // Inputs that nobody would write, on all that reads text from outside.
        .target(
            name: "SteleFuzz",
            dependencies: [
                "SteleModel", "SteleModelFiles", "StelePredicates", "StelePersistence",
                "SteleGraph", "SteleSQLite",
                "SteleFiles", "SteleTransformers", "SteleMigration", "SteleJSON", "SteleHTTP",
                "SteleRequests", "SteleService",
                "SteleDifferential", "TestSupport",
                .product(name: "Logging", package: "swift-log", condition: service),
            ],
            path: "Tests/Fuzz", exclude: ["Corpus"], swiftSettings: settings),
        .executableTarget(
            name: "Fuzz", dependencies: ["SteleFuzz"], path: "Tests/FuzzCommand",
            swiftSettings: settings),

        // Faults of clients and of the machine, on the service as it runs.
        .target(
            name: "SteleFaults", dependencies: ["SteleFuzz", "SteleSystem", "TestSupport"],
            path: "Tests/Faults", swiftSettings: settings),
        .executableTarget(
            name: "Mutate", dependencies: ["SteleFaults"], path: "Tests/MutateCommand",
            swiftSettings: settings),
        .executableTarget(
            name: "Soak", dependencies: ["SteleFaults"], path: "Tests/SoakCommand",
            swiftSettings: settings),

        // Tests: one target for each of ours.
        .testTarget(
            name: "SteleSystemTests", dependencies: ["SteleSystem"], swiftSettings: settings),
        .testTarget(
            name: "SteleModelTests",
            dependencies: ["SteleModel", "SteleModelFiles", "SteleJSON", "TestSupport"],
            exclude: ["Models"],
            swiftSettings: settings),
        .testTarget(
            name: "SteleTransformersTests",
            dependencies: ["SteleTransformers", "SteleModel", "SteleJSON", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SteleJSONTests", dependencies: ["SteleJSON", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SteleCryptoTests", dependencies: ["SteleCrypto"], swiftSettings: settings),
        .testTarget(
            name: "SteleHTTPTests",
            dependencies: ["SteleHTTP", "SteleSystem", "CZlib", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "StelePredicatesTests",
            dependencies: ["StelePredicates", "SteleModel", "SteleModelFiles", "TestSupport"],
            exclude: ["Grammar"],
            swiftSettings: settings),
        .testTarget(
            name: "SteleModelFilesTests",
            dependencies: [
                "SteleModelFiles", "SteleModel", "StelePredicates", "SteleSQLite", "CZlib",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleGraphTests",
            dependencies: [
                "SteleGraph", "StelePersistence", "StelePredicates", "SteleMigration",
                "SteleModel", "SteleModelFiles", "SteleSQLite", "SteleFiles",
                "SteleTransformers", "SteleSystem", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleMigrationTests",
            dependencies: [
                "SteleMigration", "SteleModel", "SteleModelFiles", "StelePredicates", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleCodegenTests",
            dependencies: [
                "SteleCodegen", "Stele", "SteleModel", "SteleModelFiles", "StelePredicates",
                "StelePersistence", "SteleGraph",
                "SteleSQLite", "TestSupport",
            ],
            exclude: ["Golden"],
            swiftSettings: settings),
        .testTarget(
            name: "SteleTests", dependencies: ["Stele", "SteleSystem", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SteleSQLTests",
            dependencies: [
                "SteleSQL", "SteleModel", "StelePredicates", "StelePersistence", "TestSupport",
                "CSQLite",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleSQLiteTests",
            dependencies: [
                "CSQLite", "SteleSQLite", "StelePostgreSQL", "SteleModel", "SteleModelFiles",
                "StelePredicates", "StelePersistence", "SteleGraph", "SteleMigration", "SteleSQL",
                "SteleSystem", "SteleDifferential", "TestSupport", "StatementTally",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StelePostgreSQLTests",
            dependencies: [
                "StelePostgreSQL", "SteleGraph", "SteleModel", "StelePredicates",
                "StelePersistence", "SteleMigration", "SteleSQL", "SteleSystem",
                "SteleDifferential", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleFilesTests",
            dependencies: [
                "SteleFiles", "SteleModel", "StelePredicates", "StelePersistence", "SteleGraph",
                "SteleMigration", "SteleSystem", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleServiceTests",
            dependencies: [
                "SteleService", "SteleFeed", "SteleAnswers", "SteleRequests", "SteleModel",
                "StelePredicates", "StelePersistence", "SteleGraph",
                "SteleSQLite", "SteleTransformers", "SteleJSON", "SteleHTTP", "SteleSystem",
                "TestSupport", "CSQLite",
                .product(name: "Logging", package: "swift-log", condition: service),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleFeedTests",
            dependencies: [
                "SteleService", "SteleFeed", "SteleAnswers", "SteleRequests", "SteleModel",
                "StelePredicates", "StelePersistence", "SteleGraph",
                "SteleSQLite", "SteleJSON", "SteleHTTP", "SteleSystem", "SteleDifferential",
                "SteleMigration", "SteleTransformers", "TestSupport",
                .product(name: "Logging", package: "swift-log", condition: service),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteleCommandTests",
            dependencies: [
                "SteleCommand", "SteleModel", "SteleModelFiles", "StelePredicates",
                "StelePersistence",
                "SteleGraph",
                "SteleSQLite",
                "SteleJSON", "SteleHTTP", "SteleRequests", "SteleAnswers", "SteleFeed",
                "SteleService", "SteleSystem", "SteleDifferential", "TestSupport",
                .product(name: "Logging", package: "swift-log", condition: service),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: service),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
