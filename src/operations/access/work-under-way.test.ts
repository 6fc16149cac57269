import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { accountDisabled } from '../../core/account.ts'
import { createAccessToken } from './access-tokens.ts'
import { createAccount } from './accounts.ts'
import { endWorkOfDisabled, endWorkOfRevoked, WorkUnderWay } from './work-under-way.ts'

const of = (accountId: string, tokenId: string | null = null) => ({ accountId, tokenId })
const options = { signal: new AbortController().signal }

describe('work under way', () => {
  it('ends once, with the reason, and only that of its account', () => {
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    underWay.note(of('ada'), ({ code }) => ended.push(`a ${code}`))
    underWay.note(of('ada'), ({ code }) => ended.push(`b ${code}`))
    underWay.note(of('bob'), () => ended.push('bob'))
    underWay.endOfAccount('ada', accountDisabled())
    underWay.endOfAccount('ada', accountDisabled())
    underWay.endOfAccount('nobody', accountDisabled())
    assert.equal(ended.length, 2)
    assert.deepEqual(underWay.accounts(), ['bob'])
  })

  it('is forgotten when it is done, and does not take newer work with it', () => {
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    const first = underWay.note(of('ada'), () => ended.push('first'))
    underWay.endOfAccount('ada', accountDisabled())
    const second = underWay.note(of('ada'), () => ended.push('second'))
    first[Symbol.dispose]()
    assert.deepEqual(underWay.accounts(), ['ada'])
    underWay.endOfAccount('ada', accountDisabled())
    assert.deepEqual(ended, ['first', 'second'])
    second[Symbol.dispose]()
    assert.deepEqual(underWay.accounts(), [])
  })

  it('may unregister while it is being ended', () => {
    const underWay = new WorkUnderWay()
    let ends = 0
    const work = underWay.note(of('ada'), () => {
      ends++
      work[Symbol.dispose]()
    })
    underWay.note(of('ada'), () => ends++)
    underWay.endOfAccount('ada', accountDisabled())
    assert.equal(ends, 2)
  })

  it('of disabled or deleted accounts ends, of others continues', async () => {
    const clock = createTestClock()
    const store = createMemoryStore({ clock, limits: { maxPending: 10 } })
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    const [ada, bob] = [
      await createAccount({ ...store, clock }, { name: 'Ada', role: 'member' }, options),
      await createAccount({ ...store, clock }, { name: 'Bob', role: 'member' }, options),
    ]
    for (const id of [ada.id, bob.id, 'gone']) underWay.note(of(id), () => ended.push(id))
    await endWorkOfDisabled({ ...store, underWay }, options)
    assert.deepEqual(ended, ['gone'])
    await store.accounts.change(ada.id, { disabledAt: clock.now(), by: null }, options)
    await endWorkOfDisabled({ ...store, underWay }, options)
    assert.deepEqual(ended, ['gone', ada.id])
    assert.deepEqual(underWay.accounts(), [bob.id])
  })
  it('of revoked tokens ends, of other tokens of the account and without a token continues', async () => {
    const clock = createTestClock()
    const store = createMemoryStore({ clock, limits: { maxPending: 10 } })
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    const { id: ada } = await createAccount({ ...store, clock }, { name: 'Ada', role: 'member' }, options)
    const make = async () => {
      const made = await createAccessToken({ ...store, clock }, { accountId: ada, name: 'x', scopes: ['text'], expiresAt: null }, options)
      return made.token.id
    }
    const [leaked, kept] = [await make(), await make()]
    for (const id of [leaked, leaked, kept, null]) underWay.note(of(ada, id), ({ code }) => ended.push(`${id} ${code}`))
    await endWorkOfRevoked({ ...store, underWay }, options)
    assert.deepEqual(ended, [])
    await store.tokens.revoke({ id: leaked, accountId: ada }, clock.now(), options)
    await endWorkOfRevoked({ ...store, underWay }, options)
    assert.deepEqual(ended, [`${leaked} token_revoked`, `${leaked} token_revoked`])
    assert.deepEqual([underWay.tokens(), underWay.accounts()], [[kept], [ada]])
  })

  it('of a revoked token ends also when it was forgotten before anybody looked', async () => {
    const clock = createTestClock()
    const store = createMemoryStore({ clock, limits: { maxPending: 10 } })
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    const { id: ada } = await createAccount({ ...store, clock }, { name: 'Ada', role: 'member' }, options)
    const make = async () => {
      const requested = { accountId: ada, name: 'x', scopes: ['text'], expiresAt: null } as const
      const made = await createAccessToken({ ...store, clock, mostTokens: 1 }, requested, options)
      await clock.advance(1)
      return made.token.id
    }
    const leaked = await make()
    underWay.note(of(ada, leaked), ({ code }) => ended.push(code))
    await store.tokens.revoke({ id: leaked, accountId: ada }, clock.now(), options)
    await store.tokens.revoke({ id: await make(), accountId: ada }, clock.now(), options)
    await make()
    await endWorkOfRevoked({ ...store, underWay }, options)
    assert.deepEqual(ended, ['token_revoked'])
  })
})
