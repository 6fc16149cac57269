type Columns = Readonly<Record<string, readonly unknown[]>>

/**
 * Columns of a group for `unnest`. It pads short columns with null, so that columns of nulls are sent empty. The first column must not
 * contain null.
 */
export function groupColumns(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.every(isNothing) ? [] : values]))
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}
