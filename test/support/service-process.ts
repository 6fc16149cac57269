import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { runCli } from '../../src/cli/run-cli.ts'
import { readEnvironment, readMachine } from '../../src/config/process-environment.ts'

export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs one command to its end in this process: what a process of its own adds is tried by those who start `src/bin.ts`. */
export async function sepia(...argv: readonly string[]): Promise<Outcome> {
  return sepiaIn({}, ...argv)
}

/** The same with environment variables of its own besides this process's. */
export async function sepiaIn(environment: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCli(argv, {
    terminal: {
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      interactive: false,
      color: false,
      printsToPerson: false,
      readInput: async () => '',
      ask: async () => null,
    },
    environment: { ...readEnvironment(), ...environment },
    machine: { ...readMachine(), terminal: false },
    loadBackend: async () => (await import('../../src/composition/cli-backend.ts')).cliBackend,
    program: 'sepia',
    version: 'of tests',
    signal: new AbortController().signal,
  })
  return { code, out: out.join(''), err: err.join('') }
}

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string
  /** Its output before it was ready. */
  readonly greeting: string
  /** Resolves to the next log line with this message; ask before causing it. */
  readonly logged: (message: string) => Promise<Readonly<Record<string, unknown>>>
  /** Sends it a signal, such as SIGSTOP. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>
  /** Asks it to stop and resolves to its exit code. */
  readonly stop: () => Promise<number | null>
}

/** Starts the whole service as a process of its own, on a data folder. */
export async function startService(data: string, ...flags: readonly string[]): Promise<ServiceProcess> {
  return startServiceIn({}, data, ...flags)
}

/** As {@link startService}, with environment variables of its own besides this process's. */
export async function startServiceIn(
  environment: Readonly<Record<string, string>>,
  data: string,
  ...flags: readonly string[]
): Promise<ServiceProcess> {
  const argv = ['src/bin.ts', 'serve', '--port', '0', '--data', data, '--log', 'json', ...flags]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } })
  const ended = once(child, 'exit')
  const log = new EventEmitter()
  createInterface({ input: child.stderr }).on('line', (line) => {
    const entry: Readonly<Record<string, unknown>> = line.startsWith('{') ? JSON.parse(line) : { msg: line }
    log.emit(`line ${entry.msg}`, entry)
  })
  let greeting = ''
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    greeting += `${line}\n`
    url = /^ready (\S+)$/.exec(line)?.[1] ?? ''
    if (url !== '') break
  }
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    const [code] = await ended
    return code
  }
  return {
    url,
    greeting,
    logged: async (message) => (await once(log, `line ${message}`))[0],
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}
