/** What is skipped, and a named parameter. */
const tokens = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|:([A-Za-z_]\w*)/g

/**
 * A statement with a `?` in the place of every named parameter, and the names in the order of their places. Node binds a list in a quarter of the time that it takes
 * for an object: 1.3 instead of 5.4 µs for a row of thirteen columns.
 */
export function findPlaces(sql: string): { readonly sql: string; readonly names: readonly string[] } {
  const names: string[] = []
  const placed = sql.replace(tokens, (token, name: string | undefined) => {
    if (name === undefined) return token
    names.push(name)
    return '?'
  })
  return { sql: placed, names }
}
