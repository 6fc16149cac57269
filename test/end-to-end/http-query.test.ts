import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { documentedRoutes } from '../../src/http/openapi/documented-routes.ts'
import { routes } from '../../src/http/routes.ts'
import { type HttpService, standardSettings, startHttpService } from '../support/http-service.ts'
import { readError } from '../support/read-json.ts'

/** Clients find out with these what they speak to. */
const probed = ['/v1/models', '/v1/models/{id}']

suite('query parameters', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  test("extra ones of probing clients are ignored, and Azure's version everywhere", async () => {
    for (const query of ['client_version=0.150.1', 'limit=1000', 'foo[bar]=1&__proto__=x'])
      assert.equal((await service.fetch(`/v1/models?${query}`)).status, 200, query)
    assert.equal((await service.fetch('/v1/usage?api-version=2024-06-01')).status, 200)
  })

  for (const { method, path, parameters = [], scopes } of documentedRoutes(routes, standardSettings)) {
    if (probed.includes(path) && method === 'GET') continue
    const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    test(`${method} ${path} rejects every one except ${known.length === 0 ? 'none' : known.join(', ')}`, async () => {
      const call = (name: string, token?: null) =>
        service.fetch(`${path.replace('{id}', 'some-id')}?${encodeURIComponent(name)}=x`, {
          method,
          ...(method === 'POST' && { body: '{}' }),
          ...(token === null && { token }),
        })
      for (const name of ['foo', 'steps', 'wait', 'limit', 'after', 'status', '__proto__', '']) {
        const { param, message } = await readError(await call(name))
        if (known.includes(name)) assert.doesNotMatch(message, /not a known query parameter/)
        else {
          const answer = await call(name)
          assert.equal(answer.status, 400, name)
          // The errors of Anthropic, Ollama and A1111 name a field only in their sentence.
          if (!/^\/(?:v1\/messages|api|sdapi)(?:\/|$)/.test(path)) assert.equal(param, name)
          assert.match(message, /not a known query parameter/)
        }
      }
      if (scopes !== null) assert.equal((await call('foo', null)).status, 401)
      const { message } = await readError(await call('x'.repeat(5000)))
      assert.ok(message.startsWith(`\`${'x'.repeat(100)}…\` is not`), message)
    })
  }
})
