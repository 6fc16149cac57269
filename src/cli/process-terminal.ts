import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { endOfInput, type Terminal } from './terminal.ts'

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
