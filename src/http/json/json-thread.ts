import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { fromErrorRecord } from '../../core/error.ts'
import type { ParseReply, ParseRequest } from './parse-in-thread.ts'

export interface ParsedBody {
  readonly bytes: Buffer
  readonly value: unknown
}

/** Heap of the thread as a multiple of the largest body: text and value at two bytes per character, plus a margin. */
const heapPerBody = 8

/** Parses bodies in a worker thread, which starts with the first body. */
export class JsonThread implements AsyncDisposable {
  readonly #waiting = new Map<number, PromiseWithResolvers<ParsedBody>>()
  readonly #largestBytes: number
  #thread: Worker | null = null
  #number = 0

  /** @param largestBytes The limit of any body. A body that needs more memory than one of this size ends the thread, not the service. */
  constructor(largestBytes: number) {
    this.#largestBytes = largestBytes
  }

  /**
   * @param bytes Moved to the thread. They come back with the value, empty unless they are to be kept.
   * @throws {ServiceError} as `parseJson` does.
   */
  parse(bytes: Uint8Array<ArrayBuffer>, { tooDeep, keepBytes }: Omit<ParseRequest, 'number' | 'bytes'>): Promise<ParsedBody> {
    this.#thread ??= this.#start()
    const waiting = Promise.withResolvers<ParsedBody>()
    const number = this.#number++
    this.#waiting.set(number, waiting)
    const request: ParseRequest = { number, bytes, tooDeep, keepBytes }
    this.#thread.postMessage(request, [bytes.buffer])
    this.#thread.ref()
    return waiting.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(new URL('./parse-in-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: Math.max(64, Math.ceil((heapPerBody * this.#largestBytes) / 1024 ** 2)) },
    })
    thread.on('message', (reply: ParseReply) => this.#settle(reply))
    thread.on('error', (error) => this.#fail(thread, error))
    once(thread, 'exit').then(() => this.#fail(thread, new Error('The thread that parses bodies has ended.')))
    return thread
  }

  #settle(reply: ParseReply): void {
    const waiting = this.#waiting.get(reply.number)
    this.#waiting.delete(reply.number)
    if (this.#waiting.size === 0) this.#thread?.unref()
    if ('value' in reply) waiting?.resolve({ bytes: Buffer.from(reply.bytes.buffer), value: reply.value })
    else waiting?.reject(reply.failure === null ? new Error(reply.cause) : fromErrorRecord(reply.failure))
  }

  #fail(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return
    this.#thread = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
