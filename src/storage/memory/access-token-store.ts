import type { AccessToken } from '../../core/access-token.ts'
import type { AccessTokenStore } from '../../core/ports/access-token-store.ts'

type Options = { readonly signal: AbortSignal }

export class MemoryAccessTokenStore implements AccessTokenStore {
  readonly #tokens = new Map<string, AccessToken>()

  async create(token: AccessToken, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#tokens.set(token.id, token)
  }

  async findByHash(hash: string, { signal }: Options): Promise<AccessToken | null> {
    signal.throwIfAborted()
    return this.#tokens.values().find((token) => token.hash === hash) ?? null
  }

  async list(accountId: string, { signal }: Options): Promise<readonly AccessToken[]> {
    signal.throwIfAborted()
    return [...this.#tokens.values()].filter((token) => token.accountId === accountId).sort((a, b) => a.createdAt - b.createdAt)
  }

  async setRevoked(
    { id, accountId }: { readonly id: string; readonly accountId: string },
    revokedAt: number | null,
    { signal }: Options,
  ): Promise<boolean> {
    signal.throwIfAborted()
    const token = this.#tokens.get(id)
    if (token?.accountId !== accountId) return false
    this.#tokens.set(id, { ...token, revokedAt })
    return true
  }

  async touch(id: string, lastUsedAt: number, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const token = this.#tokens.get(id)
    if (token !== undefined) this.#tokens.set(id, { ...token, lastUsedAt })
  }
}
