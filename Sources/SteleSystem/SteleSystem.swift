// `Mutex` and `Atomic` come from this module: `import SteleSystem`, never `import Synchronization`.
//
// It re-exports the standard library's `Synchronization`, except in a build for the thread
// sanitizer, which cannot see that library's mutex: there `Mutex` is a type of this module with
// the same shape.

@_exported import Synchronization
