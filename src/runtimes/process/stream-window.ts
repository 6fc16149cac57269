import { streamWindow } from './engine-messages.ts'

/** How many more parts of a stream may be sent before its reader has taken some. */
export class StreamWindow {
  #left = streamWindow
  #opened: (() => void) | undefined

  /** Resolves when a part may be sent; at once while the window is open. */
  async take(signal: AbortSignal): Promise<void> {
    while (this.#left <= 0) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => {
        this.#opened = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    this.#left -= 1
  }

  widen(parts: number): void {
    this.#left += parts
    this.#opened?.()
  }
}
