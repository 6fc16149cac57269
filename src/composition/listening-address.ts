import type { FastifyInstance } from 'fastify'
import { type Addresses, listeningOrigin, resolveAddresses } from '../config/addresses.ts'
import type { Config } from '../config/settings.ts'

/** The service's address, known once it listens. */
export class ListeningAddress {
  readonly #settings: Config['addresses']
  #origins: Addresses | null = null

  constructor(settings: Config['addresses']) {
    this.#settings = settings
  }

  get origins(): Addresses {
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
