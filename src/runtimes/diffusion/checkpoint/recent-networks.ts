/** Keeps the networks of separate files that were used last; those that leave are disposed of. */
export class RecentNetworks<Network extends AsyncDisposable> implements AsyncDisposable {
  readonly #most: number
  /** Least recently used first. */
  readonly #networks = new Map<string, Network>()

  constructor(most: number) {
    this.#most = most
  }

  /** @param needed Keys of all networks that are needed at once: none of them leaves. */
  async get(key: string, open: () => Promise<Network>, needed: ReadonlySet<string> = new Set([key])): Promise<Network> {
    const known = this.#networks.get(key)
    if (known === undefined) await this.#makeRoom(needed)
    const network = known ?? (await open())
    this.#networks.delete(key)
    this.#networks.set(key, network)
    return network
  }

  async #makeRoom(needed: ReadonlySet<string>): Promise<void> {
    for (const [key, network] of this.#networks) {
      if (this.#networks.size < this.#most) return
      if (needed.has(key)) continue
      this.#networks.delete(key)
      await network[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of this.#networks.values()) await network[Symbol.asyncDispose]()
    this.#networks.clear()
  }
}
