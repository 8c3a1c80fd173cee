import SteleModel
import StelePersistence

/// Which destination objects an entity mapping made of which source objects.
///
/// Objects that are made in the order of their sources get consecutive keys, so most associations
/// are runs: a million of them may be one run.
final class MigrationAssociations {
    /// A destination object: its concrete entity and its key.
    struct Target: Hashable {
        var entity: Int
        var key: Int64
    }

    private struct Run {
        var source: Int64
        var destination: Int64
        var count: Int32
        var entity: Int32
    }

    /// By ascending source key, without overlap.
    private var runs: [Run] = []
    /// Associations that came out of order, or of a source that had one already.
    private var others: [Run] = []
    private var areSorted = true
    /// The length of the longest run.
    private var longest: Int32 = 1
    /// All by ascending destination key, made when first needed.
    private var byDestination: [Run]?

    /// The number of associations.
    private(set) var count = 0

    /// Associates a source object with a destination object.
    func add(_ source: Int64, _ target: Target) {
        count += 1
        byDestination = nil
        let one = Run(
            source: source, destination: target.key, count: 1, entity: Int32(target.entity))
        guard let last = runs.last else { return runs.append(one) }
        let end = last.source + Int64(last.count)
        if source < end {
            others.append(one)
            areSorted = false
        } else if source == end, last.destination + Int64(last.count) == target.key,
            last.entity == one.entity, last.count < .max
        {
            runs[runs.count - 1].count += 1
            longest = max(longest, last.count + 1)
        } else {
            runs.append(one)
        }
    }

    /// Returns the destination objects of a source object, in the order of their association.
    func targets(of source: Int64) -> [Target] {
        var found: [Target] = []
        if let run = run(covering: source) {
            found.append(Self.target(run, run.destination + (source - run.source)))
        }
        if others.isEmpty { return found }
        if !areSorted {
            others.sort { $0.source < $1.source }
            areSorted = true
        }
        for run in others[others.firstPlace { $0.source >= source }...] {
            guard run.source == source else { break }
            found.append(Self.target(run, run.destination))
        }
        return found
    }

    /// Returns the first destination object of a source object; nil if there is none.
    func first(of source: Int64) -> Target? {
        guard let run = run(covering: source) else {
            return others.isEmpty ? nil : targets(of: source).first
        }
        return Self.target(run, run.destination + (source - run.source))
    }

    /// Returns the keys of the source objects of a destination object, given its root's subtree.
    func sources(of key: Int64, _ family: Range<Int>) -> [Int64] {
        if byDestination == nil {
            byDestination = (runs + others).sorted { $0.destination < $1.destination }
        }
        let all = byDestination ?? []
        var found: [Int64] = []
        // Objects of other roots, and an object made of several, may have the same key.
        var place = all.firstPlace { $0.destination > key }
        while place > 0 {
            place -= 1
            let run = all[place]
            let offset = key - run.destination
            if offset < Int64(run.count), family.contains(Int(run.entity)) {
                found.append(run.source + offset)
            } else if offset >= Int64(longest) {
                break
            }
        }
        return found.reversed()
    }

    private func run(covering source: Int64) -> Run? {
        let place = runs.firstPlace { $0.source > source }
        guard place > 0 else { return nil }
        let run = runs[place - 1]
        return source - run.source < Int64(run.count) ? run : nil
    }

    private static func target(_ run: Run, _ key: Int64) -> Target {
        Target(entity: Int(run.entity), key: key)
    }
}

/// Associations with objects that are not saved yet, whose keys are not known.
struct PendingAssociations {
    private struct Source: Hashable {
        var step: Int
        var key: Int64
    }

    /// In the order of their addition.
    private(set) var all: [(step: Int, source: Int64, object: ManagedObject)] = []
    private var bySource: [Source: [ManagedObject]] = [:]
    private var byObject: [ObjectIdentifier: [Source]] = [:]

    mutating func add(_ object: ManagedObject, of source: Int64, by step: MigrationStep) {
        let its = Source(step: step.index, key: source)
        all.append((step.index, source, object))
        bySource[its, default: []].append(object)
        byObject[ObjectIdentifier(object), default: []].append(its)
    }

    func objects(of source: Int64, by step: MigrationStep) -> [ManagedObject] {
        bySource[Source(step: step.index, key: source)] ?? []
    }

    func sources(of object: ManagedObject, by step: MigrationStep) -> [Int64] {
        (byObject[ObjectIdentifier(object)] ?? []).filter { $0.step == step.index }.map(\.key)
    }
}
