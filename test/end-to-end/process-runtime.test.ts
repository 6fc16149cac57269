import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ImageModelDescriptor, TextModelDescriptor } from '../../src/core/model.ts'
import type { TextPart } from '../../src/core/text-generation.ts'
import { describeFakeImage, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import type { EngineEvent } from '../../src/runtimes/process/engine-messages.ts'
import { createFakeEngineLoader } from '../support/engines/fake-engine-loader.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { createTestClock } from '../support/test-clock.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }

function createLoader(overrides: Parameters<typeof createFakeEngineLoader>[0] = {}) {
  const events: EngineEvent[] = []
  const loader = createFakeEngineLoader({ log: (event) => events.push(event), ...overrides })
  const loadText = (descriptor: Partial<TextModelDescriptor> = {}) => loader.loadText(describeFakeText(descriptor), { signal })
  const loadImage = (descriptor: Partial<ImageModelDescriptor> = {}) => loader.loadImage(describeFakeImage(descriptor), { signal })
  return { loadText, loadImage, events }
}

const readText = async (parts: AsyncIterable<TextPart>) =>
  (await Array.fromAsync(parts)).map((part) => (part.type === 'text' ? part.text : '')).join('')

test('concurrent streams over one process stay separate and complete', async () => {
  const { loadText } = createLoader()
  await using loaded = await loadText()
  const words = Array.from({ length: 700 }, (_, index) => `w${index}`).join(' ')
  const texts = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      readText(loaded.model.generate(makeTextRequest(`[say ${name} ${words}]`, { maxTokens: 1000 }), options)),
    ),
  )
  assert.deepEqual(
    texts,
    ['a', 'b', 'c', 'd'].map((name) => `${name} ${words}`),
  )
  assert.ok(loaded.memoryBytes() > 1_000_000)
  assert.equal(loaded.model.contextLength, 1024)
})

test('draws an image in the process and reports its steps', async () => {
  const { loadImage } = createLoader()
  await using loaded = await loadImage()
  const steps: number[] = []
  const { images } = await loaded.model.generate(makeImageRequest('a tiger'), { signal, onProgress: ({ step }) => steps.push(step) })
  assert.deepEqual(steps, [1, 2, 3, 4])
  assert.ok(images[0]?.bytes instanceof Uint8Array)
})

test('an engine that outlives its parent ends when its channel closes', async (context) => {
  if (process.platform === 'win32') return context.skip('there is no sh')
  // As bubblewrap does when it is killed before its engine is bound to it.
  const closeNetwork = ['sh', '-c', '"$@" & wait', 'sh']
  const environment = { PATH: process.env.PATH ?? '' }
  const confinement = { environment, closeNetwork, closeFiles: null, limitMemory: null, codeFolders: null }
  const { loadText, loadImage } = createLoader({ confinement })
  const loaded = await loadText()
  await loaded[Symbol.asyncDispose]()
  await using _ = await loadImage()
})

test('errors pass the process boundary with code, field and message', async () => {
  const { loadText } = createLoader()
  await using loaded = await loadText()
  const request = makeTextRequest('hello', { responseFormat: { type: 'json_schema', schema: {} } })
  await assert.rejects(readText(loaded.model.generate(request, options)), { code: 'unsupported_parameter', param: 'response_format' })
})

test('embeddings pass the process boundary', async () => {
  const { loadText } = createLoader()
  await using loaded = await loadText()
  const { vectors } = await loaded.model.embed({ model: 'fake-chat', inputs: ['one', 'two'] }, { signal })
  assert.equal(vectors.length, 2)
})

test('scores pass the process boundary', async () => {
  const { loadText } = createLoader()
  await using loaded = await loadText()
  const result = await loaded.model.rank?.({ model: 'fake-chat', query: 'a fox', documents: ['a hare', 'a fox'] }, { signal })
  assert.deepEqual(result?.scores, [0.5, 1])
})

test("concurrent models share the processor's threads, and the remaining one gets all of them again", async () => {
  const { loadText } = createLoader({ engineThreads: 6 })
  await using one = await loadText({ name: 'tells its threads' })
  await using two = await loadText({ name: 'tells its threads' })
  const follow = (loaded: typeof one) => {
    const parts = loaded.model.generate(makeTextRequest('hi'), options)[Symbol.asyncIterator]()
    const next = async () => {
      const { value } = await parts.next()
      return value?.type === 'text' ? value.text : null
    }
    return { next, leave: () => parts.return?.() }
  }
  const first = follow(one)
  assert.equal(await first.next(), '6')
  const second = follow(two)
  assert.deepEqual([await second.next(), await first.next()], ['3', '3'])
  await second.leave()
  assert.equal(await first.next(), '6')
  await first.leave()
})

test('a reader that leaves its stream early frees its place in the engine', async () => {
  const { loadText } = createLoader({ textSlots: 1 })
  await using loaded = await loadText()
  const slow = loaded.model.generate(makeTextRequest('go on', { maxTokens: 100_000 }), options)[Symbol.asyncIterator]()
  await slow.next()
  const waiting = readText(loaded.model.generate(makeTextRequest('[say second]'), options))
  await slow.return?.()
  assert.equal(await waiting, 'second')
})

test('an aborted stream ends at once with the reason and frees its place in the engine', async () => {
  const { loadText } = createLoader({ textSlots: 1 })
  await using loaded = await loadText()
  const controller = new AbortController()
  const hanging = readText(loaded.model.generate(makeTextRequest('[hang]'), { ...options, signal: controller.signal }))
  controller.abort(new Error('client left'))
  await assert.rejects(hanging, /client left/)
  assert.equal(await readText(loaded.model.generate(makeTextRequest('[say next]'), options)), 'next')
})

test('a crash fails all requests of its process, and no others', async () => {
  const { loadText, events } = createLoader()
  await using other = await loadText({ id: 'other' })
  await using loaded = await loadText()
  const survivor = readText(other.model.generate(makeTextRequest('[say still here]'), options))
  const bystander = readText(loaded.model.generate(makeTextRequest('[hang]'), options))
  const culprit = readText(loaded.model.generate(makeTextRequest('[crash]'), options))
  await assert.rejects(culprit, { code: 'inference_failed' })
  await assert.rejects(bystander, { code: 'inference_failed' })
  assert.deepEqual(await loaded.exited, { reason: 'killed by SIGKILL, after it wrote: loaded fake-chat' })
  assert.equal(await survivor, 'still here')
  await assert.rejects(readText(loaded.model.generate(makeTextRequest('hello'), options)), { code: 'inference_failed' })
  assert.ok(events.some((event) => event.type === 'exited' && event.modelId === 'fake-chat'))
})

test('the output of the engine is logged, without prompts', async () => {
  const { loadText, events } = createLoader()
  const loaded = await loadText()
  await readText(loaded.model.generate(makeTextRequest('[say secret]'), options))
  await loaded[Symbol.asyncDispose]()
  assert.ok(events.some((event) => event.type === 'output' && event.line === 'loaded fake-chat'))
  assert.doesNotMatch(JSON.stringify(events), /secret/)
})

test('a model that fails to load reports it and leaves no process', async () => {
  const { loadText, events } = createLoader()
  await assert.rejects(loadText({ name: 'breaks while loading' }), { code: 'inference_failed' })
  assert.ok(events.some((event) => event.type === 'exited'))
})

test('an engine that dies while loading reports its last output in the error', async () => {
  const { loadText } = createLoader()
  await assert.rejects(loadText({ name: 'dies while loading' }), (error: Error) => {
    assert.match(String(error.cause), /exited with code 3, after it wrote: no room for its weights/)
    return true
  })
})

test('a load that takes too long is killed', async () => {
  const clock = createTestClock()
  const { loadText } = createLoader({ clock, loadMs: 1000 })
  const loading = loadText({ name: 'hangs while loading' })
  const failed = assert.rejects(loading, { code: 'inference_failed' })
  await clock.waiting(1)
  await clock.advance(1000)
  await failed
})

test('an engine that keeps working after an abort is killed', async () => {
  const clock = createTestClock()
  const { loadText } = createLoader({ clock, abortMs: 1000 })
  const loaded = await loadText({ name: 'ignores aborts' })
  const controller = new AbortController()
  const stream = loaded.model.generate(makeTextRequest('go on'), { ...options, signal: controller.signal })[Symbol.asyncIterator]()
  await stream.next()
  controller.abort(new Error('client left'))
  await clock.waiting(1)
  await clock.advance(1000)
  assert.deepEqual(await loaded.exited, { reason: 'kept working after an abort' })
})

test('engines end with a killed service', async () => {
  const service = spawn(process.execPath, [fileURLToPath(new URL('../support/engines/engine-parent.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: service.stdout }), 'line')
  const pid = Number(line)
  process.kill(pid, 0)
  service.kill('SIGKILL')
  await once(service, 'exit')
  while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve))
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A container without an init process keeps the dead child's entry.
    return !existsSync(`/proc/${pid}`) || existsSync(`/proc/${pid}/exe`)
  } catch {
    return false
  }
}
