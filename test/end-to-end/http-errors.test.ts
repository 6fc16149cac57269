import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { errorCodes } from '../../src/core/error.ts'
import { errorStatus } from '../../src/http/faults/error-status.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

suite('the error body', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  for (const code of errorCodes) {
    test(`${code} has its status, four keys and its headers`, async () => {
      const answer = await service.fetch('/v1/chat/completions', {
        json: { model: 'fake-chat', messages: [{ role: 'user', content: `[fail ${code}]` }] },
      })
      assert.equal(answer.status, errorStatus[code])
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      const body = JSON.parse(await answer.text())
      assert.deepEqual(Object.keys(body.error), ['message', 'type', 'param', 'code'])
      assert.equal(body.error.code, code)
      assert.match(body.error.message, /^[A-Z].*\.$/)
      assert.equal(body.error.param, null)
      assert.deepEqual(Object.keys(body), answer.status === 422 ? ['error', 'detail'] : ['error'])
      assert.equal(answer.headers.has('www-authenticate'), answer.status === 401)
      const wait = answer.headers.get('retry-after')
      assert.equal(wait !== null, answer.status === 429 || answer.status === 503)
      if (wait !== null) assert.match(wait, /^([1-9]|[1-9]\d|1[01]\d|120)$/)
    })
  }

  test('an overlong name is shortened in the message', async () => {
    const long = 'x'.repeat(100_000)
    const messages = [{ role: 'user', content: 'Hi' }]
    for (const [path, json] of [
      ['/v1/chat/completions', { model: long, messages }],
      ['/v1/chat/completions', { model: 'fake-chat', messages, [long]: 1 }],
      ['/v1/chat/completions', { model: 'fake-chat', messages, logit_bias: { ['1'.repeat(100_000)]: 1 } }],
      ['/v1/completions', { model: long, prompt: 'Hi' }],
      ['/v1/embeddings', { model: long, input: 'Hi' }],
      ['/v1/images/generations', { model: long, prompt: 'Hi' }],
      ['/generate/sdxl', { checkpoint: long, prompt: 'Hi' }],
      ['/generate/sdxl', { prompt: 'Hi', [long]: 1 }],
      [`/v1/models/${'x'.repeat(10_000)}`, undefined],
    ] as const) {
      const answer = await service.fetch(path, { json })
      assert.ok(answer.status >= 400 && answer.status < 500, path)
      assert.ok((await answer.text()).length < 2000, path)
    }
  })
})
