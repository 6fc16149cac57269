import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { errorCodes } from '../../core/error.ts'
import { errorStatus } from '../faults/error-status.ts'
import { routes } from '../routes.ts'
import { a1111ErrorSchema } from '../wire/a1111/a1111-error.ts'
import { publishedBodies } from '../wire/chat/sampling-fields.ts'
import { errorBodySchema } from '../wire/deferred/inference.ts'
import { nativeErrorSchema } from '../wire/llama-cpp/native-error.ts'
import { messageErrorSchema } from '../wire/messages/message-answers.ts'
import { ollamaErrorSchema } from '../wire/ollama/ollama-error.ts'
import { describeApi } from './api-document.ts'
import { documentedRoutes } from './documented-routes.ts'

const url = 'https://sepia.example'
const document = JSON.parse(
  JSON.stringify(describeApi(routes, publishedBodies, { publicUrl: url, imageUrl: url, asyncUrl: url, textUrl: url })),
)

suite('the examples of the API document', () => {
  for (const { method, path, body, takes } of documentedRoutes(routes, publishedBodies))
    if (body !== undefined && takes === undefined)
      test(`${method} ${path} accepts its example`, () => {
        const { schema, examples } = document.paths[path][method.toLowerCase()].requestBody.content['application/json']
        assert.deepEqual(Compile(schema).Errors(examples.plain.value), [])
      })

  test('each error code has an example under its status, in the format of each interface', () => {
    for (const [prefix, schema] of [
      ['', errorBodySchema],
      ['Message', messageErrorSchema],
      ['Ollama', ollamaErrorSchema],
      ['A1111', a1111ErrorSchema],
      ['Native', nativeErrorSchema],
    ] as const)
      for (const code of errorCodes) {
        const { examples } = document.components.responses[`${prefix}Refused${errorStatus[code]}`].content['application/json']
        assert.deepEqual(Compile(schema).Errors(examples[code].value), [])
      }
  })

  test("Anthropic's routes return errors in their own format", () => {
    const { $ref } = document.paths['/v1/messages'].post.responses['404']
    assert.equal($ref, '#/components/responses/MessageRefused404')
  })

  test('llama.cpp’s routes return errors in llama-server’s format', () => {
    for (const path of ['/completion', '/infill', '/tokenize', '/props'])
      for (const { responses } of Object.values<{ responses: Record<string, { $ref: string }> }>(document.paths[path]))
        assert.equal(responses['400']?.$ref, '#/components/responses/NativeRefused400')
  })
})
