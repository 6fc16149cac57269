import type { ServiceAddresses } from '../http/service-addresses.ts'
import type { CallOrigins } from './contract/models.ts'

/** Names an origin only where it is another than the console's: people may reach that under several names. */
export function callOrigins(addresses: Omit<ServiceAddresses, 'asyncUrl'>): CallOrigins {
  const elsewhere = (url: string) => (url === addresses.publicUrl ? null : url)
  return { imageUrl: elsewhere(addresses.imageUrl), textUrl: elsewhere(addresses.textUrl) }
}
