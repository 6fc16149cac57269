import { addMemory, beyondMemory, fitsMemory, leastMemory, type MemoryNeed, noMemory } from '../core/memory/estimate-memory.ts'
import { applyEvent } from './apply-event.ts'
import { estimateRetryAfter, toSeconds } from './refusal-error.ts'
import {
  type Decision,
  type HeldSlot,
  leastResidentMs,
  type ModelPlan,
  memoryBudget,
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

/** The state after an event, and what is to be done about it, in order. */
interface Plan {
  readonly state: ResidencyState
  readonly decisions: readonly Decision[]
}

/** Decides everything about models in memory and slots: a pure function of what was, what happened and what is true now. */
export function planResidency(before: ResidencyState, event: PlannerEvent, limits: ResidencyLimits, facts: Facts): Plan {
  const decisions: Decision[] = []
  const perModel = (state: ResidencyState, step: (model: ResidentModel) => ModelPlan): ResidencyState => {
    let changed: Map<string, ResidentModel> | null = null
    for (const before of state.models.values()) {
      const { model, decisions: further } = step(before)
      decisions.push(...further)
      // Most steps change nothing, and every request asks twice.
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

/** Lets idle models go when those in memory have grown over the budget. */
function holdBudget(state: ResidencyState, limits: ResidencyLimits, facts: Facts): ResidencyState {
  return makeRoom(state, null, memoryBudget(limits), facts).leaving.reduce((now, model) => withModel(now, drain(model, 'memory')), state)
}

/** Loads the models somebody waits for, the longest wait first; the first that does not fit holds up the others. */
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
 * The waiter to serve next: of the account with the fewest sequences in work for its weight, then of the one that has been given the least
 * (start-time fair queueing, Goyal et al. 1996), then the one whose first came first; of its own the one that is due first.
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

/** An account's place: one that was idle enters level with those that waited, not before them. */
function startOf({ given, givenLeast }: Pick<Line, 'given' | 'givenLeast'>, account: string): number {
  return Math.max(given.get(account) ?? 0, givenLeast)
}

/** The model after this waiter got its slot. */
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

/** Hands out a loaded model's free slots, and tells who only wanted it loaded. */
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

/** What the planner knows of the outside at one moment. */
interface Facts {
  /** Unix milliseconds. */
  readonly now: number
  /** What each loaded model takes. */
  readonly memory: ReadonlyMap<string, MemoryNeed>
}

/** Whether a model can be loaded now; else which models must go first, idle ones now, busy ones after their leases. */
export interface Room {
  readonly fits: boolean
  readonly leaving: readonly ResidentModel[]
}

/** Finds memory for a model, or with `wanted` null for the budget itself. */
function makeRoom(state: ResidencyState, wanted: ResidentModel | null, budget: MemoryNeed, { now, memory }: Facts): Room {
  const size = (model: ResidentModel) => memory.get(model.id) ?? model.memory.expected
  const resident = [...state.models.values()].filter(({ phase }) => ['loading', 'loaded', 'unloading'].includes(phase.type))
  const used = resident.reduce((sum, model) => addMemory(sum, size(model)), noMemory)
  // A model over the whole budget is tried alone: the estimate may be wrong, the operator's wish is not.
  const needed = wanted === null ? noMemory : leastMemory(wanted.memory.expected, budget)
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

/** Whether something of what is short is in the victim. */
function frees(size: MemoryNeed, staying: MemoryNeed, budget: MemoryNeed): boolean {
  const excess = beyondMemory(staying, budget)
  return (excess.processorBytes > 0 && size.processorBytes > 0) || (excess.gpuBytes > 0 && size.gpuBytes > 0)
}

/** Idle models, the longest unused first, then (only for another model's sake) busy ones that have had their time. */
function listVictims(resident: readonly ResidentModel[], wanted: ResidentModel | null, now: number): ResidentModel[] {
  const byAge = resident
    .filter(({ phase }) => phase.type === 'loaded' && phase.draining === null)
    .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
  const idle = byAge.filter(isIdle)
  if (wanted === null) return idle
  const busy = byAge.filter((model) => !isIdle(model) && model.phase.type === 'loaded' && now - model.phase.since >= leastResidentMs)
  return [...idle, ...busy]
}

/** Whether nobody uses a model or waits for it. */
function isIdle({ held, waiting, wanted }: ResidentModel): boolean {
  return held.length === 0 && waiting.length === 0 && wanted.length === 0
}

/** The model without new slots: it goes with its last lease. */
function drain(model: ResidentModel, reason: UnloadReason): ResidentModel {
  if (model.phase.type !== 'loaded' || model.phase.draining !== null) return model
  return { ...model, phase: { ...model.phase, draining: reason } }
}

/** Sends away who came when the queue was full, waited too long, came while the model keeps dying or is larger than all memory, or waits in a service that ends. */
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
  // Those who will get a slot at once when the model comes back do not count as waiting.
  const serving = model.phase.type === 'loaded' && model.phase.draining === null
  const ahead = serving ? 0 : model.slots
  if (place >= model.queue + ahead) return { because: 'queue-full', retryAfterSeconds: estimateRetryAfter(model) }
  // The worker brings one at a time, of any account.
  if (waiter.admitted || waiter.deferred || model.share >= model.queue) return undefined
  const own = model.waiting.slice(0, place).filter(({ account }) => account === waiter.account)
  return own.length < model.share + ahead
    ? undefined
    : { because: 'share-full', retryAfterSeconds: estimateRetryAfter({ ...model, waiting: own }) }
}

/** When the planner must be asked again although nothing happens, in Unix milliseconds; Infinity for never. */
export function nextDeadline({ models, closing }: ResidencyState, limits: ResidencyLimits, now: number): number {
  // Leases may be given back after the end, and an alarm would keep the process alive.
  if (closing) return Number.POSITIVE_INFINITY
  const all = [...models.values()]
  const starved = all.some(({ phase, waiting, wanted }) => phase.type === 'unloaded' && waiting.length + wanted.length > 0)
  return Math.min(...all.flatMap((model) => listDeadlines(model, limits, { now, starved })))
}

function listDeadlines(
  model: ResidentModel,
  { idleUnloadMs, waitLimitMs }: ResidencyLimits,
  { now, starved }: { readonly now: number; readonly starved: boolean },
): number[] {
  const { phase, waiting, lastUsedAt } = model
  // Waiters stand in the order in which they came.
  const deadlines = waiting.slice(0, 1).map(({ since }) => since + waitLimitMs)
  if (phase.type === 'backing-off') deadlines.push(phase.until)
  if (phase.type !== 'loaded' || phase.draining !== null) return deadlines
  deadlines.push(now + reviewMs)
  if (idleUnloadMs !== null && isIdle(model)) deadlines.push(lastUsedAt + idleUnloadMs)
  const ripeAt = phase.since + leastResidentMs
  if (starved && ripeAt > now) deadlines.push(ripeAt)
  return deadlines
}
