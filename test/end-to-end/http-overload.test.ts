import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { startHttpService, untilIdle } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

suite('overload', () => {
  test('60 requests on 2 slots with a queue of 8 return 10 answers and 50 well-formed errors', async () => {
    const clock = createTestClock()
    const model = createFakeTextModel({ clock, tokenDelayMs: 1000 })
    const pool = createFixedModelPool({ text: { 'fake-chat': model } }, { slots: 2, waiting: 8 })
    await using service = await startHttpService({ clock, pool })
    const ask = () =>
      service.fetch('/v1/chat/completions', { json: { model: 'fake-chat', messages: [{ role: 'user', content: '[say hi]' }] } })
    const answers: Response[] = []
    const asking = Array.from({ length: 60 }, () => ask().then((answer) => answers.push(answer)))
    await service.settled(50)
    assert.equal(answers.filter(({ status }) => status === 503).length, answers.length)
    for (let round = 0; round < 5; round++) {
      // Two runs at a time, each with its time limit and its token.
      await clock.waiting(4)
      await clock.advance(1000)
    }
    await Promise.all(asking)
    const served = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 503)
    assert.deepEqual([served.length, refused.length], [10, 50])
    for (const answer of served) assert.equal((await readJson(answer)).object, 'chat.completion')
    for (const answer of refused) {
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.equal((await readError(answer)).code, 'server_is_overloaded')
    }
    await untilIdle(pool)
  })

  test('500 concurrent streams all complete', async () => {
    const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock: createTestClock() }) } }, { slots: 500 })
    await using service = await startHttpService({ pool })
    const json = { model: 'fake-chat', stream: true, messages: [{ role: 'user', content: '[say one two three]' }] }
    const texts = await Promise.all(Array.from({ length: 500 }, async () => (await service.fetch('/v1/chat/completions', { json })).text()))
    for (const text of texts) assert.equal(text.match(/data: /g)?.length, 1 + 3 + 1 + 1)
    for (const text of texts) assert.ok(text.endsWith('data: [DONE]\n\n'))
  })
})
