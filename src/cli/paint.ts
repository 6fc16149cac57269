import type { Terminal } from './terminal.ts'

const codes = { bold: 1, dim: 2, red: 31 } as const

/** A text in a style where a person's terminal shows colours, else as it is. */
export function paint({ color }: Pick<Terminal, 'color'>, style: keyof typeof codes, text: string): string {
  return color && text !== '' ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
}
