import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const { signal } = new AbortController()
const deferred = { 'x-service-async': '1' }

suite('stored bytes', () => {
  test('concurrent requests of an account stay within its storage limit, and others are unaffected', async () => {
    await using service = await startHttpService({ limits: { maxPending: 1000, maxStoredBytesPerAccount: 50_000_000 } })
    const neighbour = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Bo', role: 'member' }, { signal })
    const honest = await service.makeToken(['image', 'read'], { accountId: neighbour.id })
    const json = { prompt: 'noise', width: 1024, height: 1024, num_images: 3, image_encoding: 'png' }
    const answers = await Promise.all(Array.from({ length: 12 }, () => service.fetch('/generate/sdxl', { json, headers: deferred })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(3).fill(202), ...Array(9).fill(429)])
    for (const answer of answers.filter(({ status }) => status === 429)) {
      assert.equal(answer.headers.get('retry-after'), '120')
      const { code, message } = await readError(answer)
      assert.equal(code, 'quota_exceeded')
      assert.match(message, /over its 50 MB \(account-storage\)/)
    }
    assert.equal((await service.fetch('/generate/sdxl', { json, headers: deferred, token: honest })).status, 202)
  })

  test('the pixels of a request are limited, and the error names the fields to change', async () => {
    await using service = await startHttpService({ settings: { requests: { imagePixels: 1024 * 1024 } } })
    const cases = [
      ['/generate/sdxl', { width: 512, height: 512, num_images: 5 }, ['num_images', 'width', 'height'], /at most 4 of this size/],
      ['/generate/sdxl', { width: 2048, height: 1024 }, ['width', 'height'], /a smaller size/],
      ['/v1/images/generations', { size: '1024x512', n: 3 }, ['n', 'size'], /at most 2 of this size/],
    ] as const
    for (const [path, fields, names, fix] of cases) {
      const refused = await service.fetch(path, { json: { prompt: 'a tiger', ...fields } })
      assert.equal(refused.status, 422)
      const { error, detail } = await readJson(refused)
      assert.match(String(Object(error).message), fix)
      assert.deepEqual(
        (detail as { loc: string[] }[]).map(({ loc }) => loc.at(-1)),
        names,
      )
    }
    assert.equal(
      (await service.fetch('/generate/sdxl', { json: { prompt: 'a tiger', width: 512, height: 512, num_images: 4 } })).status,
      200,
    )
  })
})
