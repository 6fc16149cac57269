import type { Config } from '../config/settings.ts'
import { createProxyRoutes, type FindRoute } from '../outgoing/find-proxy.ts'
import { createProxyFetch } from '../outgoing/proxy-fetch.ts'

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
