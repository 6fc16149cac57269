import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface ServiceSettings {
  /** Folder of the checkout to run. */
  readonly root: string
  readonly dataFolder: string
  readonly leaseMs: number
  /** Default `info`, which the checker needs. */
  readonly logLevel?: 'info' | 'warn'
  /** Where its log goes to; absent = it is read here. */
  readonly logFile?: string
  /** Environment variables of its own, and flags besides those that every run has. */
  readonly environment?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, string>>
}

/** One line of the service's log about an inference. */
export interface InferenceLine {
  readonly message: string
  readonly inferenceId: string
  readonly attempt: number
}

/** The real service as a child process that can be killed, paused, restarted on its port and put into another time. */
export class ServiceProcess implements AsyncDisposable {
  readonly #settings: ServiceSettings
  #root: string
  readonly #timeFile: string
  readonly lines: InferenceLine[] = []
  #child: ChildProcess | null = null
  #port = 0
  #token = ''

  constructor(settings: ServiceSettings) {
    this.#settings = settings
    this.#root = settings.root
    this.#timeFile = `${settings.dataFolder}.time`
    writeFileSync(this.#timeFile, '0')
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get port(): number {
    return this.#port
  }

  get token(): string {
    return this.#token
  }

  /** Starts it and resolves when it answers. */
  async start(): Promise<void> {
    const { dataFolder, leaseMs, logLevel = 'info', environment = {}, flags: further = {} } = this.#settings
    const settings = {
      port: this.#port,
      data: dataFolder,
      lease: `${leaseMs / 1000}s`,
      log: 'json',
      'log-level': logLevel,
      'engine-threads': 1,
      'text-slots': 4,
      queue: 1_000_000,
      grace: '60s',
      ...further,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    const time = new URL('./movable-time.ts', import.meta.url).href
    const log = this.#settings.logFile === undefined ? null : openSync(this.#settings.logFile, 'a')
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--import', time, join(this.#root, 'src/bin.ts'), 'serve', ...flags],
      {
        stdio: ['ignore', 'pipe', log ?? 'pipe'],
        env: { ...process.env, ...environment, CHAOS_TIME_FILE: this.#timeFile },
      },
    )
    if (log !== null) closeSync(log)
    this.#child = child
    readLines(child.stderr, (line) => this.#readLog(line))
    const ready = Promise.withResolvers<void>()
    readLines(child.stdout, (line) => {
      this.#token = /sepia_[A-Za-z0-9]+/.exec(line)?.[0] ?? this.#token
      const port = /^ready http:\/\/[^:]+:(\d+)/.exec(line)?.[1]
      if (port === undefined) return
      this.#port = Number(port)
      ready.resolve()
    })
    child.once('exit', (code, signal) => ready.reject(new Error(`The service ended before it was ready: ${signal ?? code}.`)))
    await ready.promise
  }

  get pid(): number {
    return this.#child?.pid ?? Number.NaN
  }

  /** Lets its next start be of another checkout. */
  runFrom(root: string): void {
    this.#root = root
  }

  /** The engine processes of the service; the confining process is between it and them. */
  enginePids(): readonly number[] {
    return childrenOf(this.pid).flatMap(lastBelow)
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Asks it to end, as an operator does; resolves with the exit code. */
  async terminate(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Moves the service's clock by so much from the real time. */
  shiftTime(offsetMs: number): void {
    writeFileSync(this.#timeFile, String(offsetMs))
  }

  /** By how much its clock is moved by now; NaN before it has looked. */
  shiftedBy(): number {
    return existsSync(`${this.#timeFile}.seen`) ? Number.parseInt(readFileSync(`${this.#timeFile}.seen`, 'utf8'), 10) : Number.NaN
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume()
    await this.kill()
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
    return child.exitCode
  }

  #readLog(line: string): void {
    if (!line.includes('"inferenceId"')) return
    const { msg, inferenceId, attempt } = JSON.parse(line)
    this.lines.push({ message: String(msg), inferenceId: String(inferenceId), attempt: Number(attempt) })
  }
}

function readLines(stream: Readable | null, read: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', read)
}

/** The processes at the end of every line that begins with this one. */
function lastBelow(pid: number): readonly number[] {
  const children = childrenOf(pid)
  return children.length === 0 ? [pid] : children.flatMap(lastBelow)
}

/** Direct children of a process, from /proc. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}
