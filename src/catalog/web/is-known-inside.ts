import { lookup } from 'node:dns/promises'

/** A name server that takes longer does not know the name. */
const patienceMs = 3000

/** Whether a host is an address of a private network, or a name that leads to one as far as this machine knows. */
export async function isKnownInside(
  host: string,
  {
    isPrivateHost,
    lookUp = (name) => lookup(name, { all: true }),
  }: {
    readonly isPrivateHost: (host: string) => boolean
    readonly lookUp?: (host: string) => Promise<readonly { readonly address: string }[]>
  },
  { signal }: { readonly signal: AbortSignal },
): Promise<boolean> {
  signal.throwIfAborted()
  const late = Promise.withResolvers<readonly []>()
  const over = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  over.addEventListener('abort', () => late.resolve([]), { once: true })
  const found = await Promise.race([lookUp(host).catch(() => []), late.promise])
  signal.throwIfAborted()
  return [host, ...found.map(({ address }) => address)].some((each) => isPrivateHost(each))
}
