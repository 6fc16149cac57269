import type { Config } from './settings.ts'

/** Absolute addresses without trailing slash. */
export interface Addresses {
  readonly publicUrl: string
  readonly imageUrl: string
  readonly asyncUrl: string
  readonly textUrl: string
}

/** Fills in what was not set: the public address from the listening one, all others from the public one. */
export function resolveAddresses(settings: Config['addresses'], listeningUrl: string): Addresses {
  const publicUrl = settings.publicUrl ?? listeningUrl
  return {
    publicUrl,
    imageUrl: settings.imageUrl ?? publicUrl,
    asyncUrl: settings.asyncUrl ?? publicUrl,
    textUrl: settings.textUrl ?? publicUrl,
  }
}

/** Whether only this machine can follow the links although others may call: nobody said under which name they do. */
export function isReachableLocallyOnly({ publicUrl }: Pick<Config['addresses'], 'publicUrl'>, host: string): boolean {
  return publicUrl === null && (host === '0.0.0.0' || host === '::')
}

/** The address under which a server that listens on a host and port can be reached from this machine. */
export function listeningOrigin(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
