import { addMemory, beyondMemory, fitsMemory, type MemoryNeed, minMemory, noMemory } from '../core/memory/estimate-memory.ts'
import { applyEvent } from './apply-event.ts'
import { estimateRetryAfter, toSeconds } from './refusal-error.ts'
import {
  type Decision,
  type HeldSlot,
  type ModelPlan,
  memoryBudget,
  minResidentMs,
  type PlannerEvent,
  type Refusal,
  type ResidencyLimits,
  type ResidencyState,
  type ResidentModel,
  reviewMs,
  type UnloadReason,
  type Waiter,
  withModel,
} from './residency-state.ts'

/** The state after an event, and the decisions in order. */
interface Plan {
  readonly state: ResidencyState
  readonly decisions: readonly Decision[]
}

/** Plans models and slots: a pure function of the state, an event and the current facts. */
export function planResidency(before: ResidencyState, event: PlannerEvent, limits: ResidencyLimits, facts: Facts): Plan {
  const decisions: Decision[] = []
  const perModel = (state: ResidencyState, step: (model: ResidentModel) => ModelPlan): ResidencyState => {
    let changed: Map<string, ResidentModel> | null = null
    for (const before of state.models.values()) {
      const { model, decisions: further } = step(before)
      decisions.push(...further)
      // Most steps change nothing, and every request causes two.
      if (model === before) continue
      changed ??= new Map(state.models)
      changed.set(model.id, model)
    }
    return changed === null ? state : { ...state, models: changed }
  }

  let state = applyEvent(before, event, facts.now)
  state = perModel(state, grantSlots(facts.now))
  state = perModel(state, refuseWaiters(limits, { now: facts.now, closing: state.closing }))
  state = perModel(state, endBackoff(facts.now))
  state = perModel(state, drainIdle(limits, facts.now))
  state = holdBudget(state, limits, facts)
  state = loadWanted(state, limits, facts, decisions)
  state = perModel(state, unloadDrained)
  return { state, decisions }
}

const endBackoff =
  (now: number) =>
  (model: ResidentModel): ModelPlan => {
    const over = model.phase.type === 'backing-off' && model.phase.until <= now
    return { model: over ? { ...model, phase: { type: 'unloaded' } } : model, decisions: [] }
  }

const drainIdle =
  ({ idleUnloadMs }: ResidencyLimits, now: number) =>
  (model: ResidentModel): ModelPlan => {
    const due = idleUnloadMs !== null && isIdle(model) && now - model.lastUsedAt >= idleUnloadMs
    return { model: due ? drain(model, 'idle') : model, decisions: [] }
  }

/** Unloads idle models if memory in use exceeds the budget. */
function holdBudget(state: ResidencyState, limits: ResidencyLimits, facts: Facts): ResidencyState {
  return makeRoom(state, null, memoryBudget(limits), facts).leaving.reduce((now, model) => withModel(now, drain(model, 'memory')), state)
}

/** Loads requested models, longest wait first; the first that does not fit blocks the others. */
function loadWanted(before: ResidencyState, limits: ResidencyLimits, facts: Facts, decisions: Decision[]): ResidencyState {
  const firstWaiter = ({ waiting, wanted }: ResidentModel) => Math.min(...wanted, ...waiting.slice(0, 1).map(({ id }) => id))
  const queue = [...before.models.values()]
    .filter((model) => model.phase.type === 'unloaded' && firstWaiter(model) < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => firstWaiter(a) - firstWaiter(b))
  let state = before
  for (const model of queue) {
    const { fits, leaving } = makeRoom(state, model, memoryBudget(limits), facts)
    if (!fits) return leaving.reduce((now, victim) => withModel(now, drain(victim, 'memory')), state)
    state = withModel(state, { ...model, phase: { type: 'loading' } })
    decisions.push({ type: 'load', modelId: model.id })
  }
  return state
}

function unloadDrained(model: ResidentModel): ModelPlan {
  const { phase, held } = model
  if (phase.type !== 'loaded' || phase.draining === null || held.length > 0) return { model, decisions: [] }
  const decision = { type: 'unload', modelId: model.id, reason: phase.draining } as const
  return { model: { ...model, phase: { type: 'unloading' } }, decisions: [decision] }
}

type Line = Pick<ResidentModel, 'waiting' | 'held' | 'given' | 'givenLeast'>

/**
 * Chooses the next waiter: from the account with the fewest running sequences relative to its weight, then the one served the least
 * (start-time fair queueing, Goyal et al. 1996), then the one waiting longest; within the account by due time.
 */
function chooseWaiter(model: Line): Waiter | undefined {
  const sequences = countByAccount(model.held)
  const rank = ({ account, weight = 1 }: Waiter) => [(sequences.get(account) ?? 0) / weight, startOf(model, account)] as const
  let best: { readonly waiter: Waiter; readonly rank: ReturnType<typeof rank> } | undefined
  for (const waiter of model.waiting) {
    const own = rank(waiter)
    if (best === undefined || own[0] < best.rank[0] || (own[0] === best.rank[0] && own[1] < best.rank[1])) best = { waiter, rank: own }
  }
  const account = best?.waiter.account
  return model.waiting
    .filter((waiter) => waiter.account === account)
    .reduce<Waiter | undefined>((first, each) => (first === undefined || each.due < first.due ? each : first), undefined)
}

function countByAccount(held: readonly HeldSlot[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { account, sequences } of held) counts.set(account, (counts.get(account) ?? 0) + sequences)
  return counts
}

/** Service counted for an account; one that was idle starts level with those waiting, not ahead of them. */
function startOf({ given, givenLeast }: Pick<Line, 'given' | 'givenLeast'>, account: string): number {
  return Math.max(given.get(account) ?? 0, givenLeast)
}

/** The model after serving this waiter. */
function serveWaiter(model: ResidentModel, waiter: Waiter, now: number): ResidentModel {
  const held = [...model.held, { ...waiter, since: now }]
  const waiting = model.waiting.filter(({ id }) => id !== waiter.id)
  const start = startOf(model, waiter.account)
  const givenLeast = Math.min(...model.waiting.map(({ account }) => startOf(model, account)))
  const given = new Map([...model.given].filter(([, sequences]) => sequences > givenLeast)).set(
    waiter.account,
    start + waiter.sequences / (waiter.weight ?? 1),
  )
  return { ...model, held, waiting, given, givenLeast, lastUsedAt: now }
}

/** Grants the free slots of a loaded model, and resolves pure load requests. */
const grantSlots =
  (now: number) =>
  (model: ResidentModel): ModelPlan => {
    if (model.phase.type !== 'loaded' || model.wanted.length + model.waiting.length === 0) return { model, decisions: [] }
    const decisions: Decision[] = model.wanted.map((waiterId) => ({ type: 'grant', modelId: model.id, waiterId }))
    let served: ResidentModel = { ...model, wanted: [] }
    while (model.phase.draining === null && served.held.length < served.slots) {
      const waiter = chooseWaiter(served)
      if (waiter === undefined) break
      served = serveWaiter(served, waiter, now)
      decisions.push({ type: 'grant', modelId: model.id, waiterId: waiter.id })
    }
    return { model: served, decisions }
  }

/** Facts outside the state at one time. */
interface Facts {
  /** Milliseconds of a clock that is never set, as all times of the state. */
  readonly now: number
  /** Memory of each loaded model. */
  readonly memory: ReadonlyMap<string, MemoryNeed>
}

/** Whether a model can be loaded now; otherwise the models to unload first: idle ones now, busy ones after their leases. */
export interface Room {
  readonly fits: boolean
  readonly leaving: readonly ResidentModel[]
}

/** Finds memory for a model, or, with `wanted` null, restores the budget. */
function makeRoom(state: ResidencyState, wanted: ResidentModel | null, budget: MemoryNeed, { now, memory }: Facts): Room {
  const size = (model: ResidentModel) => memory.get(model.id) ?? model.memory.expected
  const resident = [...state.models.values()].filter(({ phase }) => ['loading', 'loaded', 'unloading'].includes(phase.type))
  const used = resident.reduce((sum, model) => addMemory(sum, size(model)), noMemory)
  // A model larger than the whole budget is tried alone, since the estimate may be wrong.
  const needed = wanted === null ? noMemory : minMemory(wanted.memory.expected, budget)
  const together = addMemory(used, needed)
  if (fitsMemory(together, budget) || resident.length === 0) return { fits: true, leaving: [] }

  const going = resident.filter(({ phase }) => phase.type === 'unloading' || (phase.type === 'loaded' && phase.draining !== null))
  let staying = going.reduce((sum, model) => beyondMemory(sum, size(model)), together)
  const leaving: ResidentModel[] = []
  for (const victim of listVictims(resident, wanted, now)) {
    if (fitsMemory(staying, budget)) break
    if (!frees(size(victim), staying, budget)) continue
    leaving.push(victim)
    staying = beyondMemory(staying, size(victim))
  }
  return { fits: false, leaving }
}

/** Whether unloading the victim frees memory of the kind that is short. */
function frees(size: MemoryNeed, staying: MemoryNeed, budget: MemoryNeed): boolean {
  const excess = beyondMemory(staying, budget)
  return (excess.processorBytes > 0 && size.processorBytes > 0) || (excess.gpuBytes > 0 && size.gpuBytes > 0)
}

/** Idle models, least recently used first, then (only for another model) busy ones that have had their minimum time. */
function listVictims(resident: readonly ResidentModel[], wanted: ResidentModel | null, now: number): ResidentModel[] {
  const byAge = resident
    .filter(({ phase }) => phase.type === 'loaded' && phase.draining === null)
    .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
  const idle = byAge.filter(isIdle)
  if (wanted === null) return idle
  const busy = byAge.filter((model) => !isIdle(model) && model.phase.type === 'loaded' && now - model.phase.since >= minResidentMs)
  return [...idle, ...busy]
}

/** Whether a model has neither users nor waiters. */
function isIdle({ held, waiting, wanted }: ResidentModel): boolean {
  return held.length === 0 && waiting.length === 0 && wanted.length === 0
}

/** The model without new slots; it is unloaded after its last lease. */
function drain(model: ResidentModel, reason: UnloadReason): ResidentModel {
  if (model.phase.type !== 'loaded' || model.phase.draining !== null) return model
  return { ...model, phase: { ...model.phase, draining: reason } }
}

/** Refuses waiters: queue full, waited too long, model keeps crashing or is too large, or the service is stopping. */
const refuseWaiters =
  (limits: ResidencyLimits, moment: Moment) =>
  (model: ResidentModel): ModelPlan => {
    if (model.waiting.length + model.wanted.length === 0) return { model, decisions: [] }
    const refuse = (waiterId: number, refusal: Refusal | undefined): Refused[] =>
      refusal === undefined ? [] : [{ type: 'refuse', modelId: model.id, waiterId, refusal }]
    const refused = [
      ...model.wanted.flatMap((id) => refuse(id, findGeneralRefusal(model, id, limits, moment))),
      ...model.waiting.flatMap((waiter, place) =>
        refuse(
          waiter.id,
          findGeneralRefusal(model, waiter.id, limits, moment) ?? findQueueRefusal(model, { waiter, place }, limits, moment),
        ),
      ),
    ]
    const gone = new Set(refused.map(({ waiterId }) => waiterId))
    const waiting = model.waiting.flatMap((waiter) =>
      gone.has(waiter.id) ? [] : [waiter.admitted ? waiter : { ...waiter, admitted: true }],
    )
    const wanted = model.wanted.filter((id) => !gone.has(id))
    return { model: { ...model, waiting, wanted }, decisions: refused }
  }

type Moment = { readonly now: number; readonly closing: boolean }
type Refused = Extract<Decision, { readonly type: 'refuse' }>

function findGeneralRefusal(
  { phase, memory }: ResidentModel,
  waiterId: number,
  limits: ResidencyLimits,
  { now, closing }: Moment,
): Refusal | undefined {
  if (closing) return { because: 'closing', retryAfterSeconds: 1 }
  if (phase.type === 'unloaded' && !fitsMemory(memory.least, memoryBudget(limits))) return { because: 'too-large', retryAfterSeconds: 1 }
  if (phase.type !== 'backing-off' || now >= phase.until || waiterId <= phase.keeps) return undefined
  return { because: phase.unloadable ? 'unloadable' : 'backing-off', retryAfterSeconds: toSeconds(phase.until - now) }
}

function findQueueRefusal(
  model: ResidentModel,
  { waiter, place }: { readonly waiter: Waiter; readonly place: number },
  { waitLimitMs }: ResidencyLimits,
  { now }: Moment,
): Refusal | undefined {
  if (now - waiter.since >= waitLimitMs) {
    const because = model.phase.type === 'loading' ? 'still-loading' : 'waited-too-long'
    return { because, retryAfterSeconds: estimateRetryAfter(model) }
  }
  // Waiters that get a slot as soon as the model is back do not count as waiting.
  const serving = model.phase.type === 'loaded' && model.phase.draining === null
  const ahead = serving ? 0 : model.slots
  if (place >= model.queue + ahead) return { because: 'queue-full', retryAfterSeconds: estimateRetryAfter(model) }
  // The worker submits one at a time, for any account.
  if (waiter.admitted || waiter.deferred || model.share >= model.queue) return undefined
  const own = model.waiting.slice(0, place).filter(({ account }) => account === waiter.account)
  return own.length < model.share + ahead
    ? undefined
    : { because: 'share-full', retryAfterSeconds: estimateRetryAfter({ ...model, waiting: own }) }
}

/** The next time at which the planner must run without an event, in the time of `now`; Infinity = never. */
export function nextDeadline({ models, closing }: ResidencyState, limits: ResidencyLimits, now: number): number {
  // Leases may end after closing, and a timer would keep the process alive.
  if (closing) return Number.POSITIVE_INFINITY
  let starved = false
  for (const { phase, waiting, wanted } of models.values()) starved ||= phase.type === 'unloaded' && waiting.length + wanted.length > 0
  let next = Number.POSITIVE_INFINITY
  for (const model of models.values()) next = Math.min(next, deadlineOf(model, limits, { now, starved }))
  return next
}

function deadlineOf(
  model: ResidentModel,
  { idleUnloadMs, waitLimitMs }: ResidencyLimits,
  { now, starved }: { readonly now: number; readonly starved: boolean },
): number {
  const { phase, waiting, lastUsedAt } = model
  // Waiters are in order of arrival.
  const [first] = waiting
  let next = first === undefined ? Number.POSITIVE_INFINITY : first.since + waitLimitMs
  if (phase.type === 'backing-off') next = Math.min(next, phase.until)
  if (phase.type !== 'loaded' || phase.draining !== null) return next
  next = Math.min(next, now + reviewMs)
  if (idleUnloadMs !== null && isIdle(model)) next = Math.min(next, lastUsedAt + idleUnloadMs)
  const ripeAt = phase.since + minResidentMs
  return starved && ripeAt > now ? Math.min(next, ripeAt) : next
}
