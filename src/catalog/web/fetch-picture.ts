import type { LookupFunction } from 'node:net'
import { ServiceError } from '../../core/error.ts'
import type { Abortable } from '../../core/waiting.ts'
import { fetchPublic, PrivateAddress } from './fetch-public.ts'

/** Longest wait for one picture, redirects included. */
const timeoutMs = 15_000

/** What bounds one picture from the web. */
export interface PictureBounds {
  /** Called with the bytes of each piece that arrives; what it throws ends the download. */
  readonly onBytes: (count: number) => void
  readonly signal: AbortSignal
}

/**
 * Fetches a picture from an address that a client chose, by http or https and from public addresses only. Each address is checked when the connection is
 * made, on the resolved IP, at every redirect again.
 *
 * @param rules.trustedHosts Hosts that may be in a private network; absent = none.
 * @param rules.lookUp Looks up the names of hosts, for one picture.
 * @throws {ServiceError} `invalid_request_error` whose message is the end of a sentence about the address.
 */
export async function fetchPicture(
  address: string,
  { trustedHosts = [], lookUp }: { readonly trustedHosts?: readonly string[]; readonly lookUp: (options: Abortable) => LookupFunction },
  { onBytes, signal }: PictureBounds,
): Promise<Buffer> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const rules = { trustedHosts, silenceMs: timeoutMs, allowsPlain: true, lookup: lookUp({ signal: bounded }) }
  const explain = (status: number): string => `its server answered ${status}`
  const pieces: Buffer[] = []
  try {
    const response = await fetchPublic({ address: new URL(address), from: 0 }, rules, { signal: bounded, explain })
    for await (const piece of response) {
      onBytes(piece.length)
      pieces.push(piece)
    }
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('invalid_request_error', `cannot be fetched: ${describe(cause, bounded)}.`, { cause })
  }
  return Buffer.concat(pieces)
}

/** A private address and a name that nobody has end alike: the difference would reveal the names of the operator's network. */
function describe(cause: unknown, { aborted }: AbortSignal): string {
  if (aborted) return `its server took longer than ${timeoutMs / 1000} s`
  if (!(cause instanceof Error)) return 'its server cannot be reached'
  if (cause.message.startsWith('its server answered')) return cause.message
  if (cause instanceof PrivateAddress || isUnresolved(cause.cause)) return 'it has no public address'
  return 'its server cannot be reached'
}

function isUnresolved(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND'
}
