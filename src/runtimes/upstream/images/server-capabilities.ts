import { ServiceError } from '../../../core/error.ts'
import type { Abortable } from '../../../core/waiting.ts'

/** A server's reported capabilities. They change when files are added or the server restarts. */
export class ServerCapabilities<Reported> {
  readonly #ask: (options: Abortable) => Promise<Reported>
  #reported: Reported

  private constructor(ask: (options: Abortable) => Promise<Reported>, reported: Reported) {
    this.#ask = ask
    this.#reported = reported
  }

  /** @throws {ServiceError} what `ask` throws. */
  static async open<Reported>(ask: (options: Abortable) => Promise<Reported>, options: Abortable): Promise<ServerCapabilities<Reported>> {
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
  async check(check: (reported: Reported) => void, options: Abortable): Promise<void> {
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
