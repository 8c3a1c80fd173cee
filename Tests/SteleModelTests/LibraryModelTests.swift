// A model with every kind of property, read whole.

import SteleModel
import Testing

@Suite("The Library model")
struct LibraryModelTests {
    @Test("The versions are read, and the chosen one is the current one")
    func versions() throws {
        let file = try Samples.library()
        #expect(file.notes.isEmpty)
        #expect(file.versions.map(\.name) == ["Library", "Library 2"])
        #expect(file.currentVersionName == "Library 2")
        #expect(file.current.versionIdentifier == "2")
        #expect(
            file.current.toolAttributes.map(\.key) == [
                "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
            ])
        for version in file.versions { _ = try Model(version) }
    }

    @Test("A version of an older Xcode is read")
    func olderVersion() throws {
        let first = try Samples.library().versions[0]
        let book = try first.entity("Book")
        #expect(book.compoundIndexes == [["title", "isbn"]])
        #expect(try book.attribute("isbn").isIndexed && book.attribute("isbn").isSyncable)
        #expect(try book.attribute("isbn").renamingIdentifier == "number")
        #expect(try book.attribute("withdrawn").defaultValue == .bool(false))
        #expect(try first.entity("Shelf").uniquenessConstraints == [["floor", "letter"]])
        #expect(try !first.entity("Shelf").relationship("books").isOptional)
    }

    @Test("Entities have their class, parent, constraints, indexes and user info")
    func entities() throws {
        let model = try Samples.library().current
        #expect(model.entities.count == 6)
        #expect(try model.entity("Author").codeGenerationType == .class)
        #expect(try model.entity("Author").userInfo == [.init(key: "plural", value: "authors")])
        let book = try model.entity("Book")
        #expect(book.codeGenerationType == .category)
        #expect(book.parentName == "Item" && book.renamingIdentifier == "Volume")
        let item = try model.entity("Item")
        #expect(item.isAbstract && item.managedObjectClassName == "Lending.Item")
        #expect(item.uniquenessConstraints == [["barcode"]])
        #expect(item.fetchIndexes.map(\.name) == ["byTitle"])
        #expect(item.fetchIndexes[0].elements.map(\.propertyName) == ["title", "addedAt"])
        #expect(item.fetchIndexes[0].elements.map(\.isAscending) == [true, false])
        #expect(model.configurations.map(\.name) == ["Lending"])
        #expect(model.configurations[0].entityNames == ["Loan", "Reader"])
    }

    @Test("Attributes of each type have their default, bounds and flags")
    func attributes() throws {
        let model = try Samples.library().current
        let (book, item) = (try model.entity("Book"), try model.entity("Item"))
        let (loan, reader) = (try model.entity("Loan"), try model.entity("Reader"))
        #expect(try book.attribute("cover").type == .binary)
        #expect(try book.attribute("cover").allowsExternalBinaryDataStorage)
        #expect(try book.attribute("cover").userInfo.map(\.value) == ["image/jpeg"])
        #expect(try book.attribute("loanCount").derivationExpression == "loans.@count")
        #expect(try book.attribute("sortTitle").derivationExpression == "canonical:(title)")
        #expect(try book.attribute("pages").defaultValue == .int(0))
        #expect(try item.attribute("addedAt").usesScalarValueType == false)
        #expect(try item.attribute("barcode").regularExpression == "[0-9]{8}")
        #expect(try item.attribute("onLoan").isTransient)
        #expect(try item.attribute("price").defaultValue == .decimal(0))
        #expect(try item.attribute("price").minimum == .decimal(0))
        #expect(try !item.attribute("title").isOptional)
        #expect(try item.attribute("title").defaultValue == .null)
        #expect(try loan.attribute("id").type == .uuid)
        #expect(try loan.attribute("id").preservesValueInHistoryOnDeletion)
        #expect(try loan.attribute("notes").valueTransformerName == "NotesTransformer")
        #expect(try loan.attribute("notes").customClassName == "[String]")
        #expect(try loan.attribute("receipt").type == .uri)
        #expect(try loan.attribute("renewals").userInfo.map(\.key) == ["most", "unit"])
        #expect(try reader.attribute("fine").defaultValue == .double(0))
        #expect(try reader.attribute("number").usesScalarValueType == true)
    }

    @Test("Relationships and fetched properties have their destination and rule")
    func relationships() throws {
        let model = try Samples.library().current
        let loans = try model.entity("Reader").relationship("loans")
        #expect(loans.isToMany && loans.isOrdered && loans.isOptional)
        #expect(loans.maximumCount == 20 && loans.deleteRule == .deny)
        #expect(loans.inverseName == "reader" && loans.inverseEntityName == "Loan")
        let item = try model.entity("Loan").relationship("item")
        #expect(!item.isToMany && !item.isOptional && item.maximumCount == 1)
        #expect(try model.entity("Item").relationship("loans").deleteRule == .cascade)
        guard case .fetchedProperty(let fetched)? = try model.entity("Reader").properties.last
        else {
            Issue.record("the last property is not the fetched one")
            return
        }
        #expect(fetched.name == "newBooks" && fetched.request.entityName == "Book")
        #expect(fetched.request.predicateFormat == "loanCount == 0")
        #expect(fetched.userInfo == [.init(key: "screen", value: "start")])
    }

    @Test("Fetch request templates have their predicate, result type and flags")
    func templates() throws {
        let templates = try Samples.library().current.fetchRequestTemplates
        #expect(templates.map(\.name) == ["BookIDs", "DueLoans", "Titles"])
        #expect(templates.map(\.resultType) == [.objectIDs, .objects, .dictionaries])
        #expect(templates[1].predicateFormat == "dueAt < $DUE")
        #expect(templates[1].returnsDistinctResults && templates[1].includesSubentities)
        #expect(!templates[0].returnsDistinctResults)
        #expect(templates[2].predicateFormat == nil)
    }

    @Test("Entities are numbered by family, and a chain of three inherits slots and constraints")
    func families() throws {
        let model = try Samples.library().model()
        #expect(
            model.entities.map(\.name) == ["Author", "Item", "Book", "RareBook", "Loan", "Reader"])
        let item = try #require(model.entity(named: "Item"))
        let rare = try #require(model.entity(named: "RareBook"))
        #expect(item.subtree == 1..<4)
        #expect(model.root(of: rare).name == "Item")
        #expect(Array(rare.slots.map(\.name).prefix(item.slots.count)) == item.slots.map(\.name))
        #expect(rare.uniquenessConstraints == [["barcode"]])
        let loans = try #require(rare.relationship(named: "loans"))
        #expect(model.inverse(of: loans)?.owner == model.entity(named: "Loan")?.index)
    }
}
