import { numberFault, readNumber } from './read-number.ts'

/** A sentence for a text that is no seed, or null; an empty one is a seed at random. */
export function seedFault(text: string): string | null {
  return text === '' ? null : numberFault(readNumber(text), { least: 0, most: 2 ** 32 - 1, whole: true })
}
