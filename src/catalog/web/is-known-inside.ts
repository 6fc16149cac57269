import { lookup } from 'node:dns/promises'

/** A name server that takes longer does not know the name. */
const patienceMs = 3000

/** Whether a host is an address of a private network, or a name that leads to one as far as this machine knows. */
export async function isKnownInside(
  host: string,
  { isPrivateHost }: { readonly isPrivateHost: (host: string) => boolean },
  { signal }: { readonly signal: AbortSignal },
): Promise<boolean> {
  const late = new Promise<readonly []>((resolve) => {
    AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]).addEventListener('abort', () => resolve([]), { once: true })
  })
  const found = await Promise.race([lookup(host, { all: true }).catch(() => []), late])
  signal.throwIfAborted()
  return [host, ...found.map(({ address }) => address)].some((each) => isPrivateHost(each))
}
