import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { routes } from '../../src/http/routes.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

/** Examples that need an existing object, or a model other than the fakes. */
const dependent =
  /^\/v1\/(batches$|assets\/|chat\/completions\/\{)|^\/models\/|^\/api\/(pull|delete)|^\/upscaling|^\/sdapi\/v1\/extra|^\/generate\/(sd|controlnet-.*)$/

suite('examples of the API document', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const { path, example } of routes) {
    if (example === undefined || dependent.test(path)) continue
    test(`${path} accepts its example`, async () => {
      const json = 'model' in example ? { ...example, model: 'fake-chat' } : example
      const answer = await service.fetch(path, { json })
      assert.equal(answer.status, 200, await answer.text())
    })
  }
})
