import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** Wait for a name server, of which each is asked twice. */
const timeoutMs = 2000

/**
 * Looks names up at name servers, for addresses that clients chose. The system's own look-up is for others: it holds one of the two threads by which
 * this process finds every name, its database's among them, for as long as somebody's name server says nothing, and cannot be called off.
 *
 * @param options.servers Absent = those of the system.
 * @returns What a connection looks names up by; every failure is `ENOTFOUND`.
 */
export function lookUpName({ signal, servers }: { readonly signal: AbortSignal; readonly servers?: readonly string[] }): LookupFunction {
  return (hostname, { all = false }, callback) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    const found = Promise.all([
      resolver.resolve4(hostname).then((addresses) => addresses.map((address) => ({ address, family: 4 })), none),
      resolver.resolve6(hostname).then((addresses) => addresses.map((address) => ({ address, family: 6 })), none),
    ])
    void found.then((both) => {
      signal.removeEventListener('abort', cancel)
      const addresses = both.flat()
      const [first] = addresses
      if (first === undefined) callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), '')
      else if (all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function none(): [] {
  return []
}
