import { hash } from 'node:crypto'

/** An id derived from a name. It has the form of an inference id, because files are stored under such ids. */
export function idFrom(name: string): string {
  const hex = hash('sha256', name)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
