// swift-tools-version: 6.2
// A package of its own, so that GRDB is not a dependency of Stele.

import PackageDescription

let package = Package(
    name: "GRDBComparison",
    dependencies: [
        .package(name: "stele", path: "../..", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "GRDBComparison",
            dependencies: [
                .product(name: "Stele", package: "stele"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            exclude: ["Books.xcdatamodeld"],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")],
            plugins: [.plugin(name: "SteleModelPlugin", package: "stele")])
    ],
    swiftLanguageModes: [.v6]
)
