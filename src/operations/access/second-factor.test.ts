import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { shownCode } from '../../../test/support/sign-in/shown-code.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import {
  base32,
  beginSecondFactor,
  confirmSecondFactor,
  findSecondFactor,
  findStep,
  listSecondFactors,
  oneTimeCode,
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
  it('takes effect after its first code, and only with the last secret', async () => {
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

  it('that is set up twice at once is set up once, and that secret counts', async () => {
    const deps = open()
    const begun = await Promise.allSettled([1, 2].map(() => beginSecondFactor(deps, 'a', options)))
    const secrets = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.equal(secrets.length, 1)
    const code = shownCode(secrets[0] ?? '', deps.clock.now())
    assert.notEqual(await confirmSecondFactor(deps, { accountId: 'a', code }, options), null)
  })

  it('accepts no time step twice, nor an earlier one, even concurrently', async () => {
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

  it('that is only begun is not there to be removed', async () => {
    const deps = open()
    const begun = await beginSecondFactor(deps, 'a', options)
    assert.equal(await removeSecondFactor(deps, 'a', options), false)
    assert.notEqual(await confirmSecondFactor(deps, { accountId: 'a', code: shownCode(begun, deps.clock.now()) }, options), null)
  })

  it('can be removed once', async () => {
    const { use, recovery, documents } = await openConfirmed()
    assert.deepEqual(
      [await removeSecondFactor({ documents }, 'a', options), await removeSecondFactor({ documents }, 'a', options)],
      [true, false],
    )
    assert.equal(await use(recovery[0] ?? ''), null)
  })

  it('rejects texts that are not codes', async () => {
    const { use } = await openConfirmed()
    for (const code of ['', ' ', '-', '000000', '\u0000', '🐯', 'x'.repeat(100)]) assert.equal(await use(code), null)
  })
})

const secret = Buffer.from('12345678901234567890')

describe('one-time codes', () => {
  // RFC 6238, appendix B, SHA-1: seconds since 1970 and the code of eight digits.
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const)
    it(`are those of the standard after ${seconds} seconds`, () => {
      assert.equal(oneTimeCode(secret, Math.floor(seconds / 30), 8), code)
      assert.equal(oneTimeCode(secret, Math.floor(seconds / 30)), code.slice(2))
    })

  it('fit a step before and after, and no further', () => {
    const now = 1111111109_000
    const step = Math.floor(now / 30_000)
    const found = [-2, -1, 0, 1, 2].map((offset) => findStep(secret, oneTimeCode(secret, step + offset), now))
    assert.deepEqual(found, [null, step - 1, step, step + 1, null])
    for (const code of ['', '1', '0000000', 'abcdef', '٠١٢٣٤٥']) assert.equal(findStep(secret, code, now), null)
    assert.equal(findStep(secret, oneTimeCode(secret, 0), 0), 0)
  })
})

describe('base32', () => {
  // RFC 4648, section 10.
  for (const [text, encoded] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const)
    it(`of "${text}" is "${encoded}"`, () => assert.equal(base32(Buffer.from(text)), encoded))
})
