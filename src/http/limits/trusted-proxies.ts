import { BlockList, isIP } from 'node:net'

/** What the names of ranges stand for. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Tells whether an address is that of a proxy in the list: addresses, ranges such as `10.0.0.0/8`, and names of ranges. */
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
