import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { submit } from '../support/deferred-requests.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()
const picture = { prompt: 'a tiger', seed: 3, width: 512, height: 512 }
const stream = { model: 'fake-chat', messages: [{ role: 'user', content: '[hang after 1]' }], stream: true }
const most = 3

interface Held {
  readonly path: (id: string) => string
  readonly json?: object
  readonly bound: RegExp
}

const kinds: Readonly<Record<string, Held>> = {
  'open streams': { path: () => '/v1/chat/completions', json: stream, bound: /3 open streams.*account-streams/ },
  'streams of plain completions': {
    path: () => '/v1/completions',
    json: { model: 'fake-chat', prompt: '[hang after 1]', stream: true },
    bound: /3 open streams.*account-streams/,
  },
  'long polls': { path: (id) => `/v1/requests/${id}?wait=60`, bound: /3 waiting polls.*account-streams/ },
  'event streams': { path: (id) => `/v1/requests/${id}/events`, bound: /3 open event streams.*account-streams/ },
}

suite('held connections', () => {
  for (const [name, { path, json, bound }] of Object.entries(kinds))
    test(`${name}: one account holds a limited number, others are unaffected, and a disconnect frees a place`, async () => {
      const clock = createTestClock()
      const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock }) } }, { slots: 100 })
      await using service = await startHttpService({
        clock,
        pool,
        settings: { accounts: { streams: most } },
      })
      const neighbour = await createAccount({ ...service.store, clock }, { name: 'Bo', role: 'member' }, { signal })
      const honest = await service.makeToken(['text', 'image', 'read'], { accountId: neighbour.id })
      const bearer = { authorization: `Bearer ${honest}` }
      const ids = { own: (await submit(service, picture)).id, other: (await submit(service, picture, bearer)).id }
      const leave = new AbortController()
      let held = 0
      /** Resolves when the connection is held open. */
      const hold = async (whose: keyof typeof ids): Promise<void> => {
        const init = { signal: leave.signal, ...(json && { json }), ...(whose === 'other' && { token: honest }) }
        const requested = service.fetch(path(ids[whose]), init)
        requested.catch(() => {})
        held += 1
        if (name === 'long polls') await clock.waiting(held)
        else assert.equal((await requested).status, 200)
      }
      for (let round = 0; round < most; round++) await hold('own')
      const refused = await service.fetch(path(ids.own), { ...(json && { json }) })
      assert.equal(refused.status, 429)
      assert.equal(refused.headers.get('retry-after'), '5')
      const { code, message } = await readError(refused)
      assert.equal(code, 'concurrency_limit_exceeded')
      assert.match(message, bound)
      await hold('other')
      const over = service.finished.length
      leave.abort()
      await service.settled(over + held)
      const ask = new AbortController()
      const again = service.fetch(path(ids.own), { signal: ask.signal, ...(json && { json }) })
      again.catch(() => {})
      if (name === 'long polls') await clock.waiting(1)
      else assert.equal((await again).status, 200)
      ask.abort()
    })
})
