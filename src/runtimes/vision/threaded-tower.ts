import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type ErrorRecord, ServiceError } from '../../core/error.ts'
import { type ProjectorFacts, seesAround, takesAnySize } from '../../core/gguf/projector-facts.ts'
import type { PictureBlock, VisionTower } from '../../core/ports/vision-tower.ts'
import { type Abortable, OnDemand, orAborted } from '../../core/waiting.ts'
import { layOutBlocks } from './lay-out-picture.ts'
import type { OpenedTower, TowerReply, TowerRequest } from './tower-thread.ts'

/**
 * Opens the tower of an mmproj file in a thread of its own: a run of the tensor runtime blocks its thread for seconds, while texts are being
 * written. When the thread dies, for example without memory, the next picture starts another.
 *
 * @throws {ServiceError} as `openTower` does.
 */
export async function openThreadedTower(path: string, options: { readonly threads: number }): Promise<VisionTower> {
  const open = () => openThread({ path, ...options })
  return new ThreadedTower(await open(), open)
}

/** A running thread and its tower. */
interface TowerThread {
  readonly thread: Worker
  readonly opened: OpenedTower
}

async function openThread(workerData: { readonly path: string; readonly threads: number }): Promise<TowerThread> {
  const thread = new Worker(new URL('./tower-thread.ts', import.meta.url), { workerData })
  const opening = Promise.withResolvers<OpenedTower>()
  thread.once('error', opening.reject)
  thread.once('exit', () => opening.reject(new Error('The thread of a tower ended while it opened.')))
  thread.once('message', (reply: TowerReply) => {
    if ('opened' in reply) opening.resolve(reply.opened)
    else if ('failure' in reply) opening.reject(toError(reply.failure))
  })
  try {
    return { thread, opened: await opening.promise }
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
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly Float32Array[]>>()
  readonly #start: () => Promise<Worker>
  #running: OnDemand<Worker>
  #isClosed = false
  #looks = 0

  constructor({ thread, opened: { facts, width } }: TowerThread, open: () => Promise<TowerThread>) {
    this.width = width
    this.seesAround = seesAround(facts.family)
    this.makesGrids = takesAnySize(facts.family)
    this.#facts = facts
    this.#start = async () => this.#use((await open()).thread)
    this.#running = new OnDemand(async () => this.#use(thread))
    void this.#running.get()
  }

  layOut(picture: Uint8Array, options: Abortable): Promise<readonly (string | PictureBlock)[]> {
    return layOutBlocks(picture, this.#facts, options)
  }

  async look(picture: Uint8Array, { signal }: Abortable): Promise<readonly Float32Array[]> {
    if (this.#isClosed) throw new Error('The thread of a tower has ended.')
    const thread = await orAborted(this.#running.get(), signal)
    signal.throwIfAborted()
    const number = this.#looks++
    const waiting = Promise.withResolvers<readonly Float32Array[]>()
    this.#waiting.set(number, waiting)
    const stop = (): void => {
      post(thread, { stopped: number })
      waiting.reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      post(thread, { number, picture })
      return await waiting.promise
    } finally {
      signal.removeEventListener('abort', stop)
      this.#waiting.delete(number)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const thread = await this.#running.opened()
    if (thread === null) return
    const ended = once(thread, 'exit').catch(() => undefined)
    post(thread, 'end')
    await ended
  }

  #use(thread: Worker): Worker {
    let fault: unknown = new Error('The thread of a tower has ended.')
    thread.on('message', (reply: TowerReply) => this.#settle(reply))
    thread.once('error', (error) => {
      fault = error
    })
    thread.once('exit', () => {
      this.#running = new OnDemand(this.#start)
      for (const { reject } of this.#waiting.values()) reject(fault)
    })
    return thread
  }

  #settle(reply: TowerReply): void {
    if ('opened' in reply || reply.number === null) return
    const waiting = this.#waiting.get(reply.number)
    if ('blocks' in reply) waiting?.resolve(reply.blocks)
    else waiting?.reject(toError(reply.failure))
  }
}

function post(thread: Worker, request: TowerRequest): void {
  thread.postMessage(request)
}
