import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemoryEstimate, MemoryNeed } from '../core/memory/estimate-memory.ts'
import { planResidency } from './plan-residency.ts'
import { introduceModel, minResidentMs, type PlannerEvent, type ResidencyLimits, type ResidencyState } from './residency-state.ts'

const mega = 1_000_000
const limits: ResidencyLimits = {
  memoryBytes: 1000 * mega,
  idleUnloadMs: 900_000,
  textSlots: 2,
  textQueue: 2,
  imageQueue: 2,
  waitLimitMs: 60_000,
}

/** An event at a moment, and the decisions it must lead to, each as `verb subject`. */
type Row = readonly [atMs: number, event: PlannerEvent, decisions: readonly string[]]

const acquire = (waiterId: number, account = 'a', modelId = 'm', sequences = 1): PlannerEvent => ({
  type: 'acquire',
  modelId,
  waiterId,
  account,
  sequences,
})
const ranked = (waiterId: number, account: string, priority: number): PlannerEvent => ({
  type: 'acquire',
  modelId: 'm',
  waiterId,
  account,
  sequences: 1,
  priority,
})
const heavy = (waiterId: number): PlannerEvent => ({ type: 'acquire', modelId: 'm', waiterId, account: 'h', weight: 3, sequences: 1 })
const many = (waiterId: number, account: string, sequences: number): PlannerEvent => acquire(waiterId, account, 'm', sequences)
const release = (waiterId: number, modelId = 'm'): PlannerEvent => ({ type: 'release', modelId, waiterId })
const leave = (waiterId: number, modelId = 'm'): PlannerEvent => ({ type: 'leave', modelId, waiterId })
const want = (waiterId: number, modelId = 'm'): PlannerEvent => ({ type: 'want', modelId, waiterId })
const loaded = (modelId = 'm', slots = 2): PlannerEvent => ({ type: 'loaded', modelId, slots })
const onProcessor = (processorBytes: number): MemoryNeed => ({ processorBytes, gpuBytes: 0 })
const unloaded = (modelId = 'm', memoryBytes = 0): PlannerEvent => ({ type: 'unloaded', modelId, memory: onProcessor(memoryBytes) })
const crashed: PlannerEvent = { type: 'crashed', modelId: 'm' }
const crashedByMachine: PlannerEvent = { ...crashed, blame: 'machine' }
const unload: PlannerEvent = { type: 'unload', modelId: 'm' }
const tick: PlannerEvent = { type: 'tick' }

/** Three models; two of them fit into memory at once: each is guessed at 400 MB. */
function begin(shape: { readonly queue: number; readonly share?: number }): ResidencyState {
  const memory = { expected: onProcessor(400 * mega), least: onProcessor(300 * mega) }
  const models = ['m', 'n', 'o'].map((id) => introduceModel({ id, ...shape, slots: 2, memory }))
  return { models: new Map(models.map((model) => [model.id, model])), closing: false }
}

function checkTable(
  rows: readonly Row[],
  memory: Readonly<Record<string, number>> = {},
  shape: { readonly queue: number; readonly share?: number } = { queue: 2 },
): void {
  let state = begin(shape)
  for (const [index, [now, event, expected]] of rows.entries()) {
    const plan = planResidency(state, event, limits, {
      now,
      memory: new Map(Object.entries(memory).map(([id, bytes]) => [id, onProcessor(bytes)])),
    })
    const actual = plan.decisions.map((decision) => {
      if (decision.type === 'refuse') return `refuse ${decision.waiterId} ${decision.refusal.because} ${decision.refusal.retryAfterSeconds}`
      if (decision.type === 'grant') return `grant ${decision.waiterId}`
      return decision.type === 'unload' ? `unload ${decision.modelId} ${decision.reason}` : `load ${decision.modelId}`
    })
    assert.deepEqual(actual, expected, `row ${index + 1}: ${JSON.stringify(event)}`)
    state = plan.state
  }
}

const tables: Readonly<Record<string, readonly Row[]>> = {
  'the first request loads the model and gets a slot when it is there': [
    [0, acquire(1), ['load m']],
    [10, acquire(2), []],
    [20, loaded(), ['grant 1', 'grant 2']],
    [30, acquire(3), []],
    [40, release(1), ['grant 3']],
  ],
  'over slots and queue the next is refused, also while the model loads': [
    [0, acquire(1), ['load m']],
    [0, acquire(2), []],
    [0, acquire(3), []],
    [0, acquire(4), []],
    [0, acquire(5), ['refuse 5 queue-full 1']],
    [10, loaded(), ['grant 1', 'grant 2']],
    [10, acquire(6), ['refuse 6 queue-full 1']],
    [20, leave(3), []],
    [20, acquire(7), []],
  ],
  'a refusal has a wait that is estimated from how long slots were held': [
    [0, acquire(1), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [10_000, release(1), []],
    [10_000, acquire(2), ['grant 2']],
    [10_000, acquire(3), []],
    [10_000, acquire(4), []],
    [10_000, acquire(5), ['refuse 5 queue-full 30']],
  ],
  'who waited too long is refused': [
    [0, acquire(1), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [5_000, acquire(2), []],
    [30_000, acquire(3), []],
    [65_000, tick, ['refuse 2 waited-too-long 1']],
    [66_000, release(1), ['grant 3']],
  ],
  'accounts take turns, the one with fewer slots first': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded(), ['grant 1']],
    [0, acquire(2, 'a'), ['grant 2']],
    [0, acquire(3, 'a'), []],
    [0, acquire(4, 'b'), []],
    [0, release(1), ['grant 4']],
    [0, acquire(5, 'b'), []],
    [0, release(4), ['grant 5']],
    [0, release(2), ['grant 3']],
  ],
  'two accounts with as many slots are served in rotation': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, acquire(2, 'a'), []],
    [0, acquire(3, 'b'), []],
    [0, release(1), ['grant 3']],
    [0, acquire(4, 'b'), []],
    [0, release(3), ['grant 2']],
    [0, release(2), ['grant 4']],
  ],
  'an idle model is unloaded, a used one is not': [
    [0, acquire(1), ['load m']],
    [0, loaded(), ['grant 1']],
    [900_000, tick, []],
    [1_000_000, release(1), []],
    [1_899_999, tick, []],
    [1_900_000, tick, ['unload m idle']],
    [1_900_001, acquire(2), []],
    [1_900_002, unloaded(), ['load m']],
  ],
  'short memory takes the longest unused idle model': [
    [0, want(1, 'n'), ['load n']],
    [0, loaded('n'), ['grant 1']],
    [1, want(2, 'm'), ['load m']],
    [1, loaded('m'), ['grant 2']],
    [2, acquire(3, 'a', 'o'), ['unload n memory']],
    [3, unloaded('n'), ['load o']],
    [4, loaded('o'), ['grant 3']],
  ],
  'a busy model makes room after its time and its last lease, and comes back': [
    [0, acquire(1, 'a', 'n'), ['load n']],
    [0, loaded('n'), ['grant 1']],
    [1, acquire(2), ['load m']],
    [1, loaded(), ['grant 2']],
    [2, acquire(3, 'a', 'o'), []],
    [minResidentMs, tick, []],
    [minResidentMs, acquire(4, 'a', 'n'), []],
    [minResidentMs + 1, release(1, 'n'), ['unload n memory']],
    [minResidentMs + 2, unloaded('n'), ['load o']],
    [minResidentMs + 3, loaded('o'), ['grant 3']],
    [minResidentMs + 4, release(2), ['unload m memory']],
    [minResidentMs + 5, unloaded('m'), ['load n']],
  ],
  'the first crash restarts at once and keeps who waits': [
    [0, acquire(1), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, acquire(2), []],
    [10, crashed, ['load m']],
    [11, release(1), []],
    [12, loaded('m', 1), ['grant 2']],
  ],
  'further crashes back off; requests meanwhile get the time to come back': [
    [0, acquire(1), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [10, crashed, []],
    [20, acquire(2), ['load m']],
    [30, loaded('m', 1), ['grant 2']],
    [30, acquire(3), []],
    [40, crashed, []],
    [41, acquire(4), ['refuse 4 backing-off 1']],
    [539, tick, []],
    [540, tick, ['load m']],
    [550, loaded('m', 1), ['grant 3']],
    [60_550, crashed, []],
    [60_550, acquire(5), ['load m']],
  ],
  'a process that served somebody before it died comes back without a pause': [
    [0, acquire(1), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [10, crashed, []],
    [20, acquire(2), ['load m']],
    [30, loaded('m', 1), ['grant 2']],
    [40, release(2), []],
    [50, acquire(3), ['grant 3']],
    [60, crashed, []],
    [60, acquire(4), ['load m']],
  ],
  'a failed load refuses all waiting requests and pauses longer each time; the third reports that the model cannot be loaded': [
    [0, acquire(1), ['load m']],
    [0, want(2), []],
    [10, crashed, ['refuse 2 backing-off 1', 'refuse 1 backing-off 1']],
    [510, acquire(3), ['load m']],
    [510, crashed, ['refuse 3 backing-off 1']],
    [1509, acquire(4), ['refuse 4 backing-off 1']],
    [1510, acquire(5), ['load m']],
    [1510, crashed, ['refuse 5 unloadable 2']],
  ],
  'a file that cannot be loaded is said so at once, and tried again after a minute': [
    [0, acquire(1), ['load m']],
    [10, { ...crashed, blame: 'file' }, ['refuse 1 unloadable 60']],
    [20, acquire(2), ['refuse 2 unloadable 60']],
    [60_010, acquire(3), ['load m']],
  ],
  'a machine that can start no process is not held against the model, however often': [
    [0, acquire(1), ['load m']],
    [10, crashedByMachine, ['refuse 1 backing-off 1']],
    [1010, acquire(2), ['load m']],
    [1010, crashedByMachine, ['refuse 2 backing-off 1']],
    [2010, acquire(3), ['load m']],
    [2010, crashed, ['refuse 3 backing-off 1']],
  ],
  'unloading waits for leases and gives out no slots meanwhile': [
    [0, acquire(1), ['load m']],
    [0, loaded(), ['grant 1']],
    [1, unload, []],
    [2, acquire(2), []],
    [3, release(1), ['unload m asked']],
    [4, unloaded(), ['load m']],
    [5, loaded(), ['grant 2']],
  ],
  'closing refuses who waits and who comes': [
    [0, acquire(1), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, acquire(2), []],
    [1, { type: 'close' }, ['refuse 2 closing 1']],
    [2, acquire(3), ['refuse 3 closing 1']],
  ],
}

const fairness: Readonly<Record<string, readonly Row[]>> = {
  'sixteen completions in one request weigh as much as sixteen requests': [
    [0, many(1, 'a', 16), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, many(2, 'a', 16), []],
    [0, acquire(3, 'b'), []],
    [0, release(1), ['grant 3']],
    [0, acquire(4, 'b'), []],
    [0, release(3), ['grant 4']],
    [0, release(4), ['grant 2']],
  ],
  'the account with fewer sequences in work goes first, however many requests the other has': [
    [0, many(1, 'a', 3), ['load m']],
    [0, loaded('m', 3), ['grant 1']],
    [0, acquire(2, 'b'), ['grant 2']],
    [0, acquire(3, 'b'), ['grant 3']],
    [0, acquire(4, 'a'), []],
    [0, acquire(5, 'b'), []],
    [0, release(2), ['grant 5']],
  ],
  'an account of weight 3 holds three sequences for one of others': [
    [0, heavy(1), ['load m']],
    [0, loaded('m', 4), ['grant 1']],
    [0, acquire(2, 'b'), ['grant 2']],
    [0, heavy(3), ['grant 3']],
    [0, heavy(4), ['grant 4']],
    [0, acquire(5, 'b'), []],
    [0, heavy(6), []],
    [0, release(4), ['grant 6']],
    [0, acquire(7, 'b'), []],
    [0, release(2), ['grant 5']],
  ],
  'an account that comes back continues beside those that stayed, without credit for its absence': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, release(1), []],
    [0, acquire(2, 'a'), ['grant 2']],
    [0, release(2), []],
    [0, acquire(3, 'a'), ['grant 3']],
    [0, acquire(4, 'a'), []],
    [0, acquire(5, 'b'), []],
    [0, acquire(6, 'b'), []],
    [0, release(3), ['grant 5']],
    [0, release(5), ['grant 4']],
    [0, release(4), ['grant 6']],
  ],
  'an urgent request goes before other requests of its account, but not before those of other accounts': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, acquire(2, 'a'), []],
    [0, ranked(3, 'a', -1_000_000), []],
    [0, acquire(4, 'b'), []],
    [0, release(1), ['grant 4']],
    [0, release(4), ['grant 3']],
    [0, release(3), ['grant 2']],
  ],
  'one that can wait lets those pass that come within half a minute, and none after that': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, ranked(2, 'a', 1_000_000), []],
    [29_000, acquire(3, 'a'), []],
    [29_000, release(1), ['grant 3']],
    [31_000, ranked(4, 'a', 0), []],
    [31_000, release(3), ['grant 2']],
    [31_000, release(2), ['grant 4']],
  ],
  'priorities of any size are distinguished': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, ranked(2, 'a', 2_000_000), []],
    [0, ranked(3, 'a', 1_000_000), []],
    [0, release(1), ['grant 3']],
    [0, ranked(4, 'a', 1), []],
    [0, release(3), ['grant 4']],
    [0, release(4), ['grant 2']],
  ],
  'an account that fills its share is refused, the others are not': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, acquire(2, 'a'), []],
    [0, acquire(3, 'a'), []],
    [0, acquire(4, 'a'), ['refuse 4 share-full 1']],
    [0, acquire(5, 'b'), []],
    [0, acquire(6, 'c'), []],
    [0, acquire(7, 'd'), ['refuse 7 queue-full 1']],
    [0, acquire(8, 'a'), ['refuse 8 queue-full 1']],
    [0, leave(2), []],
    [0, acquire(9, 'a'), []],
  ],
  'deferred work keeps its place among callers, beyond the share of its account': [
    [0, acquire(1, 'a'), ['load m']],
    [0, loaded('m', 1), ['grant 1']],
    [0, acquire(2, 'a'), []],
    [0, acquire(3, 'a'), []],
    [0, { type: 'acquire', modelId: 'm', waiterId: 4, account: 'a', sequences: 1, deferred: true }, []],
    [0, acquire(5, 'a'), ['refuse 5 share-full 1']],
    [0, release(1), ['grant 2']],
    [0, release(2), ['grant 3']],
    [0, release(3), ['grant 4']],
  ],
  'who will be served as soon as the model is there does not count against the share': [
    [0, acquire(1, 'a'), ['load m']],
    [0, acquire(2, 'a'), []],
    [0, acquire(3, 'a'), []],
    [0, acquire(4, 'a'), []],
    [0, acquire(5, 'a'), ['refuse 5 share-full 1']],
    [0, acquire(6, 'b'), []],
    [0, loaded(), ['grant 1', 'grant 6']],
  ],
}

for (const [name, rows] of Object.entries(tables)) test(name, () => checkTable(rows))
for (const [name, rows] of Object.entries(fairness)) test(name, () => checkTable(rows, {}, { queue: 4, share: 2 }))

test('idle models are unloaded when the loaded ones exceed the budget', () =>
  checkTable(
    [
      [0, want(1), ['load m']],
      [0, loaded(), ['grant 1', 'unload m memory']],
    ],
    { m: 1100 * mega },
  ))

/** Models that are in memory and idle, the first unused for longest, and one that somebody asks for. */
function ask(wanted: MemoryEstimate, resident: Readonly<Record<string, MemoryNeed>>, budget = limits): readonly string[] {
  const idle = Object.entries(resident).map(([id, expected], lastUsedAt) => ({
    ...introduceModel({ id, queue: 2, slots: 2, memory: { expected, least: expected } }),
    phase: { type: 'loaded', since: 0, draining: null } as const,
    lastUsedAt,
  }))
  const models = [...idle, introduceModel({ id: 'm', queue: 2, slots: 2, memory: wanted })]
  const state = { models: new Map(models.map((model) => [model.id, model])), closing: false }
  const { decisions } = planResidency(state, acquire(1), budget, { now: 1000, memory: new Map(Object.entries(resident)) })
  return decisions.map(
    (decision) => `${decision.type} ${decision.modelId}${decision.type === 'refuse' ? ` ${decision.refusal.because}` : ''}`,
  )
}

test('a model estimated above the budget is loaded alone, since the estimate may be wrong', () => {
  assert.deepEqual(ask({ expected: onProcessor(6600 * mega), least: onProcessor(900 * mega) }, {}), ['load m'])
})

test('a model that needs more than the whole budget is rejected before loading, and no other is unloaded for it', () => {
  const need = { expected: onProcessor(6600 * mega), least: onProcessor(1001 * mega) }
  assert.deepEqual(ask(need, { n: onProcessor(400 * mega) }), ['refuse m too-large'])
})

test('a GPU has its own budget, and only models in the scarce memory are unloaded', () => {
  const onGpu = (gpuBytes: number): MemoryNeed => ({ processorBytes: 100 * mega, gpuBytes })
  const both = { ...limits, gpuMemoryBytes: 500 * mega }
  const need = { expected: onGpu(300 * mega), least: onGpu(300 * mega) }
  assert.deepEqual(ask(need, { n: onProcessor(700 * mega) }, both), ['load m'])
  assert.deepEqual(ask(need, { n: onProcessor(700 * mega), o: onGpu(300 * mega) }, both), ['unload o'])
  assert.deepEqual(ask({ expected: onGpu(501 * mega), least: onGpu(501 * mega) }, {}, both), ['refuse m too-large'])
  assert.deepEqual(ask(need, {}), ['refuse m too-large'])
  assert.deepEqual(ask(need, { o: onGpu(9000 * mega) }, { ...limits, gpuMemoryBytes: null }), ['load m'])
})
