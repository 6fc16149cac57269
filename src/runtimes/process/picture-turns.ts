import { ServiceError } from '../../core/error.ts'

/** Pictures of one account that wait; a request carries a handful at most. */
const mostOfOne = 16
const mostOfAll = 256

/** Who may inspect a picture next: accounts take turns, so that nobody waits behind all pictures of another. */
export class PictureTurns {
  readonly #places: number
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #busy = 0
  #count = 0

  /** @param places Pictures at once. */
  constructor(places: number) {
    this.#places = places
  }

  /** Whether no picture is being inspected. */
  get idle(): boolean {
    return this.#busy === 0
  }

  /** Resolves when it is this account's turn; {@link leave} ends that. @throws {ServiceError} `server_is_overloaded`. */
  async enter(account: string): Promise<void> {
    if (this.#busy < this.#places) {
      this.#busy += 1
      return
    }
    const own = this.#waiting.get(account) ?? []
    if (own.length >= mostOfOne || this.#count >= mostOfAll)
      throw new ServiceError('server_is_overloaded', 'Too many pictures are being read; try again in a few seconds.', {
        retryAfterSeconds: 5,
      })
    this.#count += 1
    this.#waiting.set(account, own)
    await new Promise<void>((resolve) => own.push(resolve))
  }

  leave(): void {
    const [turn] = this.#waiting
    if (turn === undefined) {
      this.#busy -= 1
      return
    }
    const [account, own] = turn
    const next = own.shift()
    this.#waiting.delete(account)
    if (own.length > 0) this.#waiting.set(account, own)
    this.#count -= 1
    next?.()
  }
}
