import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { routes } from '../../src/http/routes.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

/** Those whose routes want something that was made before, or a model that the fakes are not. */
const dependent =
  /^\/v1\/(batches$|assets\/|chat\/completions\/\{)|^\/models\/|^\/api\/(pull|delete)|^\/upscaling|^\/sdapi\/v1\/extra|^\/generate\/(sd|controlnet-.*)$/

suite('the examples of the API document, sent', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const { path, example } of routes) {
    if (example === undefined || dependent.test(path)) continue
    test(`${path} answers its example`, async () => {
      const json = 'model' in example ? { ...example, model: 'fake-chat' } : example
      const answer = await service.fetch(path, { json })
      assert.equal(answer.status, 200, await answer.text())
    })
  }
})
