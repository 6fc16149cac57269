import { ServiceError } from '../../../core/error.ts'

interface AskOptions {
  readonly signal: AbortSignal
}

/** What a server tells of itself, which changes where it gets files or is started anew. */
export class ServerCapabilities<Told> {
  readonly #ask: (options: AskOptions) => Promise<Told>
  #told: Told

  private constructor(ask: (options: AskOptions) => Promise<Told>, told: Told) {
    this.#ask = ask
    this.#told = told
  }

  /** @throws {ServiceError} what `ask` throws. */
  static async open<Told>(ask: (options: AskOptions) => Promise<Told>, options: AskOptions): Promise<ServerCapabilities<Told>> {
    return new ServerCapabilities(ask, await ask(options))
  }

  /** What it told last. */
  get told(): Told {
    return this.#told
  }

  /**
   * Checks a request against what the server told; before one is refused for that, the server is asked again.
   *
   * @throws {ServiceError} what `check` throws.
   */
  async check(check: (told: Told) => void, options: AskOptions): Promise<void> {
    try {
      check(this.#told)
    } catch (refusal) {
      if (!(refusal instanceof ServiceError)) throw refusal
      this.#told = await this.#ask(options).catch(() => {
        options.signal.throwIfAborted()
        throw refusal
      })
      check(this.#told)
    }
  }
}
