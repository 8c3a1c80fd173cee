// provisional
import CSQLite
enum TextFunctions {
    enum K { case contains, beginsWith, endsWith, like }
    static func fold(_ c: OpaquePointer?, _ a: SQLArguments?) { sqlite3_result_null(c) }
    static func compare(_ c: OpaquePointer?, _ a: SQLArguments?, _ k: K) { sqlite3_result_null(c) }
}
