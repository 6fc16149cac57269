import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startNode } from '../../test/support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../../test/support/memory/node-registry.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { createSystemClock } from '../composition/system-clock.ts'
import type { TextModel } from '../core/ports/text-model.ts'

const options = { signal: new AbortController().signal, account: 'a' }
const request = makeTextRequest('[say hello]')
const ahead = { asks: 'generate', request } as const
const clock = createSystemClock()

/** A model that tells of every text that begins and ends on it; it speaks as often as its prompt has words, and then until it is stopped. */
function createReportingModel() {
  const [begun, ended]: [PromiseWithResolvers<string>[], PromiseWithResolvers<string>[]] = [[], []]
  const entryAt = (list: PromiseWithResolvers<string>[], at: number) => {
    while (list.length <= at) list.push(Promise.withResolvers())
    return list[at] ?? Promise.withResolvers<string>()
  }
  let [begins, ends] = [0, 0]
  const model: TextModel = {
    async *generate({ input }, { signal }) {
      const text = input.type === 'chat' ? (input.messages.at(-1)?.content ?? '') : input.prompt
      entryAt(begun, begins++).resolve(text)
      try {
        for (const word of text.split(' ')) yield { type: 'text', choice: 0, text: word }
        if (text.startsWith('endless')) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        yield { type: 'finish', usage: { promptTokens: 1, completionTokens: 1, cachedTokens: 0 } }
      } finally {
        entryAt(ended, ends++).resolve(text)
      }
    },
    countPrompt: async () => 7,
    embed: async () => ({ vectors: [], promptTokens: 0 }),
  }
  return { model, begun: (at = 0) => entryAt(begun, at).promise, ended: (at = 0) => entryAt(ended, at).promise, count: () => begins }
}

async function startPair(worker: Partial<Parameters<typeof startNode>[0]> = {}) {
  const parts = new AsyncDisposableStack()
  const registry = createMemoryNodeRegistry({ clock })
  const reported = createReportingModel()
  const lender = parts.use(await startNode({ registry, id: 'worker', role: 'worker', slots: 1, text: reported.model, ...worker }))
  const api = parts.use(await startNode({ registry, id: 'api', role: 'api' }))
  return { ...reported, lender, pool: api.pool, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

const textOf = (parts: readonly unknown[]) => parts.map((part) => Reflect.get(Object(part), 'text') ?? '').join('')

suite('a text that is sent along with the question for a slot', () => {
  test("begins when the slot is granted and serves the caller's first call", async () => {
    await using pair = await startPair()
    await using lease = await pair.pool.acquireText('fake-chat', { ...options, ahead })
    assert.equal(await pair.begun(), '[say hello]')
    assert.equal(textOf(await Array.fromAsync(lease.model.generate(request, options))), '[sayhello]')
    assert.equal(textOf(await Array.fromAsync(lease.model.generate(request, options))), '[sayhello]')
    assert.equal(pair.count(), 2)
  })

  test('is stopped when the caller makes another call, however many parts have arrived', async () => {
    await using pair = await startPair()
    const long = makeTextRequest(`endless ${'word '.repeat(500)}`)
    await using lease = await pair.pool.acquireText('fake-chat', { ...options, ahead: { asks: 'generate', request: long } })
    await pair.begun()
    assert.equal(await lease.model.countPrompt?.(long, options), 7)
    await pair.ended()
    assert.equal(textOf(await Array.fromAsync(lease.model.generate(request, options))), '[sayhello]')
    assert.equal(pair.count(), 2)
  })

  test('is stopped if the caller makes no call, and its slot is freed', async () => {
    await using pair = await startPair()
    const long = makeTextRequest(`endless ${'word '.repeat(500)}`)
    const lease = await pair.pool.acquireText('fake-chat', { ...options, ahead: { asks: 'generate', request: long } })
    await pair.begun()
    await lease[Symbol.asyncDispose]()
    await pair.ended()
    await using _again = await pair.pool.acquireText('fake-chat', options)
  })

  test('does not begin while its caller waits for a slot, or after the caller has left', async () => {
    await using pair = await startPair()
    const caller = new AbortController()
    {
      await using _held = await pair.pool.acquireText('fake-chat', options)
      const waiting = pair.pool.acquireText('fake-chat', { ...options, signal: caller.signal, ahead })
      caller.abort(new Error('left'))
      await assert.rejects(waiting, /left/)
    }
    await using _again = await pair.pool.acquireText('fake-chat', options)
    assert.equal(pair.count(), 0)
  })

  test('may be the count of its prompt, which is then known with the slot', async () => {
    await using pair = await startPair()
    await using lease = await pair.pool.acquireText('fake-chat', { ...options, ahead: { asks: 'countPrompt', request } })
    assert.equal(await lease.model.countPrompt?.(request, options), 7)
    assert.equal(textOf(await Array.fromAsync(lease.model.generate(request, options))), '[sayhello]')
  })

  for (const [name, worker, content] of [
    ['to a node of an earlier version', { leaseFormat: 1 }, 'hello'],
    ['when it is long', {}, 'word '.repeat(20_000)],
  ] as const)
    test(`is not sent along ${name}`, async () => {
      await using pair = await startPair(worker)
      const later = makeTextRequest(content)
      await using lease = await pair.pool.acquireText('fake-chat', { ...options, ahead: { asks: 'generate', request: later } })
      assert.equal(pair.count(), 0)
      await Array.fromAsync(lease.model.generate(later, options))
      assert.equal(pair.count(), 1)
    })

  test('moves to the next node if the first is lost', async () => {
    const registry = createMemoryNodeRegistry({ clock })
    const [one, other] = [createReportingModel(), createReportingModel()]
    await using lost = await startNode({ registry, id: 'one', role: 'worker', text: one.model })
    await using _other = await startNode({ registry, id: 'two', role: 'worker', text: other.model, slots: 1 })
    await using api = await startNode({ registry, id: 'api', role: 'api' })
    await lost.kill()
    for (let round = 0; round < 3; round++) {
      await using lease = await api.pool.acquireText('fake-chat', { ...options, ahead })
      assert.equal(textOf(await Array.fromAsync(lease.model.generate(request, options))), '[sayhello]')
    }
    assert.deepEqual([one.count(), other.count()], [0, 3])
  })
})
