import type { ForwardProxy } from '../core/outgoing/forward-proxies.ts'
import { ProxyFault, settingOf, wantsLogin } from '../core/outgoing/proxy-fault.ts'

/** Which proxy was asked for which server. */
interface Asked {
  readonly proxy: ForwardProxy
  /** Host and port. */
  readonly target: string
}

/** What kept a proxy from letting somebody through to an address of this protocol, with its name and what to do. */
export function describeFault(error: Error, { proxy: { name }, target, protocol }: Asked & { readonly protocol: string }): ProxyFault {
  const [code, status] = ['code' in error ? error.code : undefined, 'statusCode' in error ? error.statusCode : undefined]
  if (status === 407) return wantsLogin(name, protocol)
  if (status !== undefined) return new ProxyFault(`The proxy ${name} answered ${status} to a request for ${target}; check its log.`)
  if (code === 'ERR_PROXY_TUNNEL') return new ProxyFault(`The proxy ${name} closed the connection to ${target}; check its log.`)
  const why = code ?? error.message
  return new ProxyFault(`The proxy ${name} cannot be reached (${why}); check that it runs, or correct ${settingOf(protocol)}.`)
}

/** A proxy through which the server was not there in time, whichever of them it is that says nothing. */
export function tookTooLong(connectMs: number, { proxy: { name }, target }: Asked): ProxyFault {
  return new ProxyFault(`The proxy ${name} did not connect to ${target} within ${connectMs / 1000} s; check its log.`)
}
