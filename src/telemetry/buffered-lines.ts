import type { LogStream } from './create-log.ts'

/** How long a line waits for others: a busy service writes two hundred times a second instead of for every line, which held each request up for 4 to 10 µs. */
const longestWaitMs = 5

/** Characters that wait at most. */
const mostWaiting = 64 * 1024

/** Characters that may wait for a reader that stands still; lines beyond are lost, and counted. */
const mostUnread = 16 * 1024 * 1024

/** How a line begins that must not be lost whatever happens next. */
const urgent = /^\{"level":"(?:error|fatal)"/

/**
 * Collects lines and writes them together, in order, a few milliseconds late: at once when an error is among them, when it is
 * disposed of, and when the process exits or fails. Only a process that is killed loses what waits, and lines are lost while nobody reads.
 */
export class BufferedLines implements LogStream, Disposable {
  readonly #stream: LogStream & { readonly writableLength?: number }
  readonly #flush = () => this.#write()
  #waiting = ''
  #timer: NodeJS.Timeout | null = null
  #open = true
  #lost = 0

  constructor(stream: LogStream & { readonly writableLength?: number }) {
    this.#stream = stream
    process.on('exit', this.#flush)
  }

  write(line: string): void {
    this.#waiting += line
    if (!this.#open || this.#waiting.length >= mostWaiting || urgent.test(line)) this.#write()
    else this.#timer ??= setTimeout(this.#flush, longestWaitMs).unref()
  }

  [Symbol.dispose](): void {
    this.#open = false
    process.off('exit', this.#flush)
    this.#write()
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waiting === '') return
    const text = this.#waiting
    this.#waiting = ''
    if ((this.#stream.writableLength ?? 0) > mostUnread) this.#lost += text.split('\n').length - 1
    else this.#stream.write(this.#tellLost() + text)
  }

  #tellLost(): string {
    if (this.#lost === 0) return ''
    const told = { level: 'warn', time: new Date().toISOString(), lines: this.#lost, msg: 'log lines lost while nobody read' }
    this.#lost = 0
    return `${JSON.stringify(told)}\n`
  }
}
