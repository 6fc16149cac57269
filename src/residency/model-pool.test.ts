import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import type { MemoryNeed } from '../core/memory/estimate-memory.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { MeasuredMemory } from '../core/ports/measured-memory.ts'
import { createFakeCatalog, describeFakeImage, describeFakeText } from '../runtimes/fake/fake-catalog.ts'
import { type FakeLoaderSettings, FakeModelLoader } from '../runtimes/fake/fake-model-loader.ts'
import { createModelPool } from './model-pool.ts'
import type { PoolEvent, ResidencyLimits } from './residency-state.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }

interface Given {
  readonly models?: readonly ModelDescriptor[]
  readonly measured?: MeasuredMemory
}

function open(
  overrides: Partial<ResidencyLimits> = {},
  fake: Partial<FakeLoaderSettings> = {},
  { models = [describeFakeText(), describeFakeText({ id: 'other' })], measured }: Given = {},
) {
  const clock = createTestClock()
  const loader = new FakeModelLoader({ clock, slots: 2, ...fake })
  const limits = {
    memoryBytes: 1e12,
    idleUnloadMs: 900_000,
    textSlots: 2,
    textQueue: 8,
    imageQueue: 2,
    waitLimitMs: 60_000,
    ...overrides,
  }
  const events: PoolEvent[] = []
  const catalog = createFakeCatalog(models)
  const pool = createModelPool({ catalog, loader, clock, limits, ...(measured && { measured }), onEvent: (event) => events.push(event) })
  const stateOf = (id: string) => pool.states().find(({ modelId }) => modelId === id)?.state
  return { pool, clock, loader, events, stateOf }
}

test('a loaded model reports the context of its engine', async () => {
  const { pool } = open()
  await using _pool = pool
  const lengths = () => pool.states().map(({ contextLength }) => contextLength)
  assert.deepEqual(lengths(), [undefined, undefined])
  await pool.load('other', { signal })
  assert.deepEqual(lengths(), [undefined, 1024])
})

test('60 requests on 2 slots with a queue of 8 give 10 answers and 50 refusals', async () => {
  const opened = open()
  await using pool = opened.pool
  const ask = async () => {
    await using lease = await pool.acquireText('fake-chat', options)
    return await Array.fromAsync(lease.model.generate(makeTextRequest('hello'), options))
  }
  const results = await Promise.allSettled(Array.from({ length: 60 }, ask))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 10)
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
  assert.deepEqual(refusals, Array(50).fill('server_is_overloaded'))
  assert.equal(opened.loader.attempts('fake-chat'), 1)
})

test('one deferred run may wait among waiting callers', async () => {
  const { pool } = open({ textQueue: 3 })
  await using _pool = pool
  const leases = await Promise.all([1, 2].map(() => pool.acquireText('fake-chat', options)))
  assert.equal(pool.hasRoom('fake-chat'), false)
  const caller = pool.acquireText('fake-chat', options)
  assert.equal(pool.hasRoom('fake-chat'), true)
  const run = pool.acquireText('fake-chat', { signal, account: 'b', deferred: true })
  assert.equal(pool.hasRoom('fake-chat'), false)
  await leases[0]?.[Symbol.asyncDispose]()
  const lease = await run
  assert.equal(pool.hasRoom('fake-chat'), true)
  const last = pool.acquireText('fake-chat', options)
  const full = pool.acquireText('fake-chat', options)
  assert.equal(pool.hasRoom('fake-chat'), false)
  await Promise.all([...leases, lease].map((each) => each[Symbol.asyncDispose]()))
  for (const each of [caller, last, full]) await (await each)[Symbol.asyncDispose]()
})

test('a crash fails the running requests, and waiting ones are served by the next process', async () => {
  const { pool, loader, events } = open()
  await using _pool = pool
  const run = async (prompt: string) => {
    await using lease = await pool.acquireText('fake-chat', options)
    return await Array.fromAsync(lease.model.generate(makeTextRequest(prompt), options))
  }
  const culprit = run('[hang]')
  const bystander = run('[hang]')
  const waiting = run('[say fine]')
  await pool.load('fake-chat', { signal })
  loader.crash('fake-chat')
  await assert.rejects(culprit, { code: 'inference_failed' })
  await assert.rejects(bystander, { code: 'inference_failed' })
  assert.deepEqual(
    (await waiting).find(({ type }) => type === 'text'),
    { type: 'text', choice: 0, text: 'fine' },
  )
  assert.ok(events.some((event) => event.type === 'crashed'))
})

test('a model that cannot be loaded answers model_loading until its pause is over', async () => {
  const { pool, clock, stateOf } = open({}, { failsToLoad: (_, attempt) => attempt < 2 })
  await using _pool = pool
  await assert.rejects(pool.acquireText('fake-chat', options), { code: 'model_loading', retryAfterSeconds: 1 })
  assert.equal(stateOf('fake-chat'), 'backing-off')
  assert.equal(pool.hasRoom('fake-chat'), false)
  await assert.rejects(pool.acquireText('fake-chat', options), { code: 'model_loading' })
  await clock.advance(500)
  await using _lease = await pool.acquireText('fake-chat', options)
  assert.equal(stateOf('fake-chat'), 'loaded')
})

test('a model that failed to load three times in a row reports the cause until a load succeeds', async () => {
  const { pool, clock } = open({}, { failsToLoad: (_, attempt) => attempt < 4 })
  await using _pool = pool
  const code = () =>
    pool.acquireText('fake-chat', options).then(
      (lease) => lease[Symbol.asyncDispose]().then(() => 'loaded'),
      ({ code, cause }) => [code, cause instanceof Error],
    )
  for (const pauseMs of [500, 1000]) {
    assert.deepEqual(await code(), ['model_loading', true])
    await clock.advance(pauseMs)
  }
  assert.deepEqual(await code(), ['inference_failed', true])
  // Within the pause no load is tried.
  assert.deepEqual(await code(), ['inference_failed', true])
  await clock.advance(2000)
  assert.equal(await code(), 'loaded')
})

test('a model that failed to load is tried again at once after it was unloaded or replaced', async () => {
  const { pool, stateOf } = open({}, { failsToLoad: (_, attempt) => attempt < 2 })
  await using _pool = pool
  await assert.rejects(pool.acquireText('fake-chat', options), { code: 'model_loading' })
  await pool.unload('fake-chat', options)
  assert.equal(stateOf('fake-chat'), 'unloaded')
  await using _lease = await pool.acquireText('fake-chat', options)
  assert.equal(stateOf('fake-chat'), 'loaded')
})

test('an unused model leaves the memory after its time', async () => {
  const { pool, clock, loader, stateOf } = open({ idleUnloadMs: 1000 })
  await using _pool = pool
  await (await pool.acquireText('fake-chat', options))[Symbol.asyncDispose]()
  await clock.advance(999)
  assert.deepEqual(loader.loaded, ['fake-chat'])
  await clock.advance(1)
  assert.deepEqual(loader.loaded, [])
  assert.equal(stateOf('fake-chat'), 'unloaded')
})

test('a wait beyond the limit is refused by the clock', async () => {
  const { pool, clock } = open({ waitLimitMs: 5000 }, { slots: 1 })
  await using _pool = pool
  await using _lease = await pool.acquireText('fake-chat', options)
  const refused = assert.rejects(pool.acquireText('fake-chat', options), { code: 'server_is_overloaded' })
  await clock.advance(5000)
  await refused
})

test('a model makes room for another that does not fit beside it', async () => {
  const { pool, loader } = open({ memoryBytes: 150_000_000 }, { memoryBytes: () => 100_000_000 })
  await using _pool = pool
  await pool.load('fake-chat', { signal })
  await using _lease = await pool.acquireText('other', options)
  assert.deepEqual(loader.loaded, ['other'])
})

test('unloading waits for the leases', async () => {
  const { pool, loader } = open()
  await using _pool = pool
  const lease = await pool.acquireText('fake-chat', options)
  const unloading = pool.unload('fake-chat', { signal })
  assert.deepEqual(loader.loaded, ['fake-chat'])
  await lease[Symbol.asyncDispose]()
  await unloading
  assert.deepEqual(loader.loaded, [])
})

test('disposing rejects waiting callers, ends a load and unloads everything', async () => {
  const { pool, loader, clock } = open({}, { loadMs: 1000 })
  const loading = pool.load('fake-chat', { signal })
  await clock.advance(1000)
  await loading
  const refused = assert.rejects(pool.acquireText('other', options), { code: 'shutting_down' })
  await pool[Symbol.asyncDispose]()
  await refused
  assert.deepEqual(loader.loaded, [])
})

test('a model that cannot fit is refused with the figures and a suggestion, and is never loaded', async () => {
  const weights = {
    architecture: 'llama',
    parameters: 7e9,
    quantization: 'F16',
    layers: 32,
    vocabularySize: 32_000,
    cacheBytesPerToken: 1000,
  }
  const big = describeFakeText({ id: 'big', bytes: 14e9, weights })
  const { pool, loader } = open({ memoryBytes: 8 * 1024 ** 3, machineBytes: 64e9 }, {}, { models: [big] })
  await using _pool = pool
  const refusal = {
    code: 'unsupported',
    param: 'model',
    message:
      'The model big needs at least 14.1 GB of memory, but models may use only 8.6 GB; start with --memory 13476mb, ' +
      'or use its quantization Q8_0 (about 7.4 GB).',
  }
  await assert.rejects(pool.acquireText('big', options), refusal)
  await assert.rejects(pool.load('big', { signal }), refusal)
  assert.equal(loader.attempts('big'), 0)
})

test('a model of several parts needs room for the largest; a refusal suggests a smaller file of its transformer', async () => {
  const parts = { texts: 5e9, transformer: 24e9, vae: 0.3e9 }
  const checkpoint = { family: 'flux-schnell', inpainting: false, weights: '/big.safetensors', prediction: null, parts } as const
  const big = describeFakeImage({ id: 'big', bytes: 29.3e9, format: 'safetensors', checkpoint })
  const { pool } = open({ memoryBytes: 8 * 1024 ** 3, machineBytes: 8 * 1024 ** 3 }, {}, { models: [big] })
  await using _pool = pool
  await assert.rejects(pool.acquireImage('big', options), {
    code: 'unsupported',
    message:
      'The model big needs at least 24.1 GB of memory, but models may use only 8.6 GB; use a Q4_0 GGUF file of its transformer (about 6.8 GB).',
  })
})

test('a request that waited in vain for memory is rejected with the models that hold it', async () => {
  const models = [describeFakeText({ bytes: 1e9 }), describeFakeText({ id: 'other', bytes: 1e9 })]
  const { pool, clock } = open({ memoryBytes: 1.5e9, waitLimitMs: 60_000 }, { memoryBytes: () => 1e9 }, { models })
  await using _pool = pool
  await using _lease = await pool.acquireText('fake-chat', options)
  const waiting = assert.rejects(pool.acquireText('other', options), {
    code: 'server_is_overloaded',
    message: /^There is no memory for the model other while others are in use: fake-chat; unload one of them, or try again in \d+ s\.$/,
  })
  await clock.advance(60_000)
  await waiting
})

test('the measured memory of a model is reported on unload and shutdown, and used to plan the next start', async () => {
  const known = new Map<string, MemoryNeed>()
  const measured: MeasuredMemory = {
    find: (modelId, conditions) => known.get(`${modelId} ${conditions}`),
    note: async (modelId, conditions, memory) => void known.set(`${modelId} ${conditions}`, memory),
  }
  const took = { memoryBytes: 150_000_000 }
  const first = open(took, { memoryBytes: () => 100_000_000 }, { measured })
  await first.pool.load('fake-chat', { signal })
  await first.pool.unload('fake-chat', { signal })
  await first.pool.load('other', { signal })
  await first.pool[Symbol.asyncDispose]()
  assert.deepEqual([...known.values()], Array(2).fill({ processorBytes: 100_000_000, gpuBytes: 0 }))
  const second = open(took, { memoryBytes: () => 1000, loadMs: 1000 }, { measured })
  await using _pool = second.pool
  void second.pool.load('fake-chat', { signal })
  const waits = assert.rejects(second.pool.load('other', { signal }), { code: 'shutting_down' })
  assert.deepEqual([second.stateOf('fake-chat'), second.stateOf('other')], ['loading', 'unloaded'])
  await second.clock.advance(1000)
  assert.equal(second.stateOf('other'), 'loading')
  await second.pool[Symbol.asyncDispose]()
  await waits
})

test('a wait for a load beyond the limit gets its progress and the expected end', async () => {
  const { pool, clock } = open({ waitLimitMs: 35_000 }, { loadMs: 40_000, loadSteps: 4 })
  await using _pool = pool
  const refused = assert.rejects(pool.acquireText('fake-chat', options), {
    code: 'model_loading',
    retryAfterSeconds: 12,
    message: 'The model fake-chat is still being loaded (75 %); try again in 12 s.',
  })
  for (let step = 0; step < 3; step++) await clock.advance(10_000)
  assert.equal(pool.states()[0]?.loadProgress, 0.75)
  await clock.advance(5000)
  await refused
  await clock.advance(5000)
  assert.deepEqual([pool.states()[0]?.state, pool.states()[0]?.loadProgress], ['loaded', undefined])
})

test('a change of the system’s time neither unloads a model nor ends a wait, and its states are in the new time', async () => {
  const { pool, clock, stateOf } = open({ textSlots: 1 }, { slots: 1 })
  await using _pool = pool
  await pool.load('other', { signal })
  await using held = await pool.acquireText('fake-chat', options)
  const waiting = pool.acquireText('fake-chat', options)
  await clock.advance(5000)
  for (const hours of [2, -4]) {
    clock.jump(clock.now() + hours * 3_600_000)
    // Any event makes the pool plan again.
    await pool.load('other', { signal })
    await clock.advance(1000)
    assert.deepEqual([stateOf('fake-chat'), stateOf('other')], ['loaded', 'loaded'])
  }
  assert.equal(pool.states()[0]?.waitingSince, clock.now() - 7000)
  await held[Symbol.asyncDispose]()
  await (await waiting)[Symbol.asyncDispose]()
})

test('a model reports the start of its longest wait, and nothing without waiting requests', async () => {
  const { pool, clock } = open({ textSlots: 1 }, { slots: 1 })
  await using _pool = pool
  const waitingSince = () => pool.states()[0]?.waitingSince
  const lease = await pool.acquireText('fake-chat', options)
  assert.equal(waitingSince(), undefined)
  await clock.advance(5000)
  const since = clock.now()
  const second = pool.acquireText('fake-chat', options)
  await clock.advance(3000)
  const third = pool.acquireText('fake-chat', options)
  assert.equal(waitingSince(), since)
  await lease[Symbol.asyncDispose]()
  await (await second)[Symbol.asyncDispose]()
  await (await third)[Symbol.asyncDispose]()
  assert.equal(waitingSince(), undefined)
})
