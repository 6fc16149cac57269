import type { ServiceAddresses } from '../core/service-addresses.ts'
import type { Config } from './settings.ts'

/** Fills in defaults: the public URL from the listening address, the others from the public one. */
export function resolveAddresses(settings: Config['addresses'], listeningUrl: string): ServiceAddresses {
  const publicUrl = settings.publicUrl ?? listeningUrl
  return {
    publicUrl,
    imageUrl: settings.imageUrl ?? publicUrl,
    asyncUrl: settings.asyncUrl ?? publicUrl,
    textUrl: settings.textUrl ?? publicUrl,
  }
}

/** Whether links only work on this machine although others may connect, because no public URL is set. */
export function isReachableLocallyOnly({ publicUrl }: Pick<Config['addresses'], 'publicUrl'>, host: string): boolean {
  return publicUrl === null && (host === '0.0.0.0' || host === '::')
}

/** The URL on this machine of a server that listens on a host and port. */
export function listeningOrigin(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
