import { ServiceError } from '../../core/error.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import type { AcquireOptions, ModelLease, ModelPool, ModelState } from '../../core/ports/model-pool.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import { Turns } from '../../core/turns.ts'

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

/** A pool of models that need no loading: first come, first served, for tests and benches. */
export function createFixedModelPool({ text = {}, image = {} }: FixedModels, limits: FixedPoolLimits = {}): ModelPool & AsyncDisposable {
  const { slots = 2, waiting = 64 } = limits
  /** Requests of each model, running and waiting. */
  const open = new Map([...Object.keys(text), ...Object.keys(image)].map((id) => [id, 0]))
  const turns = new Turns(slots)
  const closing = new AbortController()

  const acquire = async <Model>(
    models: Readonly<Record<string, Model>>,
    id: string,
    options: AcquireOptions,
  ): Promise<ModelLease<Model>> => {
    options.signal.throwIfAborted()
    closing.signal.throwIfAborted()
    const model = models[id]
    const before = open.get(id)
    if (model === undefined || before === undefined) throw notFound(id, Object.keys(models))
    if (before >= slots + waiting)
      throw new ServiceError('server_is_overloaded', `The model ${id} has too many requests waiting; try again later.`, {
        retryAfterSeconds: 1,
      })
    const count = (change: 1 | -1) => open.set(id, (open.get(id) ?? 0) + change)
    count(1)
    try {
      const turn = await turns.take(id, { signal: before < slots ? options.signal : AbortSignal.any([options.signal, closing.signal]) })
      const lease = new DisposableStack()
      lease.use(turn)
      lease.defer(() => count(-1))
      return { model, [Symbol.asyncDispose]: async () => lease.dispose() }
    } catch (error) {
      count(-1)
      throw error
    }
  }
  const require = async (id: string): Promise<boolean> => {
    if (!open.has(id)) throw notFound(id, [...open.keys()])
    return false
  }

  return {
    acquireText: (id, options) => acquire(text, id, options),
    acquireImage: (id, options) => acquire(image, id, options),
    hasRoom: (id) => !closing.signal.aborted && (open.get(id) ?? slots) < slots,
    states: () => [...open].map(([modelId, count]) => describe(modelId, count, slots)),
    load: require,
    unload: require,
    [Symbol.asyncDispose]: async () =>
      closing.abort(new ServiceError('shutting_down', 'The service is stopping; try again when it is back.', { retryAfterSeconds: 1 })),
  }
}

function describe(modelId: string, count: number, slots: number): ModelState {
  return { modelId, state: 'loaded', memoryBytes: 0, slots, inUse: Math.min(count, slots), waiting: Math.max(0, count - slots) }
}

function notFound(id: string, known: readonly string[]): ServiceError {
  return new ServiceError('model_not_found', `The model ${id} does not exist; use one of: ${known.join(', ')}.`, { param: 'model' })
}
