import { isIP } from 'node:net'
import type { Kind } from './setting.ts'
import { names } from './setting-kinds.ts'

/** Ranges that have a name of their own. */
const ranges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, ranges with a prefix length, or names of ranges, separated by commas, or a list in the file. */
export const trustedProxies: Kind<readonly string[]> = {
  ...names,
  form: '<address>,…',
  parse: (raw, base) => {
    const parsed = names.parse(raw, base)
    if ('fault' in parsed) return parsed
    const wrong = parsed.value.filter((name) => !ranges.includes(name) && !isRange(name))
    if (wrong.length === 0) return parsed
    return {
      fault: `expected addresses such as 10.0.0.7, ranges such as 10.0.0.0/8, or ${ranges.join(', ')}; ${wrong.join(', ')} is not one.`,
    }
  },
}

function isRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (bits === 0 || rest.length > 0) return false
  // A range of all addresses would trust everybody to name their own.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
}
