/// A day of the proleptic Gregorian calendar, and its number counted from 2001-01-01.
struct CivilDate: Equatable {
    var year: Int64
    var month: Int64
    var day: Int64

    // Years are counted from March, so that the leap day is the last day of its year, and in eras
    // of 400 years, after which the calendar repeats.
    private static let daysOfEra: Int64 = 146_097
    /// Days from 0000-03-01 to 2001-01-01.
    private static let dayOf2001: Int64 = 730_791
}

extension CivilDate {
    init(daysSince2001 days: Int64) {
        let shifted = days + Self.dayOf2001
        let era = floorDivide(shifted, Self.daysOfEra)
        let dayOfEra = shifted - era * Self.daysOfEra
        // Removes leap days: one after 1460 days, none every 36524, one again at 146096.
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The number of days after 2001-01-01.
    var daysSince2001: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.dayOf2001
    }

    /// The number of days in a month; 0 for a month that does not exist.
    static func days(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 1, 3, 5, 7, 8, 10, 12: 31
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 0
        }
    }
}

/// The quotient rounded down, so that the remainder is never negative.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
