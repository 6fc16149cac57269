import { type Logger, pino } from 'pino'
import { prettyLine } from './pretty-line.ts'

export type Log = Logger

export interface LogSettings {
  /** `pretty` for people, `json` with one object per line for programs. */
  readonly format: 'pretty' | 'json'
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Where log lines go; standard error unless a test says otherwise. */
export interface LogStream {
  write(line: string): void
}

/** Opens the log. Standard output stays free for what the person or program asked for. */
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

/** Writes the time of a line; that of many lines in one millisecond is made once. */
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
