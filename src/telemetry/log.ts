import { styleText } from 'node:util'
import { type Logger, pino } from 'pino'
import type { JsonObject, JsonValue } from '../core/json-value.ts'

export type Log = Logger

export interface LogSettings {
  /** `pretty` for people, `json` with one object per line for programs. */
  readonly format: 'pretty' | 'json'
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Destination of log lines; standard error except in tests. */
export interface LogStream {
  write(line: string): void
}

/** Opens the log. Standard output stays free for the output of commands. */
export function createLog({ format, level }: LogSettings, stream: LogStream = process.stderr): Log {
  const options = {
    level,
    base: null,
    timestamp: timestamps(),
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (format === 'json') return pino(options, stream)
  const coloured = process.stderr.isTTY === true
  return pino(options, { write: (line) => stream.write(prettyLine(line, { coloured })) })
}

/** Formats the time of a line; cached per millisecond. */
function timestamps(): () => string {
  let at = Number.NaN
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`
    at = now
    return text
  }
}

const colours = { debug: 'blue', info: 'green', warn: 'yellow', error: 'red' } as const

/**
 * Formats a line for people: time of day, level and message, other fields as JSON, and the stack of an error below.
 *
 * @param line A JSON object written by pino.
 */
function prettyLine(line: string, { coloured }: { readonly coloured: boolean }): string {
  const { level, time, msg, err, ...fields }: JsonObject = JSON.parse(line)
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  const name = String(level)
  const label = paint(isKnown(name) ? colours[name] : 'white', name.toUpperCase())
  const rest = Object.keys(fields).length === 0 ? '' : ` ${paint('gray', JSON.stringify(fields))}`
  return `[${new Date(String(time)).toTimeString().slice(0, 8)}] ${label}: ${paint('cyan', String(msg))}${rest}\n${fault(err)}`
}

function isKnown(level: string): level is keyof typeof colours {
  return Object.hasOwn(colours, level)
}

/** The indented stack without terminal control characters, and other properties of the error. */
function fault(err: JsonValue | undefined): string {
  if (err === undefined) return ''
  const { stack, type: _type, message, ...more }: JsonObject = Object(err)
  const text = String(stack ?? message ?? JSON.stringify(err)) + (Object.keys(more).length === 0 ? '' : `\n${JSON.stringify(more)}`)
  return text
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .replace(/^/gm, '    ')
    .concat('\n')
}

/**
 * Maximum delay of a line. Buffering means two hundred writes a second instead of one per line, each of which delayed a request by 4 to 10
 * µs.
 */
const longestWaitMs = 5

/** Maximum number of buffered characters. */
const maxWaiting = 64 * 1024

/** Maximum number of characters waiting for a blocked reader; further lines are dropped and counted. */
const maxUnread = 16 * 1024 * 1024

/** Start of lines that must be written immediately. */
const urgent = /^\{"level":"(?:error|fatal)"/

/**
 * Buffers lines and writes them together, in order: after a few milliseconds, or at once for errors, on disposal, and when the process
 * exits or fails. Only killing the process or a blocked reader loses lines.
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
    if (!this.#open || this.#waiting.length >= maxWaiting || urgent.test(line)) this.#write()
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
    if ((this.#stream.writableLength ?? 0) > maxUnread) this.#lost += text.split('\n').length - 1
    else this.#stream.write(this.#takeLostNotice() + text)
  }

  #takeLostNotice(): string {
    if (this.#lost === 0) return ''
    const entry = { level: 'warn', time: new Date().toISOString(), lines: this.#lost, msg: 'log lines lost while nobody read' }
    this.#lost = 0
    return `${JSON.stringify(entry)}\n`
  }
}
