import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openCatalog } from '../../src/catalog/refreshable-catalog.ts'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { ModelPool } from '../../src/core/ports/model-pool.ts'
import { createModelPool } from '../../src/residency/model-pool.ts'
import type { PoolEvent } from '../../src/residency/residency-state.ts'
import type { EngineEvent } from '../../src/runtimes/process/engine-messages.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }
const question = makeTextRequest('What is the capital of France?', {
  model: 'sepia-mini-chat',
  sampling: { ...makeTextRequest('').sampling, temperature: 0 },
})
const drawing = makeImageRequest('a glossy tiger on a light blue background', {
  model: 'sepia-mini-image',
  width: 256,
  height: 256,
  steps: 8,
})

const events: (EngineEvent | PoolEvent)[] = []
let pool: ModelPool & AsyncDisposable

before(async () => {
  const clock = createSystemClock()
  const loader = createProcessModelLoader({
    textEntry: new URL('../../src/composition/text-engine.ts', import.meta.url),
    imageEntry: new URL('../../src/composition/image-engine.ts', import.meta.url),
    engineThreads: 1,
    textSlots: 4,
    clock,
    log: (event) => events.push(event),
  })
  const catalog = await openCatalog({ folders: [fileURLToPath(new URL('../../models', import.meta.url))] })
  const limits = { memoryBytes: 8e9, idleUnloadMs: null, textSlots: 4, textQueue: 8, imageQueue: 8, waitLimitMs: 60_000 }
  pool = createModelPool({ catalog, loader, clock, limits, onEvent: (event) => events.push(event) })
})

after(() => pool[Symbol.asyncDispose]())

async function ask(): Promise<string> {
  await using lease = await pool.acquireText('sepia-mini-chat', options)
  const parts = await Array.fromAsync(lease.model.generate(question, options))
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

async function draw(onProgress = () => {}): Promise<Buffer> {
  await using lease = await pool.acquireImage('sepia-mini-image', options)
  const { images } = await lease.model.generate(drawing, { signal, onProgress })
  return Buffer.from(images[0]?.bytes ?? [])
}

function killEngine(modelId: string): void {
  const started = events.findLast((event) => event.type === 'started' && event.modelId === modelId)
  assert.ok(started?.type === 'started')
  process.kill(started.pid, 'SIGKILL')
}

function report(context: TestContext): void {
  for (const event of events)
    if (event.type === 'loaded')
      context.diagnostic(`${event.modelId} loaded in ${event.loadMs} ms, ${Math.round(event.memoryBytes / 1e6)} MB resident`)
}

test('the built-in language model runs in its own process', async (context) => {
  assert.match(await ask(), /Paris/)
  report(context)
})

test('the built-in image model draws without blocking the event loop', async (context) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  await pool.load('sepia-mini-image', { signal })
  delay.enable()
  const picture = await draw()
  delay.disable()
  assert.deepEqual([picture.subarray(1, 4).toString(), picture.readUInt32BE(16), picture.readUInt32BE(20)], ['PNG', 256, 256])
  context.diagnostic(`event loop delay while drawing: p50 ${delay.percentile(50) / 1e6} ms, max ${delay.max / 1e6} ms`)
  report(context)
})

test('a killed engine fails only its own requests, and the next one succeeds', async () => {
  const bystander = ask()
  const { promise: working, resolve: onProgress } = Promise.withResolvers<void>()
  const interrupted = assert.rejects(draw(onProgress), { code: 'inference_failed' })
  await working
  killEngine('sepia-mini-image')
  await interrupted
  assert.match(await bystander, /Paris/)
  assert.ok((await draw()).length > 1000)
  assert.ok(events.some((event) => event.type === 'crashed' && event.modelId === 'sepia-mini-image'))
})

test('a killed language model ends its stream with an error and restarts', async () => {
  await using lease = await pool.acquireText('sepia-mini-chat', options)
  // Longer than what an engine sends ahead of a reader, so that it cannot have ended before it is killed.
  const ending = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: true }
  const story = makeTextRequest('Tell me a story.', { model: 'sepia-mini-chat', ending })
  const stream = lease.model.generate(story, options)[Symbol.asyncIterator]()
  await stream.next()
  killEngine('sepia-mini-chat')
  await assert.rejects(Array.fromAsync({ [Symbol.asyncIterator]: () => stream }), { code: 'inference_failed' })
  assert.match(await ask(), /Paris/)
})
