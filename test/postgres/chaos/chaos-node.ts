import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { NodeLine } from './node-line.ts'

/** A node that can be killed, started again and paused. */
export class ChaosNode {
  readonly #arguments: readonly string[]
  readonly #onLine: (line: NodeLine) => void
  #child: ChildProcess | null = null

  /**
   * @param settings.root The checkout whose store it runs.
   * @param settings.task `finish` submits nothing, and ends what others left.
   */
  constructor(
    { root, url, task = 'all' }: { readonly root: string; readonly url: string; readonly task?: 'all' | 'finish' },
    onLine: (line: NodeLine) => void,
  ) {
    this.#arguments = [fileURLToPath(new URL('./node-process.ts', import.meta.url)), root, url, task]
    this.#onLine = onLine
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...this.#arguments], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child = child
    const ready = Promise.withResolvers<void>()
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line: NodeLine = JSON.parse(text)
      if (line.what === 'ready') ready.resolve()
      this.#onLine(line)
    })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A node ended before it was ready, with ${code}.`)
    })
    await Promise.race([ready.promise, ended])
  }

  /** Ends it at once; nothing where it has ended already. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === null || hasEnded(child)) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Lets it end what it has. */
  async end(): Promise<void> {
    const child = this.#child
    if (child === null || hasEnded(child)) throw new Error(`A node has ended by itself, with ${child?.exitCode}.`)
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
