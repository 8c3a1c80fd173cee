// What is in a folder, to the bytes and times.

import Foundation

/// The files of a folder with their bytes, and the time and identity of the folder and each file.
package struct FolderState: Equatable {
    private var bytes: [String: Data] = [:]
    private var states: [String: [Int]] = [:]

    /// - Parameter ending: that of files which are not compared.
    package init(_ folder: String, except ending: String? = nil) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
            ending.map { !name.hasSuffix($0) } ?? true
        }
        for name in [""] + names {
            let path = name.isEmpty ? folder : folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            states[name] = [
                Int(status.st_ino), Int(status.st_mode), Int(status.st_size),
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            ]
            if status.st_mode & S_IFMT == S_IFREG {
                bytes[name] = try Data(contentsOf: URL(fileURLWithPath: path))
            }
        }
    }

    /// The names of the files.
    package var names: [String] { bytes.keys.sorted() }
}
