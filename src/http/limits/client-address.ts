import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * The key under which a client is counted: its IPv4 address, or the first 64 bits of its IPv6 address, because one owner has all 2⁶⁴
 * addresses below. Any other text, which only a trusted proxy can send, counts as one client.
 *
 * @param address As in `request.ip` or a socket.
 */
export function clientAddress(address: string | undefined): string {
  const text = address ?? ''
  if (isIPv4(text)) return text
  if (!isIPv6(text)) return 'unknown'
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  return mapped ?? `${firstHalf(text).join(':')}::/64`
}

function firstHalf(address: string): readonly string[] {
  const [start = '', end] = (address.split('%')[0] ?? '').split('::')
  const groups = start === '' ? [] : start.split(':')
  const last = end === undefined || end === '' ? [] : end.split(':')
  // The two halves of a shortened address make up eight groups; an IPv4 tail counts as two.
  const tail = last.length + (last.at(-1)?.includes('.') === true ? 1 : 0)
  const filled = end === undefined ? groups : [...groups, ...Array<string>(Math.max(0, 8 - groups.length - tail)).fill('0'), ...last]
  return filled.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
}

/** The named ranges. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Makes a test for the addresses of trusted proxies.
 *
 * @param list Addresses, ranges such as `10.0.0.0/8`, and names of ranges.
 */
export function createProxyTrust(list: readonly string[]): (address: string | undefined) => boolean {
  if (list.length === 0) return () => false
  const trusted = new BlockList()
  for (const entry of list.flatMap((name) => ranges[name] ?? [name])) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(prefix), family)
  }
  return (address = '') => {
    const family = isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
