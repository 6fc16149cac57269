import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** Time limit per name server, each of which is asked twice. */
const timeoutMs = 2000

/**
 * Resolves names of client-chosen URLs by querying name servers directly. The system's resolver is unsuitable: a slow name server would
 * block one of the two threads that resolve all names of this process, including the database's, and cannot be cancelled.
 *
 * @param options.servers Absent = the system's name servers.
 * @returns A `lookup` function for connections; every failure is `ENOTFOUND`.
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
