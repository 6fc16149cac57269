import type { Terminal } from './terminal.ts'

/** Control characters except line breaks, and those that change the text direction: in a terminal they could hide or forge output. */
const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Removes control characters from untrusted text, such as names and server answers. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' ? character : written(character)))
}

/** As {@link printable}, on one line. */
export function printableLine(text: string): string {
  return text.replace(unprintable, written)
}

function written(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}

const codes = { bold: 1, dim: 2, red: 31 } as const

/** Styles a text if the terminal supports colours. */
export function paint({ color }: Pick<Terminal, 'color'>, style: keyof typeof codes, text: string): string {
  return color && text !== '' ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
}

/** Formats rows in aligned columns, two spaces apart; empty without rows. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  return alignColumns([headings, ...rows.map((row) => row.map(printableLine))])
}

/** Formats rows in aligned columns without a heading. */
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

/** Formats Unix milliseconds as `2026-11-21T12:00:00Z`; null stays null. */
export function isoTime(time: number): string
export function isoTime(time: number | null): string | null
export function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}
