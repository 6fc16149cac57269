import { ServiceError } from '../../core/error.ts'

/** How many bytes of bodies may be in the service at once. */
export interface BodyBudgetSettings {
  readonly totalBytes: number
  /** Of one account, or of one address before anybody is known. */
  readonly shareBytes: number
}

/** The bytes of one body, counted as they come in and given back on disposal. */
export interface BodyAllowance extends Disposable {
  /** @throws {ServiceError} as {@link BodyBudget.check} does. */
  take(bytes: number): void
}

/** Seconds after which trying again may help; nobody knows when an answer ends. */
const retryAfterSeconds = 2

/** Counts the bytes of all bodies from their arrival until their answer is out. */
export class BodyBudget {
  readonly #settings: BodyBudgetSettings
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(settings: BodyBudgetSettings) {
    this.#settings = settings
  }

  /**
   * Whether so many more bytes of one owner would fit now.
   *
   * @throws {ServiceError} `quota_exceeded` when the owner's share is used up, `server_is_overloaded` when all is.
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
   * Sets what a body is announced to have aside of its owner's share, so that of twenty large ones sent at once those that fit come in whole,
   * not a part of each. Of all bodies together only bytes that have come in count: to announce them costs nothing.
   *
   * @throws {ServiceError} as {@link BodyBudget.check} does.
   */
  open(owner: string, announced: number): BodyAllowance {
    this.check(owner, announced)
    let reserved = announced
    let taken = 0
    this.#hold(owner, reserved)
    return {
      take: (bytes) => {
        const beyond = Math.max(0, taken + bytes - reserved)
        this.check(owner, beyond)
        this.#refuseOverfull(bytes)
        reserved += beyond
        taken += bytes
        this.#hold(owner, beyond)
        this.#total += bytes
      },
      [Symbol.dispose]: () => {
        this.#hold(owner, -reserved)
        this.#total -= taken
        reserved = 0
        taken = 0
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
