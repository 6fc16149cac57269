import { streamWindow } from './engine-messages.ts'

/** How many more parts of a stream may be sent before its reader has taken some. */
export class StreamWindow {
  #left = streamWindow
  #opened: (() => void) | undefined

  /** Takes the room of one part; false when there is none. */
  take(): boolean {
    if (this.#left <= 0) return false
    this.#left -= 1
    return true
  }

  /** Waits for the room of one part, and takes it. */
  async opened(signal: AbortSignal): Promise<void> {
    while (!this.take()) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => {
        this.#opened = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  widen(parts: number): void {
    this.#left += parts
    this.#opened?.()
  }
}
