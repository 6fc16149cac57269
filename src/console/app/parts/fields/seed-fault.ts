import { numberFault, readNumber } from './read-number.ts'

/** The message for an invalid seed, or null; an empty seed is random. */
export function seedFault(text: string): string | null {
  return text === '' ? null : numberFault(readNumber(text), { least: 0, most: 2 ** 32 - 1, whole: true })
}
