import { fetchPicture } from '../catalog/web/fetch-picture.ts'
import type { Config } from '../config/settings.ts'
import type { FetchPicture } from '../http/body/fetch-pictures.ts'
import { createProxyRoutes, type FindRoute } from '../outgoing/find-proxy.ts'
import { createProxyFetch } from '../outgoing/proxy-fetch.ts'
import { lookUpName } from '../worker/look-up-name.ts'

/** Connections to configured addresses, direct or through a proxy. */
export interface WaysOut {
  readonly findRoute: FindRoute
  readonly fetch: typeof fetch
}

/** The connections that result from the proxy settings. */
export function findWaysOut({ proxies }: Pick<Config, 'proxies'>): WaysOut {
  const findRoute = createProxyRoutes(proxies)
  return { findRoute, fetch: createProxyFetch(findRoute) }
}

/** What fetches pictures that clients name by their addresses; null = none is fetched. */
export function findPictureFetch({ requests }: Pick<Config, 'requests'>): FetchPicture | null {
  if (!requests.fetchesPictures) return null
  return (address, bounds) => fetchPicture(address, { lookUp: lookUpName }, bounds)
}
