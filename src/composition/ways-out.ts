import type { Config } from '../config/settings.ts'
import { createProxyRoutes, type FindRoute } from '../outgoing/find-proxy.ts'
import { createProxyFetch } from '../outgoing/proxy-fetch.ts'

/** How what the operator names is reached, directly or through a proxy. */
export interface WaysOut {
  readonly findRoute: FindRoute
  readonly fetch: typeof fetch
}

/** The ways that the settings of the proxies leave. */
export function findWaysOut({ proxies }: Pick<Config, 'proxies'>): WaysOut {
  const findRoute = createProxyRoutes(proxies)
  return { findRoute, fetch: createProxyFetch(findRoute) }
}
