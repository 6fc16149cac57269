import type { ForwardProxy } from '../../core/outgoing/forward-proxies.ts'
import { type Kind, none, settingsOf, unset } from '../setting.ts'
import { decodePercents, names, optional, refined } from '../setting-kinds.ts'

const setting = settingsOf('Proxy')

/** Names separated by commas or spaces, as other programs write them. */
const hosts = refined(names, '<host>,…', (value) => ({ value: value.flatMap((entry) => entry.split(/\s+/)) }))

/** The address of a proxy; without `http://` before it that is meant, as curl has it. Faults never repeat it, since it may hold a password. */
const proxyAddress: Kind<ForwardProxy> = {
  form: '<url>',
  parse: (raw) => {
    const fault =
      'expected the address of an HTTP proxy, such as http://proxy.example.com:3128 or http://name:password@proxy.example.com:3128, with %40 for @, %3A for : and %2F for / in the name and the password.'
    const written = typeof raw === 'string' && !raw.includes('://') ? `http://${raw}` : raw
    const address = typeof written === 'string' && URL.canParse(written) ? new URL(written) : undefined
    if (address === undefined || !['http:', 'https:'].includes(address.protocol)) return { fault }
    if (address.pathname !== '/' || address.search !== '' || address.hash !== '') return { fault }
    for (const part of ['username', 'password'] as const) address[part] = encodeURIComponent(decodePercents(address[part]))
    const port = address.port || (address.protocol === 'https:' ? '443' : '80')
    return { value: { url: address.href, name: `${address.hostname}:${port}` } }
  },
  print: ({ url, name }) => {
    const { protocol, username } = new URL(url)
    return `${protocol}//${username === '' ? '' : '***@'}${name}`
  },
}

/** The settings of the way to the outside. */
export const proxySettings = {
  proxies: {
    https: {
      ...setting(
        'https-proxy',
        optional(proxyAddress),
        unset('none'),
        'Forward proxy for `https://` addresses in the configuration, such as `http://proxy.example.com:3128`; also read from `https_proxy` and `HTTPS_PROXY`. See docs/network.md.',
      ),
      customary: ['https_proxy', 'HTTPS_PROXY'],
    },
    http: {
      ...setting(
        'http-proxy',
        optional(proxyAddress),
        unset('none'),
        'The same for `http://` addresses; also read from `http_proxy` and `HTTP_PROXY`.',
      ),
      customary: ['http_proxy', 'HTTP_PROXY'],
    },
    exceptions: {
      ...setting(
        'no-proxy',
        hosts,
        none,
        'Hosts to reach without a proxy, besides this machine: `corp.example` and its subdomains, `10.0.0.0/8`, `host:8080`, or `*` for all; also read from `no_proxy` and `NO_PROXY`.',
      ),
      customary: ['no_proxy', 'NO_PROXY'],
    },
  },
} as const
