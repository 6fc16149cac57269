import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type ErrorRecord, ServiceError } from '../../core/error.ts'
import { type ProjectorFacts, seesAround, takesAnySize } from '../../core/gguf/projector-facts.ts'
import type { PictureBlock, VisionTower } from '../../core/ports/vision-tower.ts'
import type { Abortable } from '../../core/waiting.ts'
import { layOutBlocks } from './lay-out-picture.ts'
import type { OpenedTower, TowerReply, TowerRequest } from './tower-thread.ts'

/**
 * Opens the tower of an mmproj file in a thread of its own: a run of the tensor runtime blocks its thread for seconds, while texts are being written.
 *
 * @throws {ServiceError} as `openTower` does.
 */
export async function openThreadedTower(path: string, { threads }: { readonly threads: number }): Promise<VisionTower> {
  const thread = new Worker(new URL('./tower-thread.ts', import.meta.url), { workerData: { path, threads } })
  const opening = Promise.withResolvers<OpenedTower>()
  thread.once('error', opening.reject)
  thread.once('exit', () => opening.reject(new Error('The thread of a tower ended while it opened.')))
  thread.once('message', (reply: TowerReply) => {
    if ('opened' in reply) opening.resolve(reply.opened)
    else if ('failure' in reply) opening.reject(toError(reply.failure))
  })
  try {
    return new ThreadedTower(thread, await opening.promise)
  } catch (error) {
    await thread.terminate()
    throw error
  }
}

function toError({ code, message, param, cause }: ErrorRecord): ServiceError {
  return new ServiceError(code, message, { param: param ?? undefined, cause })
}

class ThreadedTower implements VisionTower {
  readonly width: number
  readonly seesAround: boolean
  readonly makesGrids: boolean
  readonly #facts: ProjectorFacts
  readonly #thread: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly Float32Array[]>>()
  readonly #ended: Promise<unknown>
  #fault: unknown = null
  #looks = 0

  constructor(thread: Worker, { facts, width }: OpenedTower) {
    this.width = width
    this.seesAround = seesAround(facts.family)
    this.makesGrids = takesAnySize(facts.family)
    this.#facts = facts
    this.#thread = thread
    this.#ended = once(thread, 'exit').catch(() => undefined)
    thread.on('message', (reply: TowerReply) => this.#settle(reply))
    thread.on('error', (error) => this.#fail(error))
    thread.once('exit', () => this.#fail(new Error('The thread of a tower has ended.')))
  }

  layOut(picture: Uint8Array, options: Abortable): Promise<readonly (string | PictureBlock)[]> {
    return layOutBlocks(picture, this.#facts, options)
  }

  async look(picture: Uint8Array, { signal }: Abortable): Promise<readonly Float32Array[]> {
    signal.throwIfAborted()
    if (this.#fault !== null) throw this.#fault
    const number = this.#looks++
    const waiting = Promise.withResolvers<readonly Float32Array[]>()
    this.#waiting.set(number, waiting)
    const stop = (): void => {
      this.#post({ stopped: number })
      waiting.reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      this.#post({ number, picture })
      return await waiting.promise
    } finally {
      signal.removeEventListener('abort', stop)
      this.#waiting.delete(number)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#post('end')
    await this.#ended
  }

  #post(request: TowerRequest): void {
    this.#thread.postMessage(request)
  }

  #settle(reply: TowerReply): void {
    if ('opened' in reply || reply.number === null) return
    const waiting = this.#waiting.get(reply.number)
    if ('blocks' in reply) waiting?.resolve(reply.blocks)
    else waiting?.reject(toError(reply.failure))
  }

  #fail(error: unknown): void {
    this.#fault ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}
