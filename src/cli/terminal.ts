import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** What {@link Terminal.ask} resolves to where the person ended the input with Ctrl-D instead of answering. */
export const endOfInput = '\u0004'

/** The standard streams, as far as commands need them. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether standard error is watched by a person. */
  readonly interactive: boolean
  /** Whether standard output is watched by a person. */
  readonly printsToPerson: boolean
  /** Whether colours may be used: on a terminal, unless NO_COLOR is set. */
  readonly color: boolean
  /** Asks a question and resolves to the typed line; null when nobody can answer, {@link endOfInput} after Ctrl-D. A `secret` is not shown while it is typed. */
  readonly ask: (question: string, options: { readonly signal: AbortSignal; readonly secret?: boolean }) => Promise<string | null>
  /** All of standard input, without its last line break; null when a person sits there. */
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
    // Ctrl-D closes it, and then the question is never answered.
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

/** How long a program that has ended waits for who reads its log. */
const lastWordsMs = 5000

/**
 * Says what happens when nobody can be written to any more (`| head -1`, a collector of logs that ended, a full disk): a command ends, in
 * silence where its reader just left; a service goes on without its log, and logs again when it can.
 */
export function outliveReaders(serving: boolean): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (serving) return
    // As the shell tells of a program that SIGPIPE ended.
    if (error.code === 'EPIPE') process.exit(141)
    process.stderr.write(`Standard output cannot be written: ${error.message}\n`)
    process.exit(1)
  })
}

/** Lets a process that is done end although who reads its log stands still: without, a stopped service would wait for ever. */
export function endWithoutReader(): void {
  if (process.stderr.writableLength > 0 && process.stdout.writableLength === 0) setTimeout(() => process.exit(), lastWordsMs).unref()
}
