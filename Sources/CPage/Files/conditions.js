// Conditions of predicates, written as the service reads them.

/**
 * A value that the service gave, as a literal.
 * @param isNumber whether a text holds the digits of a number
 */
export function literal(value, isNumber = false) {
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'boolean') return value ? 'YES' : 'NO'
  return typeof value === 'number' || isNumber ? String(value) : JSON.stringify(value)
}

/** The predicate of those objects of `where` that satisfy a condition without OR as well. */
export function both(where, condition) {
  if (!where || !condition) return where || condition
  return `${/\bor\b|\|\|/i.test(where) ? `(${where})` : where} AND ${condition}`
}
