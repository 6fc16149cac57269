import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { endWorkOfRevoked, WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { submit } from '../support/deferred-requests.ts'
import { startHttpService } from '../support/http-service.ts'
import { sepia, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { createTestClock } from '../support/test-clock.ts'

const options = { signal: new AbortController().signal }
const chat = (model: string, content: string, fields: object = {}) => ({ model, messages: [{ role: 'user', content }], ...fields })

suite('revoked tokens', () => {
  test('pending requests with a revoked token end; accepted work of its account and requests with other tokens continue', async () => {
    const clock = createTestClock()
    const underWay = new WorkUnderWay()
    const models = {
      text: { 'fake-chat': createFakeTextModel({ clock }) },
      image: { 'fake-image': createFakeImageModel({ clock, stepDelayMs: 1000 }) },
    }
    const pool = createFixedModelPool(models, { slots: 4 })
    await using service = await startHttpService({ clock, pool, worker: true, overrides: { underWay } })
    const { accountId, store } = service
    const leaked = await createAccessToken(
      { ...store, clock },
      { accountId, name: 'leaked', scopes: ['text', 'image', 'read'], expiresAt: null },
      options,
    )
    const drawn = await submit(service, { prompt: 'a tiger' }, { authorization: `Bearer ${leaked.text}` })
    const ask = (path: string, json: object, token?: string) => service.fetch(path, { json, ...(token !== undefined && { token }) })
    const stream = await ask('/v1/chat/completions', chat('fake-chat', '[hang after 2]', { stream: true }), leaked.text)
    const messages = await ask('/v1/messages', chat('fake-chat', '[hang after 2]', { stream: true, max_tokens: 9 }), leaked.text)
    const whole = ask('/v1/chat/completions', chat('fake-chat', '[hang]'), leaked.text)
    const picture = ask('/generate/sdxl', { prompt: 'a tiger' }, leaked.text)
    const poll = service.fetch(`/v1/requests/${drawn.id}?wait=60`, { token: leaked.text })
    const events = await service.fetch(`/v1/requests/${drawn.id}/events`, { token: leaked.text })
    const kept = await ask('/v1/chat/completions', chat('fake-chat', '[hang after 2]', { stream: true }))
    const inUse = () => pool.states().map((state) => state.inUse)
    while (inUse().toString() !== '4,2') await new Promise((resolve) => setImmediate(resolve))
    await service.received(8)

    await store.tokens.revoke(leaked.token, clock.now(), options)
    await endWorkOfRevoked({ ...store, underWay }, options)
    assert.match(await stream.text(), /data: \{"error":\{[^\n]*"code":"token_revoked"[^\n]*\}\s*$/)
    assert.match(await messages.text(), /event: error\ndata: [^\n]*revoked[^\n]*\s*$/)
    assert.match(await events.text(), /"code":"token_revoked"/)
    assert.deepEqual([(await whole).status, (await picture).status, (await poll).status], [401, 401, 401])
    while (inUse().toString() !== '1,1') await clock.advance(100)
    assert.equal((await store.log.find(drawn.id, accountId, options))?.status, 'running')
    assert.deepEqual([underWay.accounts(), underWay.tokens().length], [[accountId], 1])
    await kept.body?.cancel()
    assert.deepEqual(service.failures, [])
  })

  test('a running stream ends when the command line revokes its token', async () => {
    await using folder = await createTemporaryFolder()
    await using behind = await startHttpService()
    const models = join(folder.path, 'models')
    await mkdir(join(models, 'elsewhere'), { recursive: true })
    await writeFile(join(models, 'elsewhere', 'key'), behind.token)
    const elsewhere = { id: 'elsewhere', kind: 'text', format: 'openai', url: `${behind.url}/v1`, model: 'fake-chat', keyFile: 'key' }
    await writeFile(join(models, 'elsewhere', 'model.json'), JSON.stringify(elsewhere))
    const data = ['--data', join(folder.path, 'data'), '--json']
    await using service = await startService(join(folder.path, 'data'), '--models', models)
    const made: { readonly token: string; readonly id: string } = JSON.parse(
      (await sepia('token', 'create', '--name', 'leaked', ...data)).out,
    )
    const stream = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(chat('elsewhere', '[hang after 2]', { stream: true })),
    })
    assert.equal(stream.status, 200)
    assert.equal((await sepia('token', 'revoke', made.id, '--yes', ...data)).code, 0)
    assert.match(await stream.text(), /data: \{"error":\{[^\n]*"code":"token_revoked"/)
    // Beside the chat the service asks the server now and then whether it is there.
    const chatEnded = () => behind.finished.find(({ route }) => route === '/v1/chat/completions')
    while (chatEnded() === undefined) await behind.settled(behind.finished.length + 1)
    assert.equal(chatEnded()?.status, 499)
  })
})
