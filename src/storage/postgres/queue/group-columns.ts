type Columns = Readonly<Record<string, readonly unknown[]>>

/**
 * The columns of a group as `unnest` takes them: it fills those that end early with null, so one that holds nothing else is sent empty. The first must hold something
 * in every row.
 */
export function groupColumns(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.every(isNothing) ? [] : values]))
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}
