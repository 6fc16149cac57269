import type { AccessToken } from '../../core/access-token.ts'
import type { Clock } from '../../core/ports/clock.ts'

/** How long a token is believed without asking the store: the bound on how late a revocation is seen. */
const believedMs = 4000
const mostTokens = 10_000

/** Tokens seen in the last seconds, so that a busy client costs one look-up every few seconds. */
export class TokenCache {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly token: AccessToken; readonly until: number }>()
  readonly #underWay = new Map<string, Promise<AccessToken>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  find(hash: string): AccessToken | null {
    const entry = this.#seen.get(hash)
    const now = this.#clock.now()
    // A clock set back must not make an entry live longer.
    if (entry === undefined || now >= entry.until || entry.until - now > believedMs) return null
    return entry.token
  }

  /** @param askedAt When it was looked up: whatever happened later is not in the answer. */
  remember(token: AccessToken, askedAt: number): void {
    this.#seen.delete(token.hash)
    this.#seen.set(token.hash, { token, until: askedAt + believedMs })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > mostTokens && oldest !== undefined) this.#seen.delete(oldest)
  }

  /** One look-up for all who ask while it is under way: a thousand requests at once are no thousand questions to the store. */
  lookUp(hash: string, ask: () => Promise<AccessToken>): Promise<AccessToken> {
    const known = this.#underWay.get(hash)
    if (known !== undefined) return known
    const begun = ask().finally(() => this.#underWay.delete(hash))
    this.#underWay.set(hash, begun)
    return begun
  }

  /** Notes a use without believing the token for any longer. */
  noteUse(token: AccessToken, lastUsedAt: number): void {
    const entry = this.#seen.get(token.hash)
    if (entry !== undefined) this.#seen.set(token.hash, { token: { ...token, lastUsedAt }, until: entry.until })
  }
}
