/// Checks of composite types.

extension ModelCheck {
    func checkComposites() {
        var names = Set<String>()
        for composite in model.declaration.composites {
            if !names.insert(composite.name).inserted {
                findings.error(composite.name, "the model has two composites with this name")
                continue
            }
            var own = Set<String>()
            for attribute in composite.attributes {
                let place = "\(composite.name).\(attribute.name)"
                if !own.insert(attribute.name).inserted {
                    findings.error(place, "the composite has two attributes with this name")
                }
                if !Self.isIdentifier(attribute.name) {
                    findings.error(place, "\(quoted(attribute.name)) is not a valid name")
                }
                check(attribute, place)
            }
            if reachesItself(composite.name) {
                findings.error(composite.name, "the composite contains itself")
            }
        }
    }

    func checkCompositeName(of attribute: AttributeDescription, _ place: String) {
        guard let name = attribute.compositeName else {
            findings.error(place, "its type is Composite, but it names no composite")
            return
        }
        let names = model.declaration.composites.map(\.name)
        guard !names.contains(name) else { return }
        let near = Nearest.hint(to: name, among: names)
        findings.error(place, "its composite \(name) is not in the model", hint: near)
    }

    /// Whether a composite contains itself, directly or through another composite.
    private func reachesItself(_ name: String) -> Bool {
        let all = Dictionary(
            model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        var seen = Set<String>()
        var next = [name]
        while let current = next.popLast() {
            for attribute in all[current]?.attributes ?? [] {
                guard let inner = attribute.compositeName else { continue }
                if inner == name { return true }
                if seen.insert(inner).inserted { next.append(inner) }
            }
        }
        return false
    }
}
