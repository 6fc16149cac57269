import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const day = 24 * 60 * 60 * 1000

async function draw(service: HttpService, fields: object = {}): Promise<readonly string[]> {
  const answer = await service.fetch('/v1/images/generations', { json: { prompt: 'a tiger', response_format: 'url', ...fields } })
  assert.equal(answer.status, 200, await answer.clone().text())
  const { data }: { data: { url: string }[] } = JSON.parse(JSON.stringify(await readJson(answer)))
  return data.map(({ url }) => url)
}

test('a link shows its picture without a token, for 24 hours', async () => {
  const clock = createTestClock()
  await using service = await startHttpService({ worker: true, clock })
  const [first = '', second = ''] = await draw(service, { n: 2 })
  assert.ok(first.startsWith(service.url))
  const pictures = await Promise.all([first, second].map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())))
  for (const picture of pictures) assert.equal(picture.toString('latin1', 1, 4), 'PNG')
  assert.notDeepEqual(pictures[0], pictures[1])
  const shown = await fetch(first)
  assert.equal(shown.headers.get('content-type'), 'image/png')
  assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
  const small = await fetch(`${first}&width=160`)
  assert.deepEqual([small.status, small.headers.get('content-type')], [200, 'image/webp'])
  assert.equal((await readError(await fetch(`${first}&width=1`))).param, 'width')
  clock.jump(clock.now() + day + 1000)
  const gone = await fetch(first)
  assert.equal(gone.status, 410)
  assert.equal((await readError(gone)).code, 'response_expired')
})

test('a link cannot be forged, extended or turned to another picture', async () => {
  await using service = await startHttpService({ worker: true })
  const [link = '', other = ''] = await draw(service, { n: 2 })
  const [elsewhere = ''] = await draw(service)
  const change = (edit: (url: URL) => void): string => {
    const url = new URL(link)
    edit(url)
    return url.href
  }
  const forged = [
    change((url) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1))),
    change((url) => url.searchParams.set('expires', `0${url.searchParams.get('expires')}`)),
    change((url) => url.searchParams.set('signature', new URL(other).searchParams.get('signature') ?? '')),
    change((url) => url.searchParams.set('signature', '')),
    change((url) => url.searchParams.delete('signature')),
    change((url) => url.searchParams.append('signature', 'x')),
    change((url) => (url.pathname = new URL(other).pathname)),
    change((url) => (url.pathname = new URL(elsewhere).pathname)),
    change((url) => (url.pathname = url.pathname.replace(/0$/, '00'))),
    change((url) => (url.pathname = url.pathname.replace(/stored\/[^/]+/, 'stored/other'))),
  ]
  const words = new Set<string>()
  for (const url of forged) {
    const answer = await fetch(url)
    assert.equal(answer.status, 404, url)
    words.add(JSON.stringify(await readError(answer)))
  }
  assert.equal(words.size, 1)
  assert.equal((await fetch(change((url) => url.searchParams.set('x', '1')))).status, 400)
  assert.equal((await fetch(link)).status, 200)
})

test('a failed drawing returns its error, and a drawing whose caller disconnects is cancelled', async () => {
  await using service = await startHttpService({ worker: true })
  const failing = { prompt: '[fail numerical_error]', response_format: 'url' }
  assert.equal((await service.fetch('/v1/images/generations', { json: failing })).status, 500)
  const leaving = new AbortController()
  const requested = service.fetch('/v1/images/generations', { json: { prompt: '[hang]', response_format: 'url' }, signal: leaving.signal })
  const { signal } = new AbortController()
  const list = () => service.store.log.list({ accountId: service.accountId, status: null, limit: 1, after: null }, { signal })
  while ((await list()).inferences[0]?.status !== 'running') await new Promise(setImmediate)
  leaving.abort()
  await assert.rejects(requested)
  while ((await list()).inferences[0]?.status !== 'completed') await new Promise(setImmediate)
  assert.equal((await list()).inferences[0]?.outcome, 'cancelled')
})
