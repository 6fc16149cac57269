import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { createAccount } from '../../src/operations/access/create-account.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { startHttpService } from '../support/http-service.ts'

const { signal } = new AbortController()

/** A service whose pool notes what it was told to load and unload. */
async function start() {
  const told: string[] = []
  const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock: createSystemClock() }) }, image: {} })
  const service = await startHttpService({
    pool: {
      ...pool,
      load: async (model) => void told.push(`load ${model}`),
      unload: async (model) => void told.push(`unload ${model}`),
    },
  })
  return { service, told, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('loading and unloading', () => {
  test('is for owners, with a token that may do everything, and is written down', async () => {
    await using started = await start()
    const { service, told } = started
    for (const verb of ['load', 'unload']) {
      const response = await service.fetch(`/models/${verb}`, { json: { model: 'fake-chat' } })
      assert.equal(response.status, 200)
      const { id }: { id: string } = JSON.parse(await response.text())
      assert.equal(id, 'fake-chat')
    }
    assert.deepEqual(told, ['load fake-chat', 'unload fake-chat'])
    const entries = await service.store.audit.list({ before: null, limit: 2 }, { signal })
    assert.deepEqual(
      entries.map(({ action, subject, accountId }) => [action, subject, accountId]),
      [
        ['model-unloaded', 'fake-chat', service.accountId],
        ['model-loaded', 'fake-chat', service.accountId],
      ],
    )
  })

  test('is refused to members and to narrower tokens of owners, before the body is looked at', async () => {
    await using started = await start()
    const { service, told } = started
    const member = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Bo', role: 'member' }, { signal })
    const tokens = [
      await service.makeToken(['text', 'image', 'read'], { accountId: member.id }),
      await service.makeToken(['text', 'image']),
      await service.makeToken(['read']),
    ]
    for (const token of tokens) {
      const response = await service.fetch('/models/unload', { json: { model: 'fake-chat' }, token })
      assert.equal(response.status, 403)
    }
    assert.deepEqual(told, [])
  })
})

describe('GET /v1/usage', () => {
  test('shows one account its own days and budgets, and nobody else', async () => {
    await using service = await startHttpService()
    const options = { signal }
    await service.store.accounts.change(service.accountId, { by: null, limits: { ...noLimits, tokensPerDay: 1000 } }, options)
    await (await service.fetch('/v1/chat/completions', { json: { model: 'fake-chat', messages: [{ role: 'user', content: 'a' }] } })).text()
    await service.inBooks(1)
    const read = async (token: string) => {
      const answer: { data: { model: string; requests: number; completion_tokens: number }[]; budgets: { left: number }[] } = JSON.parse(
        await (await service.fetch('/v1/usage', { token })).text(),
      )
      return answer
    }
    const mine = await read(service.token)
    assert.deepEqual(
      mine.data.map(({ model, requests }) => [model, requests]),
      [['fake-chat', 1]],
    )
    assert.ok((mine.budgets[0]?.left ?? 1000) < 1000)
    const other = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Bo', role: 'owner' }, options)
    const theirs = await read(await service.makeToken(['read'], { accountId: other.id }))
    assert.deepEqual(theirs, { object: 'list', data: [], budgets: [] })
    assert.equal((await service.fetch('/v1/usage', { token: await service.makeToken(['text']) })).status, 403)
    for (const query of ['from=yesterday', 'to=2026-13-01', 'from=1&from=2'])
      assert.equal((await service.fetch(`/v1/usage?${query}`)).status, 400)
  })
})
