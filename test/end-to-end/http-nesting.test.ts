import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import type { EngineEvent } from '../../src/runtimes/process/engine-messages.ts'
import { createFakeEngineLoader } from '../support/engines/fake-engine-loader.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

/** A JSON Schema of a number of levels, each of which is two levels of JSON. */
function makeSchema(levels: number): string {
  return `${'{"type":"object","properties":{"x":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`
}

const chat = '"model":"fake-chat","messages":[{"role":"user","content":"[say hi]"}]'
const places: Readonly<Record<string, (schema: string) => string>> = {
  json_schema: (schema) => `{${chat},"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${schema}}}}`,
  json_object: (schema) => `{${chat},"response_format":{"type":"json_object","schema":${schema}}}`,
  tools: (schema) => `{${chat},"tools":[{"type":"function","function":{"name":"look","parameters":${schema}}}]}`,
}

suite('deeply nested bodies', () => {
  let service: HttpService
  let stop: () => Promise<void>
  const engine: EngineEvent[] = []
  before(async () => {
    const loader = createFakeEngineLoader({ log: (event) => engine.push(event) })
    const { signal } = new AbortController()
    const loaded = await loader.loadText(describeFakeText(), { signal })
    service = await startHttpService({ catalog: createFakeCatalog(), pool: createFixedModelPool({ text: { 'fake-chat': loaded.model } }) })
    stop = async () => {
      await service[Symbol.asyncDispose]()
      await loaded[Symbol.asyncDispose]()
    }
  })
  after(() => stop())

  const post = (path: string, body: string, headers: Record<string, string> = {}) => service.fetch(path, { method: 'POST', body, headers })

  for (const [place, makeBody] of Object.entries(places))
    test(`a schema of 32 levels in ${place} reaches the engine, which keeps running; a far deeper one is rejected before`, async () => {
      for (const levels of [51, 900, 1700, 3000, 6000, 15_000]) {
        for (const headers of [{}, { 'x-service-async': '1' }]) {
          const refused = await post('/v1/chat/completions', makeBody(makeSchema(levels)), headers)
          assert.equal(refused.status, 400, `${levels} levels`)
          const { code, message } = await readError(refused)
          assert.equal(code, 'invalid_request_error')
          assert.match(message, /nests at most 100 levels/)
        }
      }
      const answer = await (await post('/v1/chat/completions', makeBody(makeSchema(32)))).text()
      // The fake model follows no schema, but says so itself.
      assert.match(answer, place === 'tools' ? /"object":"chat.completion"/ : /The fake model follows no schema/)
      assert.ok(!engine.some(({ type }) => type === 'exited'))
    })

  test('every route with a body rejects one, with its own code', async () => {
    const deep = `{"x":${'['.repeat(100)}${']'.repeat(100)}}`
    for (const [path, status, code] of [
      ['/v1/completions', 400, 'invalid_request_error'],
      ['/v1/embeddings', 400, 'invalid_request_error'],
      ['/v1/webhooks/secrets/rotate', 400, 'invalid_request_error'],
      ['/v1/images/generations', 422, 'validation_error'],
      ['/generate/sdxl', 422, 'validation_error'],
    ] as const) {
      const answer = await post(path, deep)
      assert.equal(answer.status, status, path)
      const body = await readJson(answer)
      assert.equal(Object(body.error).code, code)
      assert.equal('detail' in body, status === 422)
    }
    assert.deepEqual(service.failures, [])
  })
})
