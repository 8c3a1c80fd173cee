import Glibc

/// What a path leads to that is not a file.
package enum FileKind {
    /// Returns what a path leads to instead of a file, in words; nil for a file, and where there is
    /// nothing. Opening a named pipe waits for a writer, and opening a device may act on it, so this
    /// is asked before.
    package static func otherThanFile(_ path: String) -> String? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return words(found.st_mode)
    }

    /// Why a file cannot be read, after a colon; empty where it can.
    package static func reason(ofUnreadable path: String) -> String {
        access(path, R_OK) == 0 ? "" : ": " + String(cString: strerror(errno))
    }

    /// What a mode says; nil for a file.
    package static func words(_ mode: mode_t) -> String? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        default: "not a file"
        }
    }
}
