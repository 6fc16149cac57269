import { ServiceError } from '../../../core/error.ts'

interface AskOptions {
  readonly signal: AbortSignal
}

/** A server's reported capabilities. They change when files are added or the server restarts. */
export class ServerCapabilities<Reported> {
  readonly #ask: (options: AskOptions) => Promise<Reported>
  #reported: Reported

  private constructor(ask: (options: AskOptions) => Promise<Reported>, reported: Reported) {
    this.#ask = ask
    this.#reported = reported
  }

  /** @throws {ServiceError} what `ask` throws. */
  static async open<Reported>(ask: (options: AskOptions) => Promise<Reported>, options: AskOptions): Promise<ServerCapabilities<Reported>> {
    return new ServerCapabilities(ask, await ask(options))
  }

  /** The last report. */
  get reported(): Reported {
    return this.#reported
  }

  /**
   * Checks a request against the server's last report; before a refusal, it is fetched again.
   *
   * @throws {ServiceError} what `check` throws.
   */
  async check(check: (reported: Reported) => void, options: AskOptions): Promise<void> {
    try {
      check(this.#reported)
    } catch (refusal) {
      if (!(refusal instanceof ServiceError)) throw refusal
      this.#reported = await this.#ask(options).catch(() => {
        options.signal.throwIfAborted()
        throw refusal
      })
      check(this.#reported)
    }
  }
}
