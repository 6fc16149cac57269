import { ServiceError } from '../../core/error.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import type { AcquireOptions, ModelLease, ModelPool, ModelState } from '../../core/ports/model-pool.ts'
import type { TextModel } from '../../core/ports/text-model.ts'

/** Models that are simply there, by id. */
export interface FixedModels {
  readonly text?: Readonly<Record<string, TextModel>>
  readonly image?: Readonly<Record<string, ImageModel>>
}

export interface FixedPoolLimits {
  /** Requests at once per model; default 2. */
  readonly slots?: number
  /** Requests waiting per model; default 64. */
  readonly waiting?: number
}

interface Seat {
  inUse: number
  readonly queue: { readonly enter: () => void; readonly refuse: (error: unknown) => void }[]
}

/** A pool of models that need no loading: first come, first served, for tests and benches. */
export function createFixedModelPool({ text = {}, image = {} }: FixedModels, limits: FixedPoolLimits = {}): ModelPool & AsyncDisposable {
  const { slots = 2, waiting = 64 } = limits
  const seats = new Map<string, Seat>([...Object.keys(text), ...Object.keys(image)].map((id) => [id, { inUse: 0, queue: [] }]))

  let closed = false

  const findSeat = (id: string): Seat => {
    const seat = seats.get(id)
    if (seat === undefined) throw new ServiceError('model_not_found', notFound(id, [...seats.keys()]), { param: 'model' })
    return seat
  }

  const acquire = async <Model>(
    models: Readonly<Record<string, Model>>,
    id: string,
    { signal }: AcquireOptions,
  ): Promise<ModelLease<Model>> => {
    signal.throwIfAborted()
    if (closed) throw makeClosingError()
    const model = models[id]
    const seat = seats.get(id)
    if (model === undefined || seat === undefined)
      throw new ServiceError('model_not_found', notFound(id, Object.keys(models)), { param: 'model' })
    if (seat.inUse < slots) seat.inUse += 1
    else if (seat.queue.length < waiting) await queueUp(seat, signal)
    else
      throw new ServiceError('server_is_overloaded', `The model ${id} has too many requests waiting; try again later.`, {
        retryAfterSeconds: 1,
      })
    let held = true
    return {
      model,
      [Symbol.asyncDispose]: async () => {
        if (!held) return
        held = false
        const next = seat.queue.shift()
        if (next === undefined) seat.inUse -= 1
        else next.enter()
      },
    }
  }

  return {
    acquireText: (id, options) => acquire(text, id, options),
    acquireImage: (id, options) => acquire(image, id, options),
    hasRoom: (id) => !closed && (seats.get(id)?.inUse ?? slots) < slots,
    states: () => [...seats].map(([modelId, seat]) => describe(modelId, seat, slots)),
    load: async (id) => void findSeat(id),
    unload: async (id) => void findSeat(id),
    [Symbol.asyncDispose]: async () => {
      closed = true
      for (const { queue } of seats.values()) for (const { refuse } of queue.splice(0)) refuse(makeClosingError())
    },
  }
}

function queueUp(seat: Seat, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const waiter = { enter: resolve, refuse: reject }
  const leave = () => {
    const place = seat.queue.indexOf(waiter)
    if (place >= 0) seat.queue.splice(place, 1)
    reject(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  seat.queue.push(waiter)
  return promise.finally(() => signal.removeEventListener('abort', leave))
}

function makeClosingError(): ServiceError {
  return new ServiceError('shutting_down', 'The service is stopping; try again when it is back.', { retryAfterSeconds: 1 })
}

function describe(modelId: string, { inUse, queue }: Seat, slots: number): ModelState {
  return { modelId, state: 'loaded', memoryBytes: 0, slots, inUse, waiting: queue.length }
}

function notFound(id: string, known: readonly string[]): string {
  return `The model ${id} does not exist; use one of: ${known.join(', ')}.`
}
