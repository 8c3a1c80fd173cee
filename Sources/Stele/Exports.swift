/// The library: a model, its stores and the object graph over them, by one import.

@_exported import SteleFiles
@_exported import SteleGraph
@_exported import SteleMigration
@_exported import SteleModel
@_exported import SteleModelFiles
@_exported import StelePersistence
@_exported import StelePredicates
@_exported import SteleSQLite
@_exported import SteleTransformers
