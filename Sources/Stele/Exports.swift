/// The library: a model, its stores and the object graph over them, by one import.

// The type of a results controller's index paths.
@_exported import struct FoundationEssentials.IndexPath
@_exported import SteleFiles
@_exported import SteleGraph
@_exported import SteleMigration
@_exported import SteleModel
@_exported import SteleModelFiles
@_exported import StelePersistence
@_exported import StelePredicates
@_exported import SteleSQLite
@_exported import SteleTransformers
