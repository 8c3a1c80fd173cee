import StelePersistence

/// A version of Core Data (NSPersistenceFrameworkVersion). The statements of the stores that it
/// makes follow it.
///
/// The stores that were compared claim 637, 1044 and 1344; 847 is the first version that is known
/// to have fetch indexes. Where each other difference began between 637 and 1044 is not known; 847
/// is taken for all of them.
package struct FrameworkVersion: Sendable, Hashable {
    /// NSPersistenceFrameworkVersion.
    package let number: Int64

    package init(_ number: Int64) { self.number = number }

    /// The version that new stores claim, the newest whose statements are known.
    package static let newest = Self(StoreMetadata.newestFrameworkVersion)

    /// The last version before the fetch indexes whose statements are known.
    package static let beforeFetchIndexes = Self(637)

    /// Whether each index of an attribute is a fetch index, uniqueness constraints are indexes, and
    /// the indexes are made before the tables of bookkeeping.
    var hasFetchIndexes: Bool { number >= 847 }
}
