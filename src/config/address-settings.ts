import { isIP } from 'node:net'
import { type Kind, none, settingsOf, unset } from './setting.ts'
import { integer, names, optional, origins, refined, text, toggle, url, zeroIsNone } from './setting-kinds.ts'

const setting = settingsOf('Address')
const webUrl = optional(url('http:', 'https:'))

/** Named ranges. */
const ranges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, ranges with a prefix length, or named ranges, separated by commas, or a list in the file. */
export const trustedProxies: Kind<readonly string[]> = refined(names, '<address>,…', (value) => {
  const wrong = value.filter((name) => !ranges.includes(name) && !isRange(name))
  if (wrong.length === 0) return { value }
  return {
    fault: `expected addresses such as 10.0.0.7, ranges such as 10.0.0.0/8, or ${ranges.join(', ')}; ${wrong.join(', ')} is not one.`,
  }
})

function isRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (bits === 0 || rest.length > 0) return false
  // A range of all addresses would let every client forge its address.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
}

/** Settings for listening, for public URLs and for access. */
export const addressSettings = {
  /** Where the service listens, and who may call it. */
  listen: {
    host: setting('host', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` for every network.'),
    port: setting('port', integer(0, 65_535), '8080', 'Port to listen on; 0 for any free one.'),
    allowedHosts: setting(
      'allowed-hosts',
      names,
      none,
      'More host names under which browsers may open the console, besides the listening address and `public-url`.',
    ),
    corsOrigins: setting(
      'cors-origins',
      origins,
      none,
      'Origins whose web pages may call the API with an access token, such as `https://app.example`; `*` means all. The console stays closed to them.',
    ),
    openOnLoopback: setting(
      'open-on-loopback',
      toggle,
      'off',
      'For one person on one machine: programs on it need no token and act as the owner. Excludes a public address and proxies.',
    ),
    trustedProxies: setting(
      'trusted-proxies',
      trustedProxies,
      none,
      'Addresses or ranges of reverse proxies whose `X-Forwarded-For` is trusted; `loopback`, `linklocal` and `uniquelocal` name ranges.',
    ),
    connectionsPerAddress: setting(
      'connections-per-address',
      zeroIsNone(integer(0, 1_000_000)),
      '1000',
      'Connections at once per address, or requests at once per client behind a trusted proxy; more get 429. 0 means no limit.',
    ),
  },
  /** Origins of printed links; null = derived, see `resolveAddresses`. */
  addresses: {
    publicUrl: setting(
      'public-url',
      webUrl,
      unset('the listening address'),
      'Address of every link that Sepia prints or returns; with a path, such as `https://host/sepia`, everything is served below it.',
    ),
    imageUrl: setting('image-url', webUrl, unset('`public-url`'), 'Origin of the image endpoints in the API document and its examples.'),
    asyncUrl: setting(
      'async-url',
      webUrl,
      unset('`public-url`'),
      'Origin of every `poll_url` and `response_url`, and of those endpoints in the API document.',
    ),
    textUrl: setting('text-url', webUrl, unset('`public-url`'), 'Origin of the text endpoints in the API document and its examples.'),
  },
} as const
