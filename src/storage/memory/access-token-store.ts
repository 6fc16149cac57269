import type { AccessToken } from '../../core/access-token.ts'
import { noUseLimits, type UseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'

type Options = { readonly signal: AbortSignal }

/** Tokens that are gone when the process is. */
export class MemoryAccessTokenStore implements AccessTokenStore {
  readonly #tokens = new Map<string, AccessToken>()

  async create(token: AccessToken, { signal, most = Number.MAX_SAFE_INTEGER }: Options & { readonly most?: number }): Promise<boolean> {
    signal.throwIfAborted()
    const isSpent = ({ revokedAt, expiresAt }: AccessToken) => revokedAt !== null || (expiresAt !== null && expiresAt <= token.createdAt)
    const own = [...this.#tokens.values()].filter(({ accountId }) => accountId === token.accountId)
    const spent = own.filter(isSpent).sort((a, b) => b.createdAt - a.createdAt)
    for (const { id } of spent.slice(most)) this.#tokens.delete(id)
    const fits = own.length - spent.length < most
    if (fits) this.#tokens.set(token.id, token)
    return fits
  }

  async findByHash(hash: string, { signal }: Options): Promise<AccessToken | null> {
    signal.throwIfAborted()
    return this.#tokens.values().find((token) => token.hash === hash) ?? null
  }

  async list(accountId: string, { signal }: Options): Promise<readonly AccessToken[]> {
    signal.throwIfAborted()
    return [...this.#tokens.values()].filter((token) => token.accountId === accountId).sort((a, b) => a.createdAt - b.createdAt)
  }

  async revoke(target: TokenTarget, revokedAt: number, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const token = this.#find(target)
    if (token !== undefined) this.#tokens.set(token.id, { ...token, revokedAt: token.revokedAt ?? revokedAt })
    return token !== undefined
  }

  async restore(target: TokenTarget, since: number, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const token = this.#find(target)
    if (token?.revokedAt == null || token.revokedAt < since) return false
    this.#tokens.set(token.id, { ...token, revokedAt: null })
    return true
  }

  async revokeAll(accountId: string, revokedAt: number, { signal }: Options): Promise<number> {
    signal.throwIfAborted()
    const valid = [...this.#tokens.values()].filter((token) => token.accountId === accountId && token.revokedAt === null)
    for (const token of valid) this.#tokens.set(token.id, { ...token, revokedAt })
    return valid.length
  }

  async revokedOf(ids: readonly string[], { signal }: Options): Promise<readonly string[]> {
    signal.throwIfAborted()
    return ids.filter((id) => this.#tokens.get(id)?.revokedAt !== null)
  }

  limitsOf(id: string): UseLimits {
    return this.#tokens.get(id)?.limits ?? noUseLimits
  }

  async limit(target: TokenTarget, limits: Partial<UseLimits>, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const token = this.#find(target)
    if (token !== undefined) this.#tokens.set(token.id, { ...token, limits: { ...token.limits, ...limits } })
    return token !== undefined
  }

  async touch(id: string, lastUsedAt: number, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const token = this.#tokens.get(id)
    if (token !== undefined) this.#tokens.set(id, { ...token, lastUsedAt })
  }

  #find({ id, accountId }: TokenTarget): AccessToken | undefined {
    const token = this.#tokens.get(id)
    return token?.accountId === accountId ? token : undefined
  }
}
