import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { renderApiPage } from '../docs/api-page.ts'
import { routes } from '../routes.ts'
import { createChatRequestParser } from '../wire/chat/chat-request.ts'
import { publishedBodies, widePenalties } from '../wire/chat/sampling-fields.ts'
import { describeApi } from './api-document.ts'
import { documentedRoutes } from './documented-routes.ts'

const oneOrigin = (url: string) => ({ publicUrl: url, imageUrl: url, asyncUrl: url, textUrl: url })

suite('the API document', () => {
  const document = JSON.parse(JSON.stringify(describeApi(routes, publishedBodies, oneOrigin('https://sepia.example'))))

  test('is OpenAPI 3.1 on the public address, with a bearer token where one is needed', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(document.servers, [{ url: 'https://sepia.example' }])
    assert.deepEqual(document.security, [{ token: [] }])
    assert.deepEqual(document.paths['/healthz'].get.security, [])
    assert.equal(document.paths['/v1/models'].get.security, undefined)
  })

  test('names every operation once', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(Object(methods)))
    const names = operations.map((operation) => Object(operation).operationId)
    assert.equal(new Set(names).size, documentedRoutes(routes, publishedBodies).length)
    assert.ok(names.includes('getV1RequestsIdEvents'))
  })

  test('describes fields as the checker does, with null as the default', () => {
    const { properties, required, additionalProperties } =
      document.paths['/generate/sdxl'].post.requestBody.content['application/json'].schema
    assert.deepEqual(required, ['prompt'])
    assert.equal(additionalProperties, false)
    assert.equal(properties.prompt.type, 'string')
    const { type, minimum, maximum } = properties.steps
    assert.deepEqual([type, minimum, maximum], [['integer', 'null'], 1, 200])
    assert.equal(properties.sampler.enum.at(-1), null)
    assert.deepEqual(properties.seed.anyOf.at(-1), { type: 'null' })
    const { json_schema: wrapped } =
      document.paths['/v1/chat/completions'].post.requestBody.content['application/json'].schema.properties.response_format.properties
    assert.deepEqual(Object.keys(wrapped).toSorted(), ['additionalProperties', 'properties', 'type'])
  })

  test("accepts null wherever the service does, and the service's own answers in the next request", () => {
    const { schema } = document.paths['/v1/chat/completions'].post.requestBody.content['application/json']
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'Hi', name: null, tool_calls: null },
      { role: 'assistant', content: null, function_call: null, refusal: null, audio: null, tool_calls: [call] },
      { role: 'tool', content: 'x', tool_call_id: 'a' },
    ]
    const fields = {
      temperature: null,
      stream_options: { include_usage: null },
      response_format: { type: 'json_schema', json_schema: { name: 'x', description: null, schema: {}, strict: null }, schema: null },
      tools: [{ type: 'function', function: { name: 'look', description: null, parameters: null, strict: null } }],
    }
    const body = { model: 'm', messages, stream: true, ...fields }
    createChatRequestParser(publishedBodies)(body)
    assert.deepEqual(Compile(schema).Errors(body), [])
    for (const wrong of [{ name: 5 }, { function_call: {} }, { role: null }])
      assert.equal(Compile(schema).Check({ ...body, messages: [{ role: 'user', content: 'Hi', ...wrong }] }), false)
  })

  test('describes pairs and records with keywords that the reference page supports', () => {
    const { anyOf } = document.paths['/completion'].post.requestBody.content['application/json'].schema.properties.logit_bias
    const [{ items }, record] = anyOf
    assert.deepEqual([items.minItems, items.maxItems, items.items.anyOf.length], [2, 2, 2])
    assert.equal(record.patternProperties, undefined)
    assert.equal(record.additionalProperties.anyOf.length, 2)
  })

  test('describes records in answers with keywords that the reference page supports, and keeps the required fields', () => {
    const answer = document.paths['/sdapi/v1/embeddings'].get.responses['200'].content['application/json'].schema
    const { loaded } = answer.properties
    assert.equal(loaded.patternProperties, undefined)
    assert.deepEqual(loaded.additionalProperties.properties.step, { type: 'null', description: 'Not reported.' })
    assert.ok(!JSON.stringify(document).includes('"^.*$"'), 'a record is written as a pattern')
    assert.deepEqual(answer.required, ['loaded', 'skipped'])
  })

  test('has the wider range of penalties if the service does', () => {
    const wide = JSON.parse(JSON.stringify(describeApi(routes, { penalties: widePenalties }, oneOrigin(''))))
    const { minimum, maximum } =
      wide.paths['/v1/chat/completions'].post.requestBody.content['application/json'].schema.properties.presence_penalty
    assert.deepEqual([minimum, maximum], [-2, 2])
  })

  test('describes parameters, stored errors and the required scope', () => {
    const parameter = (path: string, name: string) =>
      document.paths[path][path === '/generate/sdxl' ? 'post' : 'get'].parameters.find((entry: { name: string }) => entry.name === name)
        .schema
    assert.deepEqual(parameter('/generate/sdxl', 'X-Service-Priority').enum, ['normal', 'low'])
    const { minimum, maximum, default: fallback } = parameter('/v1/requests', 'limit')
    assert.deepEqual([minimum, maximum, fallback], [1, 100, 20])
    const { responses, description } = document.paths['/v1/responses/{id}'].get
    const stored = ['/generate/sdxl', '/v1/chat/completions'].flatMap((path) => Object.keys(document.paths[path].post.responses))
    for (const status of stored) if (!['202', '413', '415'].includes(status)) assert.ok(status in responses, status)
    assert.match(description, /Scope: `read`, or the scope of the original request: `text` for chat completions/)
  })

  test('every route documents 400 for an unknown query parameter', () => {
    for (const methods of Object.values(document.paths))
      for (const operation of Object.values(Object(methods))) assert.ok('400' in Object(operation).responses)
  })

  test('every reference resolves', () => {
    for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
      assert.ok(pointer.split('/').reduce((node, key) => node?.[key], document) !== undefined, pointer)
  })

  test('is rendered as a page that lists every field and loads nothing from elsewhere', () => {
    const documented = documentedRoutes(routes, publishedBodies)
    const page = renderApiPage(documented)
    for (const { path, body } of documented) {
      assert.ok(page.includes(path), path)
      for (const name of Object.keys(body?.properties ?? {})) assert.ok(page.includes(`<code>${name}</code>`), name)
    }
    assert.ok(!/<(script|link|img)|https?:/.test(page))
    assert.ok(page.includes('<td>one of &quot;normal&quot;, &quot;low&quot;</td>'))
    assert.ok(page.includes('<p>Check liveness. Also at /health.</p>'))
  })
})
