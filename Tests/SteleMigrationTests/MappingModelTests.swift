import SteleMigration
import Testing

@Suite struct MappingModelTests {
    @Test func aMappingIsFoundByItsName() {
        let mapping = EntityMapping(
            name: "PersonToHuman", mappingType: .transform, source: "Person", destination: "Human")
        let model = MappingModel([mapping])
        #expect(model.mapping(named: "PersonToHuman") == mapping)
        #expect(model.mapping(named: "HumanToPerson") == nil)
    }
}
