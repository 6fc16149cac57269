import { correctEstimate, fitsMemory, type MemoryEstimate, type MemoryNeed, noMemory } from '../core/memory/estimate-memory.ts'
import { type PlannerEvent, type ResidencyState, type ResidentModel, withModel } from './residency-state.ts'

/** Notes what happened; what follows from it is decided afterwards, from the state alone. */
export function applyEvent(state: ResidencyState, event: PlannerEvent, now: number): ResidencyState {
  if (event.type === 'tick') return state
  if (event.type === 'close') return { ...state, closing: true }
  if (event.type === 'introduce') return withModel(state, event.model)
  const model = state.models.get(event.modelId)
  return model === undefined ? state : withModel(state, noteEvent(model, event, now))
}

/** A priority moves a request by less than this among those of its account, so that nothing waits for ever. */
const mostDelayMs = 30_000
/** The priority that moves it by half of that. */
const halfway = 10

/** Milliseconds that a priority makes a request come later, or earlier; in the order of the priorities, whatever their size. */
function delayOf(priority: number): number {
  return (mostDelayMs * priority) / (Math.abs(priority) + halfway)
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
      // Unloading a model that keeps failing allows another try, as after its files were replaced.
      if (model.phase.type === 'backing-off') return { ...model, phase: { type: 'unloaded' }, crashes: 0 }
      return model.phase.type === 'loaded' ? { ...model, phase: { ...model.phase, draining: model.phase.draining ?? 'asked' } } : model
    case 'unloaded':
      return { ...model, phase: { type: 'unloaded' }, held: [], memory: learn(model, event.memory) }
  }
}

/** What runs elsewhere, or ended before it was measured, tells nothing. */
function learn({ memory }: ResidentModel, measured: MemoryNeed): MemoryEstimate {
  return fitsMemory(measured, noMemory) ? memory : correctEstimate(memory, measured)
}

/** After so many failures in a row, the last of them of a load, waiting is no advice any more. */
const hopelessLoads = 3

/** A crash takes the requests on the process with it, a failed load everybody who waited for it. */
function noteCrash(model: ResidentModel, now: number): ResidentModel {
  const loaded = model.phase.type === 'loaded'
  const livedMs = model.phase.type === 'loaded' ? now - model.phase.since : 0
  const crashes = countCrash(model.crashes, { livedMs, served: loaded && model.served })
  const keeps = loaded ? (model.waiting.at(-1)?.id ?? 0) : 0
  const unloadable = !loaded && crashes >= hopelessLoads
  return { ...model, phase: { type: 'backing-off', until: now + backoffMs(crashes, { loaded }), keeps, unloadable }, held: [], crashes }
}

/** How long a model waits for a machine that could start no process, and for another file. */
const pauseMs = { machine: 1000, file: 60_000 } as const

/** Trying again soon would not help, or would; either way the failure does not count, and everybody who waited for the model is refused. */
function pause(model: ResidentModel, blame: keyof typeof pauseMs, now: number): ResidentModel {
  return { ...model, phase: { type: 'backing-off', until: now + pauseMs[blame], keeps: 0, unloadable: blame === 'file' }, held: [] }
}

function releaseSlot(model: ResidentModel, waiterId: number, now: number): ResidentModel {
  const slot = model.held.find(({ id }) => id === waiterId)
  // A lease of a process that has died since.
  if (slot === undefined) return model
  const heldMs = now - slot.since
  const meanHeldMs = model.meanHeldMs === 0 ? heldMs : model.meanHeldMs * 0.8 + heldMs * 0.2
  return { ...model, held: model.held.filter(({ id }) => id !== waiterId), meanHeldMs, served: true, lastUsedAt: now }
}

/** A process that lived this long does not count as crashing in a row. */
const stableMs = 60_000
const firstPauseMs = 500
const longestPauseMs = 60_000

/** Crashes in a row, after one more by a process that lived for `livedMs` and has `served` requests to their end, or has not. */
function countCrash(crashesBefore: number, { livedMs, served }: { readonly livedMs: number; readonly served: boolean }): number {
  return served || livedMs >= stableMs ? 1 : crashesBefore + 1
}

/**
 * The pause after so many crashes in a row: half a second, doubled by each, at most a minute.
 * A model that could be loaded comes back from its first crash without one.
 */
function backoffMs(crashes: number, { loaded }: { readonly loaded: boolean }): number {
  const pauses = loaded ? crashes - 1 : crashes
  return pauses === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (pauses - 1))
}
