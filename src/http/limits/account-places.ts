import { ServiceError } from '../../core/error.ts'
import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { ReservedPlaces } from './reserved-places.ts'

/** Kinds of long-lived answers, each with its own limit per account. */
export type PlaceKind = 'streams' | 'polls' | 'events'

const words = {
  streams: 'open streams',
  polls: 'waiting polls',
  events: 'open event streams',
} as const satisfies Record<PlaceKind, string>

/** A guess: how long a stream will run is unknown. */
const retryAfterSeconds = 5

/** Counts the open answers of each account, together with every other process on the same store. */
export class AccountPlaces {
  readonly #counts: SharedCounts
  readonly #most: number
  readonly #kept = new Map<string, ReservedPlaces>()
  /** Stream limits of accounts that have their own. */
  readonly #own = new Map<string, number>()

  constructor(counts: SharedCounts, most: number) {
    this.#counts = counts
    this.#most = most
  }

  /** Sets an account's own limit of open streams; null = the general limit. */
  allowStreams(accountId: string, most: number | null): void {
    if (most === null) this.#own.delete(accountId)
    else this.#own.set(accountId, most)
  }

  /**
   * Takes a place until it is disposed of.
   *
   * @throws {ServiceError} `concurrency_limit_exceeded` when the account is at its limit.
   */
  async take(accountId: string, kind: PlaceKind): Promise<Disposable> {
    const subject = `${kind} ${accountId}`
    const own = kind === 'streams' ? this.#own.get(accountId) : undefined
    const most = own ?? this.#most
    const place = await this.#placesOf(subject).take(most)
    if (place !== null) return place
    throw new ServiceError(
      'concurrency_limit_exceeded',
      `This account has reached its limit of ${most} ${words[kind]} (${own === undefined ? 'account-streams' : 'its own limit'}); end one of them first.`,
      { retryAfterSeconds },
    )
  }

  #placesOf(subject: string): ReservedPlaces {
    const known = this.#kept.get(subject)
    if (known !== undefined) return known
    const kept = new ReservedPlaces(this.#counts, subject, () => this.#kept.delete(subject))
    this.#kept.set(subject, kept)
    return kept
  }
}
