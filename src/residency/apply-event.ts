import { correctEstimate, fitsMemory, type MemoryEstimate, type MemoryNeed, noMemory } from '../core/memory/estimate-memory.ts'
import { type PlannerEvent, type ResidencyState, type ResidentModel, withModel } from './residency-state.ts'

/** Applies an event to the state; decisions are made afterwards, from the state alone. */
export function applyEvent(state: ResidencyState, event: PlannerEvent, now: number): ResidencyState {
  if (event.type === 'tick') return state
  if (event.type === 'close') return { ...state, closing: true }
  if (event.type === 'introduce') return withModel(state, event.model)
  const model = state.models.get(event.modelId)
  return model === undefined ? state : withModel(state, noteEvent(model, event, now))
}

/** Bound on the shift by priority among an account's requests, so that none starves. */
const maxDelayMs = 30_000
/** The priority that shifts by half the bound. */
const halfway = 10

/** Milliseconds by which a priority delays a request (negative = earlier); monotonic and bounded. */
function delayOf(priority: number): number {
  return (maxDelayMs * priority) / (Math.abs(priority) + halfway)
}

type ModelEvent = Extract<PlannerEvent, { readonly modelId: string }>

function noteEvent(model: ResidentModel, event: ModelEvent, now: number): ResidentModel {
  switch (event.type) {
    case 'acquire':
      return {
        ...model,
        waiting: [
          ...model.waiting,
          {
            id: event.waiterId,
            account: event.account,
            weight: event.weight ?? 1,
            sequences: event.sequences,
            since: now,
            due: now + delayOf(event.priority ?? 0),
            deferred: event.deferred === true,
            admitted: false,
          },
        ],
      }
    case 'want':
      return { ...model, wanted: [...model.wanted, event.waiterId] }
    case 'leave':
      return {
        ...model,
        waiting: model.waiting.filter(({ id }) => id !== event.waiterId),
        wanted: model.wanted.filter((id) => id !== event.waiterId),
      }
    case 'release':
      return releaseSlot(model, event.waiterId, now)
    case 'loaded':
      return { ...model, phase: { type: 'loaded', since: now, draining: null }, slots: event.slots, served: false, lastUsedAt: now }
    case 'crashed':
      return event.blame === undefined ? noteCrash(model, now) : pause(model, event.blame, now)
    case 'unload':
      // Unloading resets the failures of a model, as after replacing its files.
      if (model.phase.type === 'backing-off') return { ...model, phase: { type: 'unloaded' }, crashes: 0 }
      return model.phase.type === 'loaded' ? { ...model, phase: { ...model.phase, draining: model.phase.draining ?? 'asked' } } : model
    case 'unloaded':
      return { ...model, phase: { type: 'unloaded' }, held: [], memory: learn(model, event.memory) }
  }
}

/** Remote models, and those that ended before a measurement, are not measured. */
function learn({ memory }: ResidentModel, measured: MemoryNeed): MemoryEstimate {
  return fitsMemory(measured, noMemory) ? memory : correctEstimate(memory, measured)
}

/** Consecutive failures, the last during a load, after which retrying is no longer suggested. */
const maxFailedLoads = 3

/** A crash fails the running requests; a failed load fails all that waited for it. */
function noteCrash(model: ResidentModel, now: number): ResidentModel {
  const loaded = model.phase.type === 'loaded'
  const livedMs = model.phase.type === 'loaded' ? now - model.phase.since : 0
  const crashes = countCrash(model.crashes, { livedMs, served: loaded && model.served })
  const keeps = loaded ? (model.waiting.at(-1)?.id ?? 0) : 0
  const unloadable = !loaded && crashes >= maxFailedLoads
  return { ...model, phase: { type: 'backing-off', until: now + backoffMs(crashes, { loaded }), keeps, unloadable }, held: [], crashes }
}

/** Pause after a failure to start any process, and after a fault of the model's file. */
const pauseMs = { machine: 1000, file: 60_000 } as const

/** Pauses loading without counting a failure and refuses all waiting requests. */
function pause(model: ResidentModel, blame: keyof typeof pauseMs, now: number): ResidentModel {
  return { ...model, phase: { type: 'backing-off', until: now + pauseMs[blame], keeps: 0, unloadable: blame === 'file' }, held: [] }
}

function releaseSlot(model: ResidentModel, waiterId: number, now: number): ResidentModel {
  const slot = model.held.find(({ id }) => id === waiterId)
  // A lease of a process that has since died.
  if (slot === undefined) return model
  const heldMs = now - slot.since
  const meanHeldMs = model.meanHeldMs === 0 ? heldMs : model.meanHeldMs * 0.8 + heldMs * 0.2
  return { ...model, held: model.held.filter(({ id }) => id !== waiterId), meanHeldMs, served: true, lastUsedAt: now }
}

/** Uptime after which a crash is not considered consecutive. */
const stableMs = 60_000
const firstPauseMs = 500
const longestPauseMs = 60_000

/** Consecutive crashes including this one, given the uptime of the process and whether it has `served` a request. */
function countCrash(crashesBefore: number, { livedMs, served }: { readonly livedMs: number; readonly served: boolean }): number {
  return served || livedMs >= stableMs ? 1 : crashesBefore + 1
}

/** Pause after consecutive crashes: half a second, doubled by each, up to a minute. The first crash of a loaded model causes no pause. */
function backoffMs(crashes: number, { loaded }: { readonly loaded: boolean }): number {
  const pauses = loaded ? crashes - 1 : crashes
  return pauses === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (pauses - 1))
}
