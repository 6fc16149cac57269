import type { Agent } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { ForwardProxies, ForwardProxy } from '../core/outgoing/forward-proxies.ts'
import { openProxyAgent, type ProxyAgentOptions } from './open-proxy-agent.ts'

/** Whether a host (in lower case) and port match. */
type Matcher = (host: string, port: string) => boolean

/**
 * Creates a function that finds the proxy for a URL; null = direct. Loopback addresses are always direct.
 *
 * Exceptions follow curl: `*` matches every host, a name includes its subdomains, with or without a leading dot or `*.`, addresses may be
 * ranges (10.0.0.0/8), and a port restricts a match to that port.
 */
export function createProxyFinder({ http, https, exceptions }: ForwardProxies): (address: URL) => ForwardProxy | null {
  const matchers = [isLoopback, ...exceptions.map(readException)]
  return ({ protocol, hostname, port }) => {
    const proxy = protocol === 'https:' ? https : protocol === 'http:' ? http : null
    if (proxy === null) return null
    const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
    const usedPort = port || (protocol === 'https:' ? '443' : '80')
    return matchers.some((matches) => matches(host, usedPort)) ? null : proxy
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || loopback(host)
}

const loopback = isWithin('127.0.0.0/8', '::1/128')

function readException(text: string): Matcher {
  if (text === '*') return () => true
  // Only bracketed IPv6 addresses can have a port.
  const [, written = text, port = null] = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? /^([^:]*):(\d+)$/.exec(text) ?? []
  const name = written.replace(/^\*?\./, '').replace(/\.$/, '')
  if (name === '') return () => false
  const isMeant = isIP(name.replace(/\/\d+$/, '')) === 0 ? isBelow(domainToASCII(name) || name) : isWithin(name)
  return (host, usedPort) => (port === null || port === usedPort) && isMeant(host)
}

/** Whether a host has this name or is a subdomain of it. */
function isBelow(name: string): (host: string) => boolean {
  return (host) => host === name || host.endsWith(`.${name}`)
}

/** Whether a host is an address in one of these ranges; invalid ranges match nothing. */
function isWithin(...ranges: readonly string[]): (host: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', written] = range.split('/')
    const most = isIP(address) === 4 ? 32 : 128
    const bits = Number(written ?? most)
    if (bits <= most) list.addSubnet(address, bits, most === 32 ? 'ipv4' : 'ipv6')
  }
  return (host) => {
    const family = isIP(host)
    return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6')
  }
}

/** The route to a URL through a proxy. */
export interface ProxyRoute {
  /** Host and port of the proxy, safe to show. */
  readonly proxy: string
  /** Requests must pass their signal as `connectSignal` too, to abort while connecting. */
  readonly openAgent: (options: ProxyAgentOptions) => Agent
}

/** Finds the route to a URL; null = direct. */
export type FindRoute = (address: URL) => ProxyRoute | null

/** Creates routes for the given proxies. */
export function createProxyRoutes(proxies: ForwardProxies): FindRoute {
  const find = createProxyFinder(proxies)
  return (address) => {
    const proxy = find(address)
    return proxy && { proxy: proxy.name, openAgent: (options) => openProxyAgent(address.protocol, proxy, options) }
  }
}
