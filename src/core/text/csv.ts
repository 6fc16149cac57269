/** A table for spreadsheets (RFC 4180). */
export function csv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** A leading sign would make a spreadsheet run the cell as a formula. */
function cell(value: string | number | null): string {
  const text = typeof value === 'string' ? value.replace(/^(?=[=+@-])/, "'") : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
