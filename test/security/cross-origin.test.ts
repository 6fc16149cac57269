import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'

const friend = 'https://app.example'
const preflight = (origin: string, headers: Record<string, string> = {}) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', ...headers },
})
const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin')

suite('pages of other origins', () => {
  let [open, listed, closed]: HttpService[] = []
  before(async () => {
    open = await startHttpService({ settings: { listen: { corsOrigins: ['*'] } } })
    listed = await startHttpService({ settings: { listen: { corsOrigins: [friend] } } })
    closed = await startHttpService()
  })
  after(async () => {
    for (const service of [open, listed, closed]) await service?.[Symbol.asyncDispose]()
  })

  test('can call with a token if allowed, and never with cookies', async () => {
    const headers = { 'access-control-request-headers': 'authorization, content-type, x-stainless-lang, X-App.Version' }
    const requested = await listed?.fetch('/v1/chat/completions', { ...preflight(friend, headers), token: null })
    assert.equal(requested?.status, 204)
    assert.equal(requested && allowed(requested), friend)
    assert.equal(requested?.headers.get('access-control-allow-headers'), headers['access-control-request-headers'])
    assert.match(requested?.headers.get('access-control-allow-methods') ?? '', /POST/)
    for (const [path, status] of [
      ['/v1/models', 200],
      ['/v1/nothing', 404],
    ] as const) {
      const answer = await listed?.fetch(path, { headers: { origin: friend } })
      assert.equal(answer?.status, status)
      assert.deepEqual([answer && allowed(answer), answer?.headers.get('vary')], [friend, 'origin'])
      assert.equal(answer?.headers.get('access-control-allow-credentials'), null)
      assert.match(answer?.headers.get('access-control-expose-headers') ?? '', /x-request-id/)
    }
    const refused = await listed?.fetch('/v1/models', { token: null, headers: { origin: friend } })
    assert.deepEqual([refused?.status, refused && allowed(refused)], [401, friend])
  })

  test('get the headers of a stream too', async () => {
    const json = { model: 'fake-chat', messages: [{ role: 'user', content: 'hi' }], stream: true }
    const answer = await listed?.fetch('/v1/chat/completions', { json, headers: { origin: friend } })
    assert.equal(answer && allowed(answer), friend)
    assert.match((await answer?.text()) ?? '', /\[DONE\]/)
  })

  test('that only resemble an allowed origin are rejected', async () => {
    for (const origin of [
      ...['null', 'https://app.example.evil.test', 'https://evil.test', 'http://app.example', 'https://app.example:444'],
      ...['https://app.example/', 'https://APP.example', '*', 'https://app.example, https://evil.test'],
    ]) {
      const answer = await listed?.fetch('/v1/models', { headers: { origin } })
      assert.equal(answer && allowed(answer), null, origin)
      const requested = await listed?.fetch('/v1/models', preflight(origin))
      assert.equal(requested && allowed(requested), null, origin)
    }
  })

  test('can all call if all are allowed, and the answer names none of them', async () => {
    for (const origin of ['https://any.example', 'null']) {
      const answer = await open?.fetch('/v1/models', { headers: { origin } })
      assert.deepEqual([answer?.status, answer && allowed(answer)], [200, '*'])
      assert.equal(answer?.headers.get('access-control-allow-credentials'), null)
    }
  })

  test('never reach the addresses of the console', async () => {
    for (const service of [open, listed])
      for (const path of ['/', '/?x', '/console', '/console/', '/console/api/session', '/console?x'])
        for (const init of [{ headers: { origin: friend } }, preflight(friend)]) {
          const answer = await service?.fetch(path, { ...init, token: null })
          assert.equal(answer && allowed(answer), null, path)
        }
  })

  test('are rejected by default', async () => {
    const answer = await closed?.fetch('/v1/models', { headers: { origin: friend } })
    assert.deepEqual([answer?.status, answer && allowed(answer)], [200, null])
    const requested = await closed?.fetch('/v1/models', preflight(friend))
    assert.deepEqual([requested && allowed(requested), requested?.headers.get('access-control-allow-methods')], [null, null])
  })

  test('cannot inject a header through the header names they request', async () => {
    const requested = await listed?.fetch('/v1/models', preflight(friend, { 'access-control-request-headers': 'a;b=<x>' }))
    assert.deepEqual([requested?.status, requested?.headers.get('access-control-allow-headers')], [204, null])
  })
})
