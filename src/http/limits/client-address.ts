import { isIPv4, isIPv6 } from 'node:net'

/**
 * The name under which what one client does is counted: its IPv4 address, or the first 64 bits of its IPv6 address, because whoever
 * has one of those has the other 2⁶⁴ as well. Anything else, which only a trusted proxy could have sent, is one client.
 *
 * @param address As `request.ip` or a socket has it.
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
  // The two halves of a shortened address stand for eight groups; an IPv4 tail counts as two.
  const tail = last.length + (last.at(-1)?.includes('.') === true ? 1 : 0)
  const filled = end === undefined ? groups : [...groups, ...Array<string>(Math.max(0, 8 - groups.length - tail)).fill('0'), ...last]
  return filled.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
}
