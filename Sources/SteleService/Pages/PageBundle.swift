/// The modules and the styles of the page, each joined into one file.

/// Joins files of the page, so that a browser requests one file and not a hundred.
///
/// A module becomes a function that is called when it is first imported. So each keeps its own names
/// and is evaluated once, as the browser's own loader does it. The forms of imports and exports are
/// those that the page uses; another one ends the program, which a test of the real files finds.
struct PageBundle {
    private let files: [String: String]
    private var parts: [String] = []
    /// Whether a module is in the bundle; false while its imports are joined.
    private var isJoined: [String: Bool] = [:]
    /// Modules that others import when they are called, and not before.
    private var later: [String] = []

    /// A module with all that it imports, as one module.
    static func script(_ path: String, of files: [String: String]) -> String {
        var bundle = PageBundle(files)
        bundle.join(path)
        while let path = bundle.later.popLast() { bundle.join(path) }
        return """
            const $modules = {
            \(bundle.parts.joined(separator: ",\n"))
            }
            const $made = {}
            const $import = path => $made[path] ??= $modules[path]()
            const $later = async path => $import(path)
            $import('\(path)')

            """
    }

    /// A style sheet with those that it imports in their places.
    static func style(_ path: String, of files: [String: String]) -> String {
        PageBundle(files).lines(of: path).map { line in
            guard let match = line.wholeMatch(of: /@import '(.+)';/) else { return String(line) }
            return style(resolved(match.1, from: path), of: files)
        }.joined(separator: "\n")
    }

    private init(_ files: [String: String]) { self.files = files }

    private func lines(of path: String) -> [Substring] {
        guard let text = files[path] else { preconditionFailure("the page has no file \(path)") }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private mutating func join(_ path: String) {
        if let isJoined = isJoined[path] {
            precondition(isJoined, "the page's module \(path) imports itself")
            return
        }
        isJoined[path] = false
        var names: [Substring] = []
        let body = lines(of: path).map { line -> String in
            if line.hasPrefix("import ") { return imported(line, from: path) }
            if line.hasPrefix("export ") {
                let declared = line.dropFirst("export ".count)
                names.append(Self.name(in: declared, path))
                return String(declared)
            }
            // Most lines import nothing, and matching each takes long.
            guard line.utf8.firstRange(of: "import('.".utf8) != nil else { return String(line) }
            return String(line).replacing(/import\('(\..+?)'\)/) { match in
                let other = Self.resolved(match.1, from: path)
                later.append(other)
                return "$later('\(other)')"
            }
        }
        parts.append(
            """
            '\(path)'() {
            \(body.joined(separator: "\n"))
            return {\(names.joined(separator: ", "))}
            }
            """)
        isJoined[path] = true
    }

    /// The declaration of an import, whose module is joined first.
    private mutating func imported(_ line: Substring, from path: String) -> String {
        guard let match = line.wholeMatch(of: /import (?:(\{[\w, ]+\}) from )?'(\..+)'/) else {
            preconditionFailure("an import of an unknown form in \(path): \(line)")
        }
        let other = Self.resolved(match.2, from: path)
        join(other)
        return (match.1.map { "const \($0) = " } ?? "") + "$import('\(other)')"
    }

    /// The name that an exported declaration gives.
    private static func name(in declaration: Substring, _ path: String) -> Substring {
        let form = /(?:(?:async )?function\*?|class|const) (\w+)\b.*/
        guard let match = declaration.wholeMatch(of: form) else {
            preconditionFailure("an export of an unknown form in \(path): \(declaration)")
        }
        return match.1
    }

    /// The path that a relative one names.
    private static func resolved(_ relative: Substring, from path: String) -> String {
        var folders = path.split(separator: "/").dropLast()
        for step in relative.split(separator: "/") where step != "." {
            if step == ".." { folders = folders.dropLast() } else { folders.append(step) }
        }
        return folders.joined(separator: "/")
    }
}
