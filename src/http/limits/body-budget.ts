import { ServiceError } from '../../core/error.ts'

/** Limits of the bytes of bodies in memory. */
export interface BodyBudgetSettings {
  readonly totalBytes: number
  /** Limit of one account, or of one address before authentication. */
  readonly shareBytes: number
}

/** The bytes of one body, counted as they arrive and released on disposal; later ones are not counted. */
export interface BodyAllowance extends Disposable {
  /** @throws {ServiceError} as {@link BodyBudget.check} does. */
  take(bytes: number): void
}

/** A guess: how long an answer will take is unknown. */
const retryAfterSeconds = 2

/** Counts the bytes of all bodies from their arrival until they are answered. */
export class BodyBudget {
  readonly #settings: BodyBudgetSettings
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(settings: BodyBudgetSettings) {
    this.#settings = settings
  }

  /**
   * Checks whether so many more bytes of one owner fit now.
   *
   * @throws {ServiceError} `quota_exceeded` when the owner's share is used up, `server_is_overloaded` when the total is.
   */
  check(owner: string, bytes: number): void {
    const { shareBytes } = this.#settings
    if ((this.#held.get(owner) ?? 0) + bytes > shareBytes)
      throw new ServiceError(
        'quota_exceeded',
        `Send at most ${shareBytes} bytes of bodies at once (a share of body-memory); wait for earlier answers first.`,
        { retryAfterSeconds },
      )
    this.#refuseOverfull(bytes)
  }

  /**
   * Reserves the announced length of a body in its owner's share, so that of twenty large bodies sent at once some arrive whole instead of
   * all in part. The total counts only bytes that have arrived, because announcing them costs the client nothing.
   *
   * @throws {ServiceError} as {@link BodyBudget.check} does.
   */
  open(owner: string, announced: number): BodyAllowance {
    this.check(owner, announced)
    let reserved = announced
    let taken = 0
    let isReleased = false
    this.#hold(owner, reserved)
    return {
      take: (bytes) => {
        if (isReleased) return
        const beyond = Math.max(0, taken + bytes - reserved)
        this.check(owner, beyond)
        this.#refuseOverfull(bytes)
        reserved += beyond
        taken += bytes
        this.#hold(owner, beyond)
        this.#total += bytes
      },
      [Symbol.dispose]: () => {
        if (isReleased) return
        isReleased = true
        this.#hold(owner, -reserved)
        this.#total -= taken
      },
    }
  }

  #refuseOverfull(bytes: number): void {
    if (this.#total + bytes > this.#settings.totalBytes)
      throw new ServiceError('server_is_overloaded', 'The service is receiving too many bytes (body-memory); try again shortly.', {
        retryAfterSeconds,
      })
  }

  #hold(owner: string, bytes: number): void {
    const held = (this.#held.get(owner) ?? 0) + bytes
    if (held === 0) this.#held.delete(owner)
    else this.#held.set(owner, held)
  }
}
