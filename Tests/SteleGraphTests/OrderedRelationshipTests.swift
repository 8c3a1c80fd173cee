// Ordered relationships keep the order that was asked for.

import SteleModel
import StelePersistence
import Testing

@testable import SteleGraph

@Suite struct OrderedRelationshipTests {
    let fixture: Fixture
    let list: ObjectID
    let songs: [ObjectID]

    init() throws {
        fixture = try Fixture.league()
        list = try fixture.insert("Playlist")[0]
        songs = try fixture.insert("Song", count: 4)
        let context = fixture.context()
        try context.get(list).replace("songs", try songs[0...2].map { try context.get($0) })
        try context.save()
    }

    private func stored() throws -> [Int] {
        let keys = try fixture.storedMembers("Playlist.songs", of: list.key)
        return keys.compactMap { key in songs.firstIndex { $0.key == key } }
    }

    @Test func replacingKeepsTheOrderGiven() throws {
        let context = fixture.context()
        try context.get(list).replace("songs", try [3, 0, 2].map { try context.get(songs[$0]) })
        try context.save()
        #expect(try stored() == [3, 0, 2])
    }

    @Test func theSameMembersInAnotherOrderAreAChange() throws {
        let context = fixture.context()
        try context.get(list).replace("songs", try [2, 1, 0].map { try context.get(songs[$0]) })
        let request = try #require(try context.saveRequest())
        #expect(request.changes.count == 1)
        #expect(request.changes[0].changedSlots.isEmpty)
        #expect(request.changes[0].toManys[0].order == [2, 1, 0].map { songs[$0].key })
        try context.save()
        #expect(try stored() == [2, 1, 0])
    }

    @Test func theSameOrderIsNone() throws {
        let context = fixture.context()
        try context.get(list).replace("songs", try [0, 1, 2].map { try context.get(songs[$0]) })
        #expect(!context.hasChanges)
    }

    @Test func aMemberIsInsertedAtItsIndex() throws {
        let context = fixture.context()
        try context.get(list).add("songs", try context.get(songs[3]), at: 1)
        #expect(try context.get(songs[3]).get("playlist")?.objectID == list)
        try context.save()
        #expect(try stored() == [0, 3, 1, 2])
    }

    /// Wherever those stood that were members before.
    @Test func severalStandTogetherFromTheirIndexOn() throws {
        let context = fixture.context()
        let playlist = try context.get(list)
        let some = try [3, 0].map { try context.get(songs[$0]) }
        try playlist.insertMembers(some, forKey: "songs", at: 2)
        #expect(try playlist.keys("songs") == [1, 2, 3, 0].map { songs[$0].key })
        try playlist.insertMembers(some, forKey: "songs", at: 0)
        try context.save()
        #expect(try stored() == [3, 0, 1, 2])
        #expect(throws: TypedObjectError.self) {
            try playlist.insertMembers(some, forKey: "songs", at: 5)
        }
    }

    /// Ten times as many take less than forty times as long, with undo.
    @Test func clearingAnOrderedRelationshipIsLinear() throws {
        func time(_ count: Int) throws -> Duration {
            let fixture = try Fixture.league()
            let context = fixture.coordinator.newContext()
            let list = try context.insert(try fixture.entity("Playlist"))
            let songs = try (0..<count).map { _ in
                try context.insert(try fixture.entity("Song"))
            }
            try list.replace("songs", songs)
            try context.save()
            context.undoManager = UndoManager()
            let taken = try processorTime {
                try list.replace("songs", [])
                try context.undo()
            }
            #expect(try list.keys("songs") == songs.map(\.objectID.key) && !context.hasChanges)
            return taken
        }
        _ = try time(100)
        let (few, many) = (try time(2_000), try time(20_000))
        #expect(many < few * 40, "\(few) and \(many)")
    }

    @Test func aMemberThatIsThereMovesToTheIndex() throws {
        let context = fixture.context()
        try context.get(list).add("songs", try context.get(songs[2]), at: 0)
        try context.save()
        #expect(try stored() == [2, 0, 1])
        #expect(try fixture.version("Song", songs[2].key) == 2)
    }

    @Test func anIndexBeyondTheEndIsTheEnd() throws {
        let context = fixture.context()
        try context.get(list).add("songs", try context.get(songs[3]), at: 99)
        try context.save()
        #expect(try stored() == [0, 1, 2, 3])
    }

    @Test func anAdditionFromTheOtherSideStandsAtTheEndUnread() throws {
        let context = fixture.context()
        try context.get(songs[3]).set("playlist", try context.get(list))
        let place = ToManyID(
            relationship: try fixture.relationship("Playlist.songs").index, owner: list.key)
        #expect(context.toManys[place]?.isFault == true)
        try context.save()
        #expect(try stored() == [0, 1, 2, 3])
    }

    @Test func aMemberRemovedAndAddedAgainStandsAtTheEnd() throws {
        let context = fixture.context()
        let object = try context.get(list)
        _ = try object.keys("songs")
        try object.remove("songs", try context.get(songs[0]))
        try object.add("songs", try context.get(songs[0]))
        try context.save()
        #expect(try stored() == [1, 2, 0])
    }

    @Test func orderedManyToManyIsOrderedOnEachSideByItself() throws {
        let lists = [list] + (try fixture.insert("Playlist"))
        let genres = try fixture.insert("Genre", count: 2)
        let context = fixture.context()
        let objects = try lists.map { try context.get($0) }
        try objects[0].replace("genres", try [1, 0].map { try context.get(genres[$0]) })
        try objects[1].add("genres", try context.get(genres[0]))
        try context.get(genres[0]).add("playlists", objects[1], at: 0)
        try context.save()
        #expect(
            try fixture.storedMembers("Playlist.genres", of: list.key)
                == [genres[1].key, genres[0].key])
        #expect(
            try fixture.storedMembers("Genre.playlists", of: genres[0].key)
                == [lists[1].key, lists[0].key])
    }

    @Test func newMembersAreOrderedAmongThemselves() throws {
        let context = fixture.context()
        let playlist = try context.insert(try fixture.entity("Playlist"))
        let made = try (0..<3).map { _ in try context.insert(try fixture.entity("Song")) }
        try playlist.replace("songs", [made[2], made[0], made[1]])
        try context.save()
        #expect(
            try fixture.storedMembers("Playlist.songs", of: playlist.objectID.key)
                == [made[2], made[0], made[1]].map(\.objectID.key))
    }

    @Test func aRearrangedOrderExpectsTheMembersThatItSaw() throws {
        let early = fixture.context()
        try early.get(list).replace("songs", try [2, 1, 0].map { try early.get(songs[$0]) })
        let request = try #require(try early.saveRequest())
        let late = fixture.context()
        try late.get(songs[3]).set("playlist", try late.get(list))
        try late.save()
        #expect { try fixture.store.save(request) } throws: { error in
            if case StoreError.moved = error { true } else { false }
        }
    }
}
