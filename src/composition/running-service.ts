import { delimiter } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { listeningOrigin, resolveAddresses } from '../config/addresses.ts'
import { type Config, settings } from '../config/settings.ts'
import type { ServiceAddresses } from '../core/service-addresses.ts'
import { noteOwnerSettings, readOwnerSettings } from '../storage/sqlite/owner-lock.ts'

/** The service's address, known once it listens. */
export class ListeningAddress {
  readonly #settings: Config['addresses']
  #origins: ServiceAddresses | null = null

  constructor(settings: Config['addresses']) {
    this.#settings = settings
  }

  get origins(): ServiceAddresses {
    if (this.#origins === null) throw new Error('The service does not listen yet')
    return this.#origins
  }

  /** Starts listening and returns the local address, for proxies and scripts; links use {@link origins}. */
  async listen(server: FastifyInstance, { host, port }: Config['listen']): Promise<string> {
    await server.listen({ host, port })
    const bound = server.server.address()
    if (bound === null || typeof bound === 'string') throw new Error('The service listens on no port')
    const origin = listeningOrigin(host, bound.port)
    this.#origins = resolveAddresses(this.#settings, origin)
    return origin
  }
}

/** Records settings in the data folder that commands beside this service need, whatever flags it was started with. */
export async function noteRunningService({ dataFolder, database, listen, addresses, models }: Config, url: string): Promise<void> {
  // Nodes with a shared database own no folder.
  if (database.type !== 'embedded') return
  await noteOwnerSettings(dataFolder, {
    [settings.listen.host.name]: listen.host,
    [settings.listen.port.name]: new URL(url).port || '80',
    ...(addresses.publicUrl !== null && { [settings.addresses.publicUrl.name]: addresses.publicUrl }),
    ...(models.folders.length > 0 && { [settings.models.folders.name]: models.folders.join(delimiter) }),
  })
}

/** The recorded settings of the running service, named and formatted like flags; null = none is running. */
export async function findRunningService({ dataFolder, database }: Config): Promise<Readonly<Record<string, string>> | null> {
  return database.type === 'embedded' ? readOwnerSettings(dataFolder) : null
}
