import type { Agent } from 'node:http'
import type { ForwardProxies } from '../core/outgoing/forward-proxies.ts'
import { createProxyFinder } from './find-proxy.ts'
import { openProxyAgent, type ProxyAgentOptions } from './open-proxy-agent.ts'

/** The way to an address through a proxy. */
export interface ProxyRoute {
  /** Host and port of the proxy, to be shown. */
  readonly proxy: string
  /** Requests with such an agent give their signal as `connectSignal`, too, so that they end while the proxy connects them. */
  readonly openAgent: (options: ProxyAgentOptions) => Agent
}

/** Tells the way to an address; null = directly. */
export type FindRoute = (address: URL) => ProxyRoute | null

/** The ways out that these proxies leave. */
export function createProxyRoutes(proxies: ForwardProxies): FindRoute {
  const find = createProxyFinder(proxies)
  return (address) => {
    const proxy = find(address)
    return proxy && { proxy: proxy.name, openAgent: (options) => openProxyAgent(address.protocol, proxy, options) }
  }
}
