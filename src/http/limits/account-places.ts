import { ServiceError } from '../../core/error.ts'

/** What an account may hold open at once, each kind with a bound of its own. */
export type PlaceKind = 'streams' | 'polls' | 'events'

const words = {
  streams: ['open streams', 'account-streams'],
  polls: ['waiting polls', 'account-polls'],
  events: ['open event streams', 'account-events'],
} as const satisfies Record<PlaceKind, readonly [string, string]>

/** Seconds after which trying again may help; nobody knows when a stream ends. */
const retryAfterSeconds = 5

/** Counts what each account holds open. */
export class AccountPlaces {
  readonly #most: Readonly<Record<PlaceKind, number>>
  readonly #held = new Map<string, number>()
  /** Streams of accounts with a limit of their own. */
  readonly #own = new Map<string, number>()

  constructor(most: Readonly<Record<PlaceKind, number>>) {
    this.#most = most
  }

  /** Sets how many streams an account may have open; null = as many as everybody. */
  allowStreams(accountId: string, most: number | null): void {
    if (most === null) this.#own.delete(accountId)
    else this.#own.set(accountId, most)
  }

  /**
   * Takes a place until it is disposed of.
   *
   * @throws {ServiceError} `concurrency_limit_exceeded` when the account has as many as it may.
   */
  take(accountId: string, kind: PlaceKind): Disposable {
    const key = `${kind} ${accountId}`
    const held = this.#held.get(key) ?? 0
    const [what, setting] = words[kind]
    const own = kind === 'streams' ? this.#own.get(accountId) : undefined
    if (held >= (own ?? this.#most[kind]))
      throw new ServiceError(
        'concurrency_limit_exceeded',
        `This account has ${held} ${what}, as many as it may (${own === undefined ? setting : 'its own limit'}); end one of them first.`,
        { retryAfterSeconds },
      )
    this.#held.set(key, held + 1)
    let mine = true
    return {
      [Symbol.dispose]: () => {
        if (!mine) return
        mine = false
        const left = (this.#held.get(key) ?? 1) - 1
        if (left === 0) this.#held.delete(key)
        else this.#held.set(key, left)
      },
    }
  }
}
