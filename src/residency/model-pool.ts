import { isNotStarted, ServiceError } from '../core/error.ts'
import { findDescriptor, makeNotFoundError } from '../core/find-descriptor.ts'
import { type MemoryNeed, noMemory } from '../core/memory/estimate-memory.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import type { MeasuredMemory } from '../core/ports/measured-memory.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { LoadedModel, ModelLoader } from '../core/ports/model-loader.ts'
import type { AcquireOptions, ModelLease, ModelPool, ModelState } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import { TransientMap } from '../core/transient-map.ts'
import { type Abortable, orAborted } from '../core/waiting.ts'
import { Alarm } from './alarm.ts'
import { boundPictures } from './bound-pictures.ts'
import { nextDeadline, planResidency } from './plan-residency.ts'
import { makeRefusalError, makeTooLargeError, toSeconds } from './refusal-error.ts'
import {
  type Decision,
  introduceModel,
  type PlannerEvent,
  type PoolEvent,
  type Refusal,
  type ResidencyLimits,
  type ResidencyState,
  type ResidentModel,
  shareOf,
  type UnloadReason,
} from './residency-state.ts'
import { estimateModel, ResidentModels, rememberMemory } from './resident-models.ts'

interface ModelPoolDependencies {
  readonly catalog: ModelCatalog
  readonly loader: ModelLoader
  readonly clock: Clock
  readonly limits: ResidencyLimits
  /** Measurements from before this start; absent = none. */
  readonly measured?: MeasuredMemory
  /** Turns of an account relative to others; absent = equal. */
  readonly weightOf?: (account: string) => number
  readonly onEvent: (event: PoolEvent) => void
}

/** Creates a pool that loads models on first use, shares slots fairly, and unloads models when idle or when memory is short. */
export function createModelPool(deps: ModelPoolDependencies): ModelPool & AsyncDisposable {
  return new ResidencyPool(deps)
}

/** A request waiting for a slot, a load or a refusal. */
interface Caller {
  readonly grant: () => void
  readonly refuse: (error: unknown) => void
}

/** Feeds events to the planner and executes its decisions. */
class ResidencyPool implements ModelPool, AsyncDisposable {
  readonly #deps: ModelPoolDependencies
  readonly #residents: ResidentModels
  readonly #callers = new TransientMap<number, Caller>()
  readonly #unloadCallers = new Map<string, PromiseWithResolvers<void>>()
  readonly #loading = new Map<string, LoadProgress>()
  readonly #lastErrors = new Map<string, unknown>()
  readonly #closing = new AbortController()
  readonly #work = new Set<Promise<void>>()
  readonly #alarm: Alarm
  #state: ResidencyState = { models: new Map(), closing: false }
  #lastId = 0

  constructor(deps: ModelPoolDependencies) {
    this.#deps = deps
    this.#residents = new ResidentModels(deps.loader, (modelId, reason) => this.#noteLoss(modelId, reason))
    this.#alarm = new Alarm(deps.clock, () => this.#apply({ type: 'tick' }))
  }

  async acquireText(modelId: string, options: AcquireOptions): Promise<ModelLease<TextModel>> {
    return this.#acquire(findDescriptor(this.#deps.catalog, modelId, 'text'), this.#residents.texts, options)
  }

  async acquireImage(modelId: string, options: AcquireOptions): Promise<ModelLease<ImageModel>> {
    const { catalog, limits } = this.#deps
    const descriptor = findDescriptor(catalog, modelId, 'image')
    const lease = await this.#acquire(descriptor, this.#residents.images, options)
    return descriptor.kind === 'image' ? { ...lease, model: boundPictures(lease.model, descriptor, limits) } : lease
  }

  hasRoom(modelId: string): boolean {
    if (this.#state.closing || this.#deps.catalog.find(modelId) === undefined) return false
    const model = this.#state.models.get(modelId)
    // Before its first request, all slots of a model are free.
    return model === undefined || hasRoom(model)
  }

  states(): readonly ModelState[] {
    const { catalog, clock } = this.#deps
    const startedAt = clock.now() - clock.steadyNow()
    const known = catalog.list().map((descriptor) => this.#find(descriptor))
    // The model was removed meanwhile, or belongs to an account's uploads, which are not listed.
    const unlisted = [...this.#state.models.values()].filter((model) => isHeld(model) && !known.some(({ id }) => id === model.id))
    return [...known, ...unlisted].map((model) => {
      const reported = { ...this.#residents.describe(model.id), loadProgress: this.#loading.get(model.id)?.part ?? undefined }
      return describeState(model, reported, startedAt)
    })
  }

  async load(modelId: string, { signal }: Abortable): Promise<boolean> {
    this.#introduce(findDescriptor(this.#deps.catalog, modelId))
    const isLoaded = this.#state.models.get(modelId)?.phase.type === 'loaded'
    await this.#waitForLoad(modelId, signal)
    return !isLoaded
  }

  async unload(modelId: string, { signal }: Abortable): Promise<boolean> {
    const model = () => this.#state.models.get(modelId) ?? this.#find(findDescriptor(this.#deps.catalog, modelId))
    if (model().phase.type === 'loading') await this.#waitForLoad(modelId, signal)
    if (model().phase.type === 'backing-off') this.#apply({ type: 'unload', modelId })
    if (!isResident(model())) return false
    const caller = this.#unloadCallers.get(modelId) ?? Promise.withResolvers<void>()
    this.#unloadCallers.set(modelId, caller)
    this.#apply({ type: 'unload', modelId })
    await orAborted(caller.promise, signal)
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#apply({ type: 'close' })
    this.#alarm[Symbol.dispose]()
    this.#closing.abort()
    const measured = [...this.#state.models.values()].filter(isResident).map(({ id }) => this.#note(id, this.#measurePeak(id)))
    await Promise.all([this.#residents.stopAll(), ...measured, ...this.#work])
    for (const caller of this.#unloadCallers.values()) caller.resolve()
  }

  #acquire<Model>(
    descriptor: ModelDescriptor,
    residents: ReadonlyMap<string, LoadedModel<Model>>,
    { signal, account, sequences = 1, priority = 0, deferred = false }: AcquireOptions,
  ): Promise<ModelLease<Model>> {
    const modelId = descriptor.id
    this.#introduce(descriptor)
    return this.#wait(modelId, signal, {
      ask: (waiterId) => ({
        type: 'acquire',
        modelId,
        waiterId,
        account,
        weight: this.#deps.weightOf?.(account) ?? 1,
        sequences,
        priority,
        deferred,
      }),
      take: (waiterId) => {
        const loaded = residents.get(modelId)
        if (loaded === undefined) throw new Error(`the planner granted a slot of ${modelId}, which is not loaded`)
        let held = true
        return {
          model: loaded.model,
          [Symbol.asyncDispose]: async () => {
            if (held) this.#apply({ type: 'release', modelId, waiterId })
            held = false
          },
        }
      },
    })
  }

  #waitForLoad(modelId: string, signal: AbortSignal): Promise<void> {
    return this.#wait(modelId, signal, {
      ask: (waiterId) => ({ type: 'want', modelId, waiterId }),
      take: () => {},
    })
  }

  /** Submits a request to the planner and waits; a granted slot is taken in the same turn. */
  #wait<Taken>(
    modelId: string,
    signal: AbortSignal,
    { ask, take }: { readonly ask: (waiterId: number) => PlannerEvent; readonly take: (waiterId: number) => Taken },
  ): Promise<Taken> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const id = ++this.#lastId
      const settle = (end: () => void) => {
        this.#callers.delete(id)
        signal.removeEventListener('abort', leave)
        end()
      }
      const leave = () =>
        settle(() => {
          reject(signal.reason)
          this.#apply({ type: 'leave', modelId, waiterId: id })
        })
      signal.addEventListener('abort', leave, { once: true })
      this.#callers.set(id, { grant: () => settle(() => resolve(take(id))), refuse: (error) => settle(() => reject(error)) })
      this.#apply(ask(id))
    })
  }

  #apply(event: PlannerEvent): void {
    const { clock, limits } = this.#deps
    const facts = { now: clock.steadyNow(), memory: this.#residents.measure((modelId) => this.#expected(modelId)) }
    const { state, decisions } = planResidency(this.#state, event, limits, facts)
    this.#state = state
    for (const decision of decisions) this.#obey(decision)
    this.#alarm.set(nextDeadline(state, limits, facts.now))
    for (const [modelId, caller] of this.#unloadCallers) {
      const model = state.models.get(modelId)
      if (model !== undefined && isResident(model)) continue
      this.#unloadCallers.delete(modelId)
      caller.resolve()
    }
  }

  #obey(decision: Decision): void {
    const { modelId } = decision
    if (decision.type === 'load') this.#track(this.#load(modelId))
    else if (decision.type === 'unload') this.#track(this.#unload(modelId, decision.reason))
    else if (decision.type === 'grant') this.#callers.get(decision.waiterId)?.grant()
    else {
      const { waiterId, refusal } = decision
      this.#deps.onEvent({ type: 'refused', modelId, because: refusal.because })
      const { catalog } = this.#deps
      // Requests waiting for a removed model are refused.
      const isFailing = refusal.because === 'backing-off' || refusal.because === 'unloadable'
      const removed = isFailing && catalog.find(modelId) === undefined
      const error = removed ? makeNotFoundError(catalog, modelId) : this.#explain(modelId, refusal)
      this.#callers.get(waiterId)?.refuse(error)
    }
  }

  #explain(modelId: string, refusal: Refusal): ServiceError {
    const { catalog, clock, limits } = this.#deps
    if (refusal.because === 'still-loading') return makeLoadingError(modelId, this.#loading.get(modelId), clock.steadyNow())
    const { because } = refusal
    // Remote models return with their server.
    const elsewhere = because === 'unloadable' && isElsewhere(catalog.find(modelId))
    const cause = this.#lastErrors.get(modelId)
    if (because === 'unloadable' && isOfFile(cause))
      return new ServiceError('unsupported', cause.message.replace('The model ', `The model ${modelId} `), { param: 'model', cause })
    if (because !== 'too-large')
      return makeRefusalError(
        modelId,
        { ...refusal, because: elsewhere ? 'backing-off' : because },
        { cause, holders: this.#holders(modelId) },
      )
    const descriptor = findDescriptor(catalog, modelId)
    return makeTooLargeError(descriptor, this.#find(descriptor).memory.least, limits)
  }

  /** The loaded models, if this one is not loaded. */
  #holders(modelId: string): readonly string[] {
    if (this.#state.models.get(modelId)?.phase.type !== 'unloaded') return []
    return [...this.#state.models.values()].filter(isResident).map(({ id }) => id)
  }

  #track(work: Promise<void>): void {
    this.#work.add(work)
    work.finally(() => this.#work.delete(work))
  }

  async #load(modelId: string): Promise<void> {
    const { catalog, clock, onEvent } = this.#deps
    const startedAt = clock.steadyNow()
    const onProgress = (part: number | null) => void this.#loading.set(modelId, { startedAt, part })
    onProgress(null)
    try {
      const loaded = await this.#residents.start(findDescriptor(catalog, modelId), { signal: this.#closing.signal, onProgress })
      // A process that died at once has already been reported.
      if (!this.#residents.has(modelId)) return
      const loadMs = clock.steadyNow() - startedAt
      onEvent({ type: 'loaded', modelId, loadMs, memoryBytes: loaded.memoryBytes(), device: loaded.model.device })
      this.#apply({ type: 'loaded', modelId, slots: loaded.slots })
    } catch (error) {
      if (this.#closing.signal.aborted) return
      onEvent({ type: 'load-failed', modelId, error })
      this.#lastErrors.set(modelId, error)
      const isHere = !isElsewhere(catalog.find(modelId))
      if (isHere && isNotStarted(error)) this.#apply({ type: 'crashed', modelId, blame: 'machine' })
      else if (isHere && isOfFile(error)) this.#apply({ type: 'crashed', modelId, blame: 'file' })
      else this.#apply({ type: 'crashed', modelId })
    } finally {
      this.#loading.delete(modelId)
    }
  }

  #noteLoss(modelId: string, reason: string): void {
    this.#deps.onEvent({ type: 'crashed', modelId, reason })
    this.#lastErrors.set(modelId, new Error(reason))
    this.#apply({ type: 'crashed', modelId })
  }

  async #unload(modelId: string, reason: UnloadReason): Promise<void> {
    const memory = this.#measurePeak(modelId)
    await Promise.all([this.#residents.stop(modelId), this.#note(modelId, memory)])
    this.#deps.onEvent({ type: 'unloaded', modelId, reason })
    this.#apply({ type: 'unloaded', modelId, memory })
  }

  #expected(modelId: string): MemoryNeed {
    return this.#state.models.get(modelId)?.memory.expected ?? noMemory
  }

  #measurePeak(modelId: string): MemoryNeed {
    return this.#residents.measurePeak(modelId, () => this.#expected(modelId))
  }

  #note(modelId: string, memory: MemoryNeed): Promise<void> {
    return rememberMemory(this.#deps, this.#deps.catalog.find(modelId), memory)
  }

  #introduce(descriptor: ModelDescriptor): void {
    if (!this.#state.models.has(descriptor.id)) this.#apply({ type: 'introduce', model: this.#find(descriptor) })
  }

  #find(descriptor: ModelDescriptor): ResidentModel {
    const { id, kind } = descriptor
    const { limits } = this.#deps
    const { textQueue, imageQueue, textSlots } = limits
    const expected = kind === 'text' ? { queue: textQueue, slots: textSlots } : { queue: imageQueue, slots: 1 }
    return (
      this.#state.models.get(id) ??
      introduceModel({
        id,
        memory: estimateModel(this.#deps, descriptor),
        share: shareOf(expected.queue, limits),
        ...expected,
      })
    )
  }
}

/** Whether the engine reports that the file can never be loaded. */
function isOfFile(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'inference_failed' && error.param === 'model'
}

function isElsewhere(descriptor: ModelDescriptor | undefined): boolean {
  return descriptor?.upstream !== undefined
}

/** Whether a model has a process, or will have one shortly. */
function isHeld(model: ResidentModel): boolean {
  return model.phase.type === 'loading' || isResident(model)
}

function isResident({ phase }: ResidentModel): boolean {
  return phase.type === 'loaded' || phase.type === 'unloading'
}

/** Progress of a load. */
export interface LoadProgress {
  /** By the steady time of the clock. */
  readonly startedAt: number
  /** 0 to 1; null = not reported. */
  readonly part: number | null
}

/** Default for `Retry-After`. */
const unknownMs = 5000

/** The error for a wait longer than the limit: the progress of the load and its estimated end. */
function makeLoadingError(modelId: string, progress: LoadProgress | undefined, now: number): ServiceError {
  const { part = null, startedAt = now } = progress ?? {}
  const leftMs = part === null || part === 0 ? unknownMs : ((now - startedAt) * (1 - part)) / part
  const retryAfterSeconds = toSeconds(leftMs)
  const how = part === null ? 'still being loaded' : `still being loaded (${Math.floor(part * 100)} %)`
  return new ServiceError('model_loading', `The model ${modelId} is ${how}; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}

/** A model's state for the port, including values reported by its process; `startedAt` is the Unix time of the steady time 0. */
function describeState(
  model: ResidentModel,
  reported: Pick<ModelState, 'memoryBytes' | 'contextLength' | 'cacheUse' | 'loadProgress' | 'device'>,
  startedAt: number,
): ModelState {
  const { id, phase, slots, held, waiting } = model
  const oldest = waiting.length > 0 ? Math.min(...waiting.map(({ since }) => since)) : null
  // A model still uses its memory while its process ends.
  const state = phase.type === 'unloading' ? 'loaded' : phase.type
  return {
    modelId: id,
    state,
    ...reported,
    slots,
    inUse: held.length,
    waiting: waiting.length,
    ...(oldest !== null && { waitingSince: startedAt + oldest }),
  }
}

/** Whether another deferred request would get a slot now or after loading, or may wait among callers. */
export function hasRoom({ phase, slots, held, waiting, queue }: ResidentModel): boolean {
  if (phase.type === 'backing-off') return false
  if (held.length + waiting.length < slots) return true
  return waiting.length > 0 && waiting.length < queue && !waiting.some(({ deferred }) => deferred)
}
