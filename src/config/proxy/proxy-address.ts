import type { ForwardProxy } from '../../core/outgoing/forward-proxies.ts'
import { decodePercents } from '../decode-percents.ts'
import type { Kind } from '../setting.ts'

/** The address of a proxy; without `http://` before it that is meant, as curl has it. Faults never repeat it, since it may hold a password. */
export const proxyAddress: Kind<ForwardProxy> = {
  form: '<url>',
  parse: (raw) => {
    const fault =
      'expected the address of a proxy that is spoken to by HTTP, such as http://proxy.example.com:3128 or http://name:password@proxy.example.com:3128, with %40 for @, %3A for : and %2F for / in the name and the password.'
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
