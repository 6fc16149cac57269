/** A statement as the driver takes it: numbered parameters, and a name under which a connection keeps it prepared. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
  /** The parameters' names in the order of their numbers. */
  readonly parameters: readonly string[]
}

const known = new Map<string, NamedStatement>()

/** Turns `:name` into `$1` and so on; the same text is turned once. */
export function nameParameters(sql: string): NamedStatement {
  const found = known.get(sql)
  if (found !== undefined) return found
  const parameters: string[] = []
  const text = sql.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
    const at = parameters.indexOf(name)
    return `$${at < 0 ? parameters.push(name) : at + 1}`
  })
  const statement = { name: `s${known.size}`, text, parameters }
  known.set(sql, statement)
  return statement
}
