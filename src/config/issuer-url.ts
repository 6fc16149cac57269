import type { Kind } from './setting.ts'

/** An OpenID Connect issuer, exactly as the provider writes it: a slash at its end is part of the name. */
export const issuerUrl: Kind<string> = {
  form: '<url>',
  parse: (raw) => {
    const address = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined
    const isPlain = address?.search === '' && address.hash === '' && address.username === '' && address.password === ''
    if (address === undefined || !isPlain)
      return { fault: 'expected the address of an issuer, such as https://login.example/realms/staff.' }
    const isNear = ['localhost', '127.0.0.1', '[::1]'].includes(address.hostname)
    if (address.protocol === 'https:' || (address.protocol === 'http:' && isNear)) return { value: address.href }
    return { fault: 'expected an address that starts with https://; plain http only leads to this machine.' }
  },
  print: (value) => value,
}
