import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { shownCode } from '../../../test/support/sign-in/shown-code.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  findSecondFactor,
  listSecondFactors,
  removeSecondFactor,
  renewRecoveryCodes,
  useSecondFactor,
} from './second-factor.ts'

const options = { signal: new AbortController().signal }

function open() {
  const clock = createTestClock()
  return { clock, documents: createMemoryStore({ clock, limits: { maxPending: 1 } }).documents }
}

async function openConfirmed() {
  const deps = open()
  const secret = await beginSecondFactor(deps, 'a', options)
  const recovery = await confirmSecondFactor(deps, { accountId: 'a', code: shownCode(secret, deps.clock.now()) }, options)
  assert.ok(recovery !== null)
  const use = (code: string, accountId = 'a') => useSecondFactor(deps, { accountId, code }, options)
  return { ...deps, secret, recovery, use, code: () => shownCode(secret, deps.clock.now()) }
}

describe('a second factor', () => {
  it('counts once a code of it was given, and of the last secret alone', async () => {
    const deps = open()
    const first = await beginSecondFactor(deps, 'a', options)
    const second = await beginSecondFactor(deps, 'a', options)
    const confirm = (secret: string) => confirmSecondFactor(deps, { accountId: 'a', code: shownCode(secret, deps.clock.now()) }, options)
    assert.equal(await confirm(first), null)
    assert.equal(await findSecondFactor(deps, 'a', options), null)
    assert.equal(await useSecondFactor(deps, { accountId: 'a', code: shownCode(second, deps.clock.now()) }, options), null)
    assert.equal((await confirm(second))?.length, 10)
    assert.equal((await findSecondFactor(deps, 'a', options))?.recoveryLeft, 10)
    assert.deepEqual(await listSecondFactors(deps, options), ['a'])
    await assert.rejects(beginSecondFactor(deps, 'a', options), /remove it before/)
    assert.equal(await confirm(second), null)
  })

  it('that is begun twice at once is begun once, and its secret counts', async () => {
    const deps = open()
    const begun = await Promise.allSettled([1, 2].map(() => beginSecondFactor(deps, 'a', options)))
    const secrets = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.equal(secrets.length, 1)
    const code = shownCode(secrets[0] ?? '', deps.clock.now())
    assert.notEqual(await confirmSecondFactor(deps, { accountId: 'a', code }, options), null)
  })

  it('takes no step twice, nor one before it, not even at the same time', async () => {
    const { clock, use, code } = await openConfirmed()
    assert.equal(await use(code()), null)
    await clock.advance(60_000)
    const earlier = code()
    await clock.advance(30_000)
    const taken = await Promise.all([1, 2, 3, 4].map(() => use(code())))
    assert.deepEqual(
      taken.filter((by) => by !== null),
      ['code'],
    )
    assert.equal(await use(earlier), null)
    await clock.advance(30_000)
    assert.equal(await use(`${code().slice(0, 3)} ${code().slice(3)}`), 'code')
  })

  it('takes each recovery code once, however it is written, and none of another account', async () => {
    const { use, recovery, documents } = await openConfirmed()
    const [first = '', second = ''] = recovery
    assert.equal(new Set(recovery).size, 10)
    assert.match(first, /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    assert.equal(await use(first, 'b'), null)
    const taken = await Promise.all([1, 2, 3].map(() => use(first)))
    assert.deepEqual(
      taken.filter((by) => by !== null),
      ['recovery'],
    )
    assert.equal(await use(` ${second.toUpperCase().replaceAll('-', ' ')} `), 'recovery')
    assert.equal((await findSecondFactor({ documents }, 'a', options))?.recoveryLeft, 8)
    const stored = JSON.stringify(await documents.get({ kind: 'second-factor', id: 'a', accountId: 'a' }, options))
    assert.ok(recovery.every((code) => !stored.includes(code.replaceAll('-', ''))))
  })

  it('gets new recovery codes, which end the old ones', async () => {
    const { use, recovery, documents, clock } = await openConfirmed()
    const renewed = await renewRecoveryCodes({ documents, clock }, 'a', options)
    assert.equal(await use(recovery[0] ?? ''), null)
    assert.equal(await use(renewed[0] ?? ''), 'recovery')
    await assert.rejects(renewRecoveryCodes({ documents, clock }, 'b', options), /no second factor/)
  })

  it('is gone when it is removed, once', async () => {
    const { use, recovery, documents } = await openConfirmed()
    assert.deepEqual(
      [await removeSecondFactor({ documents }, 'a', options), await removeSecondFactor({ documents }, 'a', options)],
      [true, false],
    )
    assert.equal(await use(recovery[0] ?? ''), null)
  })

  it('takes nothing that is no code', async () => {
    const { use } = await openConfirmed()
    for (const code of ['', ' ', '-', '000000', '\u0000', '🐯', 'x'.repeat(100)]) assert.equal(await use(code), null)
  })
})
