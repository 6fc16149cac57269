import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { errorCodes } from '../../src/core/error.ts'
import { errorStatus } from '../../src/http/error-status.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

suite('the error body', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  for (const code of errorCodes) {
    test(`${code} has its status, four keys and the headers of its status`, async () => {
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
})
