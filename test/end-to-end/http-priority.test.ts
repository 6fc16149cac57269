import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { startHttpService } from '../support/http-service.ts'
import { readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const chat = { model: 'fake-chat', messages: [{ role: 'user', content: '[say one]' }] }
const stored = { 'x-service-async': '1' }

suite('the priority of a request', () => {
  test('reaches the model pool, and is named in the answer if a tier was requested', async () => {
    const requested: (number | undefined)[] = []
    const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock: createTestClock() }) } })
    const { acquireText } = pool
    const watched = {
      ...pool,
      acquireText: (model: string, options: Parameters<typeof acquireText>[1]) => {
        requested.push(options.priority)
        return acquireText.call(pool, model, options)
      },
    }
    await using service = await startHttpService({ pool: watched })
    const send = async (path: string, json: object) => readJson(await service.fetch(path, { json }))
    const tiers = [
      (await send('/v1/chat/completions', { ...chat, priority: -3 })).service_tier,
      (await send('/v1/chat/completions', { ...chat, service_tier: 'flex' })).service_tier,
      (await send('/v1/responses', { model: 'fake-chat', input: 'Hi', service_tier: 'priority' })).service_tier,
      (await send('/v1/responses', { model: 'fake-chat', input: 'Hi' })).service_tier,
    ]
    await send('/v1/completions', { model: 'fake-chat', prompt: 'Hi', priority: 7 })
    assert.deepEqual(tiers, [undefined, 'flex', 'priority', 'default'])
    assert.deepEqual(requested, [-3, 10, -10, undefined, 7])
    const streamed = await (await service.fetch('/v1/chat/completions', { json: { ...chat, service_tier: 'auto', stream: true } })).text()
    const chunks = streamed.split('\n').filter((line) => line.startsWith('data: {'))
    assert.ok(chunks.length > 2 && chunks.every((line) => line.includes('"service_tier":"default"')))
  })

  test('makes a deferred request low, and never higher', async () => {
    await using service = await startHttpService()
    const priorityOf = async (fields: object, headers = {}) => {
      const { response_id } = await readJson(
        await service.fetch('/v1/chat/completions', { json: { ...chat, ...fields }, headers: { ...stored, ...headers } }),
      )
      const found = await service.store.log.find(String(response_id), service.accountId, { signal: new AbortController().signal })
      return found?.priority
    }
    assert.equal(await priorityOf({}), 'normal')
    assert.equal(await priorityOf({ priority: 1 }), 'low')
    assert.equal(await priorityOf({ service_tier: 'flex' }), 'low')
    assert.equal(await priorityOf({ priority: -1 }), 'normal')
    assert.equal(await priorityOf({ priority: -1 }, { 'x-service-priority': 'low' }), 'low')
  })
})
