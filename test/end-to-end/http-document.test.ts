import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { documentedRoutes } from '../../src/http/openapi/documented-routes.ts'
import { routes } from '../../src/http/routes.ts'
import {
  chatCompletionSchema,
  chatLogprobsSchema,
  completionSchema,
  embeddingSchema,
  tokenUsageSchema,
} from '../../src/http/wire/chat/text-answers.ts'
import { errorBodySchema, inferenceListSchema, inferenceSchema, submissionSchema } from '../../src/http/wire/deferred/inference.ts'
import { webhookDeliveryListSchema, webhookSecretListSchema, webhookSecretSchema } from '../../src/http/wire/deferred/webhooks.ts'
import { imageResultSchema } from '../../src/http/wire/images/image-result.ts'
import { openAiImagesSchema } from '../../src/http/wire/images/openai/images-answer.ts'
import { timingsSchema } from '../../src/http/wire/llama-cpp/timings.ts'
import { modelListSchema } from '../../src/http/wire/service/model-answers.ts'
import { type HttpService, standardSettings, startHttpService } from '../support/http-service.ts'
import { readJson } from '../support/read-json.ts'

const { id, created, model, service_tier } = chatCompletionSchema.properties
const chatChunkSchema = Type.Object({
  id,
  created,
  model,
  object: Type.Literal('chat.completion.chunk'),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      delta: Type.Object({
        role: Type.Literal('assistant'),
        content: Type.Union([Type.String(), Type.Null()]),
        reasoning_content: Type.Optional(Type.String()),
        function_call: Type.Null(),
        tool_calls: Type.Optional(Type.Array(Type.Object({ index: Type.Integer({ minimum: 0 }) }, { additionalProperties: true }))),
      }),
      finish_reason: Type.Union([Type.Enum(['stop', 'length', 'tool_calls']), Type.Null()]),
      logprobs: Type.Optional(chatLogprobsSchema),
    }),
  ),
  usage: Type.Optional(tokenUsageSchema),
  service_tier,
  timings: Type.Optional(timingsSchema),
})

suite('the API document and the service', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  const tools = [{ type: 'function', function: { name: 'look' } }]
  const chat = (fields: object = {}) => ({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hi [call look]' }], ...fields })
  const fits = (schema: TSchema, value: unknown) => {
    const validator = Compile(closed(schema))
    assert.ok(validator.Check(value), `${JSON.stringify(value).slice(0, 300)}\n${JSON.stringify(validator.Errors(value)).slice(0, 600)}`)
  }

  test('the document lists exactly the existing routes', async () => {
    const document = await readJson(await service.fetch('/openapi.json', { token: null }))
    const listed = Object.entries(Object(document.paths)).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => `${method} ${path}`),
    )
    const documented = documentedRoutes(routes, standardSettings)
    assert.deepEqual(listed.toSorted(), documented.map(({ method, path }) => `${method.toLowerCase()} ${path}`).toSorted())
    for (const { method, path } of documented) {
      const answer = await service.fetch(path.replace(/\{\w+\}/g, 'some-id'), { method: 'OPTIONS' })
      assert.ok(answer.headers.get('allow')?.includes(method), `${method} ${path}`)
      // An address may be of several routes: one that names it, one that takes any id there, and an unlisted one that refuses by name.
      const taking = [...documented, ...routes.filter(({ isUnlisted }) => isUnlisted)].filter((route) =>
        new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      )
      assert.deepEqual(
        new Set(
          answer.headers
            .get('allow')
            ?.replace(/, (OPTIONS|HEAD)/g, '')
            .split(', '),
        ),
        new Set(taking.map((route) => route.method)),
      )
    }
  })

  test('answers contain only documented fields', async () => {
    const post = async (path: string, json: object, headers = {}) => readJson(await service.fetch(path, { json, headers }))
    fits(chatCompletionSchema, await post('/v1/chat/completions', chat({ logprobs: true, top_logprobs: 2, n: 2 })))
    fits(chatCompletionSchema, await post('/v1/chat/completions', chat({ tools })))
    fits(completionSchema, await post('/v1/completions', { model: 'fake-chat', prompt: 'Hi', logprobs: 2 }))
    fits(embeddingSchema, await post('/v1/embeddings', { model: 'fake-chat', input: 'Hi' }))
    fits(imageResultSchema, await post('/generate/sdxl', { prompt: 'a tiger', num_images: 2 }))
    fits(openAiImagesSchema, await post('/v1/images/generations', { prompt: 'a tiger' }))
    fits(modelListSchema, await readJson(await service.fetch('/v1/models')))
    const submitted = await post('/generate/sdxl', { prompt: '[fail numerical_error]' }, { 'x-service-async': '1' })
    fits(submissionSchema, submitted)
    const path = `/v1/requests/${submitted.response_id}`
    fits(inferenceSchema, await readJson(await service.fetch(path)))
    fits(inferenceSchema, await readJson(await service.fetch(`${path}?wait=60`)))
    fits(inferenceListSchema, await readJson(await service.fetch('/v1/requests')))
    const announced = { 'x-service-async': '1', 'x-service-webhook': 'https://example.com/hook' }
    const { response_id } = await post('/generate/sdxl', { prompt: 'a tiger' }, announced)
    await service.fetch(`/v1/requests/${response_id}?wait=60`)
    const deliveries = await readJson(await service.fetch('/v1/webhooks/deliveries'))
    assert.equal(Object(deliveries.data).length, 1)
    fits(webhookDeliveryListSchema, deliveries)
    fits(webhookSecretSchema, await post('/v1/webhooks/secrets/rotate', {}))
    fits(webhookSecretListSchema, await readJson(await service.fetch('/v1/webhooks/secrets')))
    fits(errorBodySchema, await post('/generate/sdxl', { prompt: 5 }))
    fits(errorBodySchema, await post('/v1/chat/completions', {}))
  })

  test('every event of a stream matches its schema', async () => {
    for (const fields of [{ logprobs: true, n: 2 }, { tools }]) {
      const stream = await service.fetch('/v1/chat/completions', {
        json: chat({ stream: true, stream_options: { include_usage: true }, ...fields }),
      })
      const events = (await stream.text()).split('\n\n').filter((event) => event.startsWith('data: {'))
      assert.ok(events.length > 1)
      for (const event of events) fits(chatChunkSchema, JSON.parse(event.slice(6)))
    }
  })

  test('the page is HTML that loads nothing', async () => {
    const answer = await service.fetch('/docs/api/plain', { token: null })
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(await answer.text(), /<h1>Sepia: the interface<\/h1>/)
  })
})

/** The schema with every object closed, so that a field the document does not know is found. */
function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_, node) =>
    typeof node === 'object' && node !== null && 'properties' in node ? { additionalProperties: false, ...node } : node,
  )
}
