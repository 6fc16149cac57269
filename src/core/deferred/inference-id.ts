/**
 * Makes the id of an inference: a UUID of version 7. The first 48 bits are the time, which groups records by day; the next twelve are a
 * hash of the account, by which a partitioned store finds the account's part.
 *
 * @param from.uuid A random UUID of version 4; the source of the 62 random bits.
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
  return withMoment(now, `${hashAccount(accountId).toString(16).padStart(3, '0')}-${uuid.slice(19)}`)
}

/**
 * Makes a UUID of version 7 without an account. Random ids would each change another page of an index, and every commit writes changed
 * pages.
 *
 * @param uuid A random UUID of version 4; the source of the 74 random bits.
 * @param now Unix milliseconds.
 */
export function makeOrderedId(uuid: string, now: number): string {
  return withMoment(now, uuid.slice(15))
}

function withMoment(now: number, rest: string): string {
  const moment = momentOfId(now)
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${rest}`
}

/** A lower bound of ids made at a given time or later. */
export function firstIdAt(at: number): string {
  const moment = momentOfId(at)
  return `${moment.slice(0, 8)}-${moment.slice(8)}-0000-0000-000000000000`
}

/** The first twelve hexadecimal digits of ids made at a given time. */
function momentOfId(at: number): string {
  return Math.floor(at).toString(16).padStart(12, '0')
}

const encoder = new TextEncoder()

/** Twelve bits of FNV-1a. */
function hashAccount(accountId: string): number {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(accountId)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return (hash ^ (hash >>> 12) ^ (hash >>> 24)) & 0xfff
}
