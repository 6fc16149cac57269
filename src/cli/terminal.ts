import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Result of {@link Terminal.ask} after Ctrl-D. */
export const endOfInput = '\u0004'

/** The standard streams, as needed by commands. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether standard error is a terminal. */
  readonly interactive: boolean
  /** Whether standard output is a terminal. */
  readonly printsToPerson: boolean
  /** Whether to use colours: in a terminal, unless NO_COLOR is set. */
  readonly color: boolean
  /** Asks a question and returns the entered line; null without a terminal, {@link endOfInput} after Ctrl-D. A `secret` is not echoed. */
  readonly ask: (question: string, options: { readonly signal: AbortSignal; readonly secret?: boolean }) => Promise<string | null>
  /** Reads all of standard input, without its last line break; null if it is a terminal. */
  readonly readInput: () => Promise<string | null>
}

/** The standard streams of this process. */
export function openProcessTerminal(environment: Readonly<Record<string, string | undefined>>): Terminal {
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true
  return {
    out: (line) => process.stdout.write(line),
    err: (line) => process.stderr.write(line),
    interactive: process.stderr.isTTY === true,
    printsToPerson: process.stdout.isTTY === true,
    color: isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb',
    ask,
    readInput: async () => (process.stdin.isTTY === true ? null : (await text(process.stdin)).replace(/\r?\n$/, '')),
  }
}

const ask: Terminal['ask'] = async (question, { signal, secret = false }) => {
  if (process.stdin.isTTY !== true) return null
  if (secret) process.stderr.write(question)
  const output = secret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve(endOfInput)))
  try {
    // Ctrl-D closes it without an answer.
    return await Promise.race([lines.question(secret ? '' : question, { signal }).catch(onlyAborted(signal)), closed])
  } finally {
    lines.close()
    if (secret) process.stderr.write('\n')
  }
}

function onlyAborted(signal: AbortSignal): (error: unknown) => string {
  return (error) => {
    if (signal.aborted) throw error
    return endOfInput
  }
}

/** Time for a blocked reader of the output before an ended program exits. */
const flushTimeoutMs = 5000

/**
 * Handles unwritable output (`| head -1`, an ended log collector, a full disk): a command exits, silently if its reader has left; a service
 * continues without its log until it is writable again.
 */
export function tolerateClosedOutput(serving: boolean): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (serving) return
    // The exit code shells report for SIGPIPE.
    if (error.code === 'EPIPE') process.exit(141)
    process.stderr.write(`Standard output cannot be written: ${error.message}\n`)
    process.exit(1)
  })
}

/** Lets a finished process exit even if the reader of its output is blocked. */
export function endWithoutReader(): void {
  if (process.stderr.writableLength > 0 && process.stdout.writableLength === 0) setTimeout(() => process.exit(), flushTimeoutMs).unref()
}
