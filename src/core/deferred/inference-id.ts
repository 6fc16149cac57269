/**
 * The id of a new inference: a UUID of version 7, whose first 48 bits are the moment (so that records lie together by day) and whose
 * next twelve are a hash of the account (so that a store of several parts finds the account's).
 *
 * @param from.uuid A random UUID of version 4; it gives the 62 bits that nobody guesses.
 * @param from.now Unix milliseconds.
 */
export function makeInferenceId({
  uuid,
  accountId,
  now,
}: {
  readonly uuid: string
  readonly accountId: string
  readonly now: number
}): string {
  const moment = momentOfId(now)
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${hashAccount(accountId).toString(16).padStart(3, '0')}-${uuid.slice(19)}`
}

/** How the ids of a moment begin: twelve hexadecimal digits. */
export function momentOfId(at: number): string {
  return Math.floor(at).toString(16).padStart(12, '0')
}

const encoder = new TextEncoder()

/** Twelve bits of FNV-1a. */
function hashAccount(accountId: string): number {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(accountId)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return (hash ^ (hash >>> 12) ^ (hash >>> 24)) & 0xfff
}
