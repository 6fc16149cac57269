import { type Kind, setting, unset } from '../setting.ts'
import { names, optional } from '../setting-kinds.ts'
import { proxyAddress } from './proxy-address.ts'

const group = 'Proxy'

/** Names separated by commas or spaces, as other programs write them. */
const hosts: Kind<readonly string[]> = {
  ...names,
  form: '<host>,…',
  parse: (raw, base) => {
    const parsed = names.parse(raw, base)
    return 'fault' in parsed ? parsed : { value: parsed.value.flatMap((entry) => entry.split(/\s+/)) }
  },
}

/** The settings of the way to the outside. */
export const proxySettings = {
  httpsProxy: {
    ...setting(
      'https-proxy',
      group,
      optional(proxyAddress),
      unset('none'),
      'Forward proxy for `https://` addresses in the configuration, such as `http://proxy.example.com:3128`; also read from `https_proxy` and `HTTPS_PROXY`. docs/network.md says what uses it.',
    ),
    customary: ['https_proxy', 'HTTPS_PROXY'],
  },
  httpProxy: {
    ...setting(
      'http-proxy',
      group,
      optional(proxyAddress),
      unset('none'),
      'The same for `http://` addresses; also read from `http_proxy` and `HTTP_PROXY`.',
    ),
    customary: ['http_proxy', 'HTTP_PROXY'],
  },
  noProxy: {
    ...setting(
      'no-proxy',
      group,
      hosts,
      { words: 'none', derive: () => [] },
      'Hosts to reach without a proxy, besides this machine: `corp.example` and its subdomains, `10.0.0.0/8`, `host:8080`, or `*` for all; also read from `no_proxy` and `NO_PROXY`.',
    ),
    customary: ['no_proxy', 'NO_PROXY'],
  },
} as const
