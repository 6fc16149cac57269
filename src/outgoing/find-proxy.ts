import type { Agent } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { ForwardProxies, ForwardProxy } from '../core/outgoing/forward-proxies.ts'
import { openProxyAgent, type ProxyAgentOptions } from './open-proxy-agent.ts'

/** Whether a host, in lower case, and its port are meant. */
type Matcher = (host: string, port: string) => boolean

/**
 * Tells which proxy an address is reached through; null = none. What is on this machine never goes through one.
 *
 * Exceptions are read as curl does: `*` is every host, a name means what is below it too, with or without a dot or `*.` before it,
 * addresses may be ranges (10.0.0.0/8), and a port behind it limits it to that port.
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
  // Of IPv6 only an address in brackets can have a port.
  const [, written = text, port = null] = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? /^([^:]*):(\d+)$/.exec(text) ?? []
  const name = written.replace(/^\*?\./, '').replace(/\.$/, '')
  if (name === '') return () => false
  const isMeant = isIP(name.replace(/\/\d+$/, '')) === 0 ? isBelow(domainToASCII(name) || name) : isWithin(name)
  return (host, usedPort) => (port === null || port === usedPort) && isMeant(host)
}

/** Whether a host has this name, or one below it. */
function isBelow(name: string): (host: string) => boolean {
  return (host) => host === name || host.endsWith(`.${name}`)
}

/** Whether a host is an address within one of these ranges; what is no range holds nothing. */
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
