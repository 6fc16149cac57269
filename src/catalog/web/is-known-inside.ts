import { isIP } from 'node:net'

/** A name server that takes longer does not know the name. */
const patienceMs = 3000

/** What is known here of hosts. */
export interface KnownHosts {
  /** Whether an address is plainly not a public one. */
  readonly isPrivateHost: (address: string) => boolean
  /** The addresses of a name, none where it has none or the signal came first. */
  readonly lookUp: (name: string, options: { readonly signal: AbortSignal }) => Promise<readonly string[]>
}

/** Whether a host is an address of a private network, or a name that leads to one as far as this machine knows; one without a dot is nobody else's. */
export async function isKnownInside(
  host: string,
  { isPrivateHost, lookUp }: KnownHosts,
  { signal }: { readonly signal: AbortSignal },
): Promise<boolean> {
  if (isPrivateHost(host)) return true
  if (isIP(host) !== 0) return false
  if (!host.replace(/\.$/, '').includes('.')) return true
  const addresses = await lookUp(host, { signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]) })
  signal.throwIfAborted()
  return addresses.some(isPrivateHost)
}
