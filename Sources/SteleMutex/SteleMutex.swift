// The one door to `Mutex` and `Atomic`: `import SteleMutex`, never `import Synchronization`.
//
// What is behind it is the standard library's `Synchronization`, except in a build for the thread
// sanitizer, which cannot see that library's mutex and is given one of ours of the same shape.

@_exported import Synchronization
