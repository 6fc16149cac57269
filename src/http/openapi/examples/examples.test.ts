import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { errorCodes } from '../../../core/error.ts'
import { errorStatus } from '../../answers/error-status.ts'
import { errorBodySchema } from '../../wire/deferred/inference-answers.ts'
import { nativeErrorSchema } from '../../wire/llama-cpp/native-error.ts'
import { messageErrorSchema } from '../../wire/messages/message-answers.ts'
import { describeApi } from '../api-document.ts'
import { documentedRoutes } from '../documented-routes.ts'
import { requestExamples } from './request-examples.ts'

const settings = { widePenalties: false }
const url = 'https://sepia.example'
const document = JSON.parse(JSON.stringify(describeApi(settings, { publicUrl: url, imageUrl: url, asyncUrl: url, textUrl: url })))

suite('the examples of the API document', () => {
  test('there is one for each route that takes JSON, and none without a route', () => {
    const routes = documentedRoutes(settings).filter(({ body, bodyType }) => body !== undefined && bodyType === undefined)
    assert.deepEqual(Object.keys(requestExamples).toSorted(), [...new Set(routes.map(({ path }) => path))].toSorted())
  })

  for (const [path, body] of Object.entries(requestExamples))
    test(`that of ${path} is what its route takes`, () => {
      const { schema, examples } = document.paths[path].post.requestBody.content['application/json']
      assert.deepEqual(Compile(schema).Errors(examples.plain.value), [])
      assert.deepEqual(examples.plain.value, JSON.parse(JSON.stringify(body)))
    })

  test('each error code has one under its status, in the shape of each surface', () => {
    for (const [prefix, schema] of [
      ['', errorBodySchema],
      ['Message', messageErrorSchema],
      ['Native', nativeErrorSchema],
    ] as const)
      for (const code of errorCodes) {
        const { examples } = document.components.responses[`${prefix}Refused${errorStatus[code]}`].content['application/json']
        assert.deepEqual(Compile(schema).Errors(examples[code].value), [])
      }
  })

  test('Anthropic’s routes answer refusals in their own shape', () => {
    const { $ref } = document.paths['/v1/messages'].post.responses['404']
    assert.equal($ref, '#/components/responses/MessageRefused404')
  })

  test('llama.cpp’s routes answer refusals in its server’s shape', () => {
    for (const path of ['/completion', '/infill', '/tokenize', '/props'])
      for (const { responses } of Object.values<{ responses: Record<string, { $ref: string }> }>(document.paths[path]))
        assert.equal(responses['400']?.$ref, '#/components/responses/NativeRefused400')
  })
})
