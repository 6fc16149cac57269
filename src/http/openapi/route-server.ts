import type { ServiceAddresses } from '../service-addresses.ts'

/** Which of the service's addresses a route belongs to, by the beginning of its path; the public one where none does. */
const owners: readonly (readonly [beginning: string, owner: keyof ServiceAddresses])[] = [
  ['/generate/', 'imageUrl'],
  ['/v1/images/', 'imageUrl'],
  ['/v1/requests', 'asyncUrl'],
  ['/v1/responses/', 'asyncUrl'],
  ['/v1/chat/', 'textUrl'],
  ['/v1/completions', 'textUrl'],
  ['/v1/messages', 'textUrl'],
  ['/v1/responses', 'textUrl'],
  ['/v1/embeddings', 'textUrl'],
  ['/v1/rerank', 'textUrl'],
]

/** The server of a route, as OpenAPI's `servers` wants it; nothing where it is the document's own. */
export function routeServers(path: string, addresses: ServiceAddresses): { readonly servers?: readonly { readonly url: string }[] } {
  const owner = owners.find(([beginning]) => path.startsWith(beginning))?.[1] ?? 'publicUrl'
  const url = addresses[owner]
  return url === addresses.publicUrl ? {} : { servers: [{ url }] }
}
