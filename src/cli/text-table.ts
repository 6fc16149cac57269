import { printableLine } from './printable.ts'

/** Rows in aligned columns, two spaces apart; empty when there are no rows. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  return alignColumns([headings, ...rows.map((row) => row.map(printableLine))])
}

/** Rows in aligned columns without a heading. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
