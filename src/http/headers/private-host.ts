import { BlockList, isIP } from 'node:net'

/**
 * Address ranges that are not public: this machine, its network, or unassigned.
 *
 * @see RFC 6890
 */
const ranges = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  ranges.addSubnet(net, prefix, 'ipv4')
  // The same addresses behind an IPv6 gateway (RFC 6052) and behind 6to4 (RFC 3056).
  ranges.addSubnet(`64:ff9b::${net}`, 96 + prefix, 'ipv6')
  ranges.addSubnet(`2002:${inHex(net)}::`, 16 + prefix, 'ipv6')
}
for (const [net, prefix] of [
  // The unspecified and the loopback address, and IPv4-compatible addresses (RFC 4291, 2.5.5.1).
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['64:ff9b:1::', 48],
  ['ff00::', 8],
] as const)
  ranges.addSubnet(net, prefix, 'ipv6')

/**
 * Whether the host of a URL is evidently private. Names have to be looked up, which each delivery does again.
 *
 * @param hostname As `URL` gives it: lower case, IPv6 in brackets.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const family = isIP(name)
  if (family !== 0) return ranges.check(name, family === 4 ? 'ipv4' : 'ipv6')
  return name === 'localhost' || name.endsWith('.localhost')
}

/** An IPv4 address in IPv6 notation. */
function inHex(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
