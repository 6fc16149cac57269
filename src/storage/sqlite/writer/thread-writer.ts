import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { TransientMap } from '../../../core/transient-map.ts'
import { DatabaseDamage } from '../database-damage.ts'
import type { CommandReply, CommandRequest } from './command-group.ts'
import type { CommandInput, CommandName, CommandResult } from './commands.ts'
import { readFailure, type Writer } from './writer.ts'

/** Maximum wait of a deferrable command for another commit to share. */
const longestWaitMs = 50

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Writes in a separate thread, so that commits do not block the event loop; concurrent commands share a commit. */
export class ThreadWriter implements Writer {
  readonly #thread: Worker
  readonly #damage: DatabaseDamage
  readonly #waiting = new TransientMap<number, Waiting>()
  readonly #exited: Promise<void>
  #outbox: CommandRequest[] = []
  #number = 0
  /** Timer for an outbox with only deferrable commands. */
  #waited: NodeJS.Timeout | null = null
  #sending = false
  #fault: Error | null = null
  #beforeReplies = () => {}

  /** Resolves when the database is open and migrated. */
  static async open(file: string, damage = new DatabaseDamage()): Promise<ThreadWriter> {
    const thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: file })
    await once(thread, 'message')
    return new ThreadWriter(thread, damage)
  }

  private constructor(thread: Worker, damage: DatabaseDamage) {
    this.#thread = thread
    this.#damage = damage
    this.#exited = new Promise((resolve) => thread.once('exit', () => resolve()))
    thread.on('message', (replies: readonly CommandReply[]) => {
      this.#beforeReplies()
      for (const reply of replies) this.#settle(reply)
    })
    // An unhandled error of the thread ends the process: without a writer, nothing can be stored.
    thread.on('exit', () => this.#fail(new Error('The database is closed.')))
  }

  /** Registers a listener that is called after each commit, before its callers are notified. */
  beforeReplies(listener: () => void): void {
    this.#beforeReplies = listener
  }

  run<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    now: number,
    { mayWait = false }: { readonly mayWait?: boolean } = {},
  ): Promise<CommandResult<Name>> {
    if (this.#fault !== null) return Promise.reject(this.#fault)
    return new Promise((resolve, reject) => {
      const number = this.#number++
      // The reply matches the command by its id, which types cannot express across threads.
      this.#waiting.set(number, { resolve: (result) => resolve(result as CommandResult<Name>), reject })
      this.#outbox.push({ number, name, input, now })
      if (mayWait) this.#waited ??= setTimeout(() => this.#send(), longestWaitMs)
      else if (!this.#sending) {
        this.#sending = true
        // One message per turn of the event loop: waking the thread takes as long as a third of a write.
        setImmediate(() => this.#send())
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#fault !== null) return this.#exited
    this.#send()
    this.#thread.postMessage('close')
    await this.#exited
  }

  #send(): void {
    if (this.#waited !== null) clearTimeout(this.#waited)
    this.#waited = null
    this.#sending = false
    if (this.#outbox.length === 0) return
    this.#thread.postMessage(this.#outbox)
    this.#outbox = []
  }

  #settle(reply: CommandReply): void {
    const waiting = this.#waiting.get(reply.number)
    this.#waiting.delete(reply.number)
    if ('result' in reply) waiting?.resolve(reply.result)
    else waiting?.reject(readFailure(reply, this.#damage))
  }

  #fail(error: Error): void {
    this.#fault ??= error
    for (const [number, { reject }] of this.#waiting) {
      this.#waiting.delete(number)
      reject(this.#fault)
    }
  }
}
