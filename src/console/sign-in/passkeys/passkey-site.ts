import { isIP } from 'node:net'
import type { SignInSettings } from '../../console-dependencies.ts'

/** The site that passkeys are bound to. */
export interface PasskeySite {
  /** The host of the public address. */
  readonly rpID: string
  readonly origin: string
}

/**
 * The site of this service's passkeys; null where browsers offer none: at bare addresses, without HTTPS, and where only the organisation
 * signs in.
 */
export function passkeySite({
  signIn: { local },
  addresses,
}: {
  readonly signIn: Pick<SignInSettings, 'local'>
  readonly addresses: () => { readonly publicUrl: string }
}): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(addresses().publicUrl)
  const isNear = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isBare = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return local && !isBare && (protocol === 'https:' || isNear) ? { rpID: hostname, origin } : null
}
