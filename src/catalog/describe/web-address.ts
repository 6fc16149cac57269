import { urlToHttpOptions } from 'node:url'

/** Whether a server can be asked at an address. Paths are put behind it; its name and password, where it has them, are taken out of it. */
export function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^?#\\\s]*$/.test(value)) return false
  try {
    return urlToHttpOptions(new URL(value)).hostname !== ''
  } catch {
    return false
  }
}
