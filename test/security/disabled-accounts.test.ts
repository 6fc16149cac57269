import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Caller } from '../../src/core/access-token.ts'
import { isRecord, type JsonObject } from '../../src/core/json-value.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { changeAccount, createAccount } from '../../src/operations/access/accounts.ts'
import { endWorkOfDisabled, WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { submit } from '../support/deferred-requests.ts'
import { startHttpService } from '../support/http-service.ts'
import { sepia, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { createTestClock } from '../support/test-clock.ts'

const options = { signal: new AbortController().signal }
const password = 'a poet of science'

/** Uses a link up in a new browser; answers its cookie. */
async function join(url: string, link: string, email: string): Promise<string> {
  const body = JSON.stringify({ code: link.split('#')[1], name: 'Ada', email, password })
  const answer = await fetch(`${url}/console/api/sign-up`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', origin: url },
  })
  assert.equal(answer.status, 201)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

suite('disabled accounts', () => {
  test('earlier cookies and links stay invalid after the command line disables and enables an account', async () => {
    await using folder = await createTemporaryFolder()
    await using service = await startService(folder.path)
    const data = ['--data', folder.path, '--json']
    const made: { readonly id: string } = JSON.parse((await sepia('account', 'create', '--name', 'Eve', ...data)).out)
    const linkTo = async (id: string) => String(JSON.parse((await sepia('account', 'link', id, ...data)).out).link)
    const cookie = await join(service.url, await linkTo(made.id), 'eve@example.org')
    const statusWith = async (path: string, sent: RequestInit) => (await fetch(`${service.url}/console/api/${path}`, sent)).status
    const tokens = () => statusWith('tokens', { headers: { cookie } })
    const oldLink = await linkTo(made.id)
    const open = () =>
      statusWith('invitation', {
        method: 'POST',
        body: JSON.stringify({ code: oldLink.split('#')[1] }),
        headers: { 'content-type': 'application/json', origin: service.url },
      })
    assert.deepEqual([await tokens(), await open()], [200, 200])
    assert.equal((await sepia('account', 'disable', made.id, '--yes', ...data)).code, 0)
    assert.deepEqual([await tokens(), await open()], [401, 404])
    assert.match((await sepia('account', 'link', made.id, ...data)).out, /enable it first/)
    assert.equal((await sepia('account', 'enable', made.id, ...data)).code, 0)
    assert.deepEqual([await tokens(), await open()], [401, 404])
  })

  test('running and waiting work of an account ends when it is disabled, that of others does not', async () => {
    const clock = createTestClock()
    const underWay = new WorkUnderWay()
    const pool = createFixedModelPool({
      text: { 'fake-chat': createFakeTextModel({ clock }) },
      image: { 'fake-image': createFakeImageModel({ clock, stepDelayMs: 1000 }) },
    })
    await using service = await startHttpService({ clock, pool, worker: true, overrides: { underWay } })
    const eve = await createAccount({ ...service.store, clock }, { name: 'Eve', role: 'member' }, options)
    const token = await service.makeToken(['text', 'image', 'read'], { accountId: eve.id })
    const chat = (content: string, fields: object = {}) => ({ model: 'fake-chat', messages: [{ role: 'user', content }], ...fields })
    const stream = await service.fetch('/v1/chat/completions', { json: chat('[hang after 2]', { stream: true }), token })
    const whole = service.fetch('/v1/chat/completions', { json: chat('[hang]'), token })
    const drawn = await submit(service, { prompt: 'a tiger' }, { authorization: `Bearer ${token}` })
    const honest = await submit(service, { prompt: 'a tiger' })
    const events = await service.fetch(`/v1/requests/${drawn.id}/events`, { token })
    while (pool.states().some(({ inUse }) => inUse < 2)) await new Promise((resolve) => setImmediate(resolve))

    await changeAccount({ ...service.store, clock }, { accountId: eve.id, by: null, disabled: true }, options)
    await endWorkOfDisabled({ ...service.store, underWay }, options)
    assert.match(await stream.text(), /data: \{"error":\{[^\n]*"code":"invalid_token"/)
    assert.equal((await whole).status, 401)
    assert.match(await events.text(), /"code":"invalid_token"/)
    await service.settled(5)
    while (pool.states().find(({ modelId }) => modelId === 'fake-chat')?.inUse !== 0) await new Promise((resolve) => setImmediate(resolve))
    while (pool.states().find(({ modelId }) => modelId === 'fake-image')?.inUse === 2) await clock.advance(100)
    const find = () => service.store.log.find(drawn.id, eve.id, options)
    while ((await find())?.status !== 'completed') await clock.advance(100)
    assert.equal((await find())?.outcome, 'cancelled')
    assert.equal((await service.store.log.find(honest.id, service.accountId, options))?.status, 'running')
    assert.deepEqual(underWay.accounts(), [service.accountId])
    assert.deepEqual(service.failures, [])
  })

  test('links to pictures and uploads of a disabled account stop working, and so do running uploads', async () => {
    await using folder = await createTemporaryFolder()
    const underWay = new WorkUnderWay()
    await using service = await startHttpService({ worker: true, assets: { folder: folder.path }, overrides: { underWay } })
    const eve = await createAccount({ ...service.store, clock: service.store.clock }, { name: 'Eve', role: 'member' }, options)
    const token = await service.makeToken(['image', 'read'], { accountId: eve.id })
    const read = async (answer: Response): Promise<JsonObject> => JSON.parse(await answer.text())
    const drawn = { prompt: 'a tiger', response_format: 'url' }
    const { data } = await read(await service.fetch('/v1/images/generations', { json: drawn, token }))
    const picture = String(Array.isArray(data) && isRecord(data[0]) && data[0].url)
    const described = { asset_type: 'lora', data: { asset_type: 'lora', engine: 'image/stable-diffusion-xl-v1-0' } }
    const link = async (name: string): Promise<string> => {
      const json = { name, ...described, transfer_api_type: 'presigned-url' }
      const { transfer_api: links } = await read(await service.fetch('/v1/assets', { json, token }))
      return String(isRecord(links) && links.put_url)
    }
    const [before, after] = [await link('before'), await link('after')]
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const file = writable.getWriter()
    const sending = { method: 'PUT', body: readable, duplex: 'half' } as const
    const upload = fetch(before, sending)
    // The beginning of a safetensors file: the length of its header, and the header's brace.
    await file.write(Uint8Array.of(64, 0, 0, 0, 0, 0, 0, 0, 0x7b))
    assert.equal((await fetch(picture)).status, 200)
    while (!underWay.accounts().includes(eve.id)) await new Promise((resolve) => setImmediate(resolve))

    await changeAccount({ ...service.store, clock: service.store.clock }, { accountId: eve.id, by: null, disabled: true }, options)
    await endWorkOfDisabled({ ...service.store, underWay }, options)
    await file.write(new Uint8Array(1000))
    assert.equal((await upload).status, 401)
    assert.equal((await fetch(picture)).status, 404)
    assert.equal((await fetch(after, { method: 'PUT', body: Uint8Array.of(64, 0, 0, 0, 0, 0, 0, 0, 0x7b) })).status, 404)
    assert.deepEqual(service.failures, [])
  })

  test('a client that disconnects during authentication leaves no running request', async () => {
    const underWay = new WorkUnderWay()
    const requested = Promise.withResolvers<void>()
    const known = Promise.withResolvers<Caller>()
    const authenticateSession = () => {
      requested.resolve()
      return known.promise
    }
    await using service = await startHttpService({ overrides: { underWay, authenticateSession } })
    const leaving = new AbortController()
    const answer = assert.rejects(service.fetch('/v1/models', { token: null, signal: leaving.signal }))
    await requested.promise
    leaving.abort()
    await answer
    await service.settled(1)
    known.resolve({ accountId: service.accountId, tokenId: null, scopes: ['read'], accountLimits: noLimits })
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(underWay.accounts(), [])
  })
})
