import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { account, runCommandLine as run, tokenOf } from '../../../test/support/run-command-line.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const other = { ...account, id: 'a2', name: 'Ada' }
const mine = tokenOf({ name: 'mine', scopes: ['read'] })

const tokens = [
  mine,
  { ...tokenOf({ name: 'ends', scopes: ['text', 'image'] }), id: 't2', expiresAt: noon },
  { ...tokenOf({ name: 'gone', scopes: ['read'] }), id: 't3', accountId: 'a2', revokedAt: noon, expiresAt: noon + 1, lastUsedAt: 1000 },
]

describe('token list', () => {
  it('lists the tokens of every account with their scopes and states', async () => {
    const { code, out } = await run(['token', 'list'], { accounts: [account, other], tokens })
    assert.equal(code, 0)
    const lines = out.trimEnd().split('\n')
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(/ {2,}/)),
      [
        ['t1', 'mine', '…abcd', 'read', '1970-01-01T00:00:00Z', 'never', 'valid'],
        ['t2', 'ends', '…abcd', 'text,image', '1970-01-01T00:00:00Z', 'never', 'valid until 2026-11-21T12:00:00Z'],
        ['t3', 'gone', '…abcd', 'read', '1970-01-01T00:00:00Z', '1970-01-01T00:00:01Z', 'revoked 2026-11-21T12:00:00Z'],
      ],
    )
  })

  it('lists the tokens of one account', async () => {
    const { out } = await run(['token', 'list', '--account', 'a2', '--json'], { accounts: [account, other], tokens })
    const { tokens: listed }: { tokens: readonly { id: string; account: string; revoked_at: string | null }[] } = JSON.parse(out)
    assert.deepEqual(
      listed.map(({ id, account: owner, revoked_at }) => [id, owner, revoked_at]),
      [['t3', 'a2', '2026-11-21T12:00:00Z']],
    )
  })

  it('never prints the text of a token', async () => {
    for (const format of [[], ['--json']]) assert.doesNotMatch((await run(['token', 'list', ...format], { tokens })).out, /f00|hash/)
  })

  it('reports that there are none', async () => {
    assert.equal((await run(['token', 'list'], { tokens: [] })).out, 'There are no tokens.\n')
  })
})

describe('token create', () => {
  const wanted = (done: readonly string[]): { scopes: readonly string[]; lifetimeMs: number | null } =>
    JSON.parse((done[0] ?? '').replace('token ', ''))

  it('has all scopes and no expiry by default', async () => {
    const { scopes, lifetimeMs } = wanted((await run(['token', 'create', '--name', 'x'])).done)
    assert.deepEqual(scopes, ['text', 'image', 'read'])
    assert.equal(lifetimeMs, null)
  })

  for (const [text, scopes] of [
    ['read', ['read']],
    ['image,text', ['text', 'image']],
    [' read , text ', ['text', 'read']],
    ['text,text', ['text']],
  ] as const)
    it(`reads the scopes ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(wanted((await run(['token', 'create', '--name', 'x', '--scopes', text])).done).scopes, scopes)
    })

  for (const scopes of ['', 'Text', 'text,', 'text image', 'read,write', '__proto__'])
    it(`creates no token with the scopes ${JSON.stringify(scopes)}`, async () => {
      const { code, err, done } = await run(['token', 'create', '--name', 'x', `--scopes=${scopes}`])
      assert.equal(code, 2)
      assert.match(err, /^--scopes: there is no scope .*choose from text, image, read\.$/m)
      assert.deepEqual(done, [])
    })

  for (const [text, ms] of [
    ['90s', 90_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ] as const)
    it(`accepts the lifetime ${text}`, async () => {
      assert.equal(wanted((await run(['token', 'create', '--name', 'x', '--expires', text])).done).lifetimeMs, ms)
    })

  for (const text of ['0', '0d', '-1d', '', '1', '1y', 'Infinity', '1e99d', '30 d 2'])
    it(`rejects the lifetime ${JSON.stringify(text)}`, async () => {
      const { code, err, done } = await run(['token', 'create', '--name', 'x', `--expires=${text}`])
      assert.equal(code, 2)
      assert.equal(err, `--expires: expected a duration such as 12h or 30d, got ${JSON.stringify(text)}.\n`)
      assert.deepEqual(done, [])
    })

  it('warns on a terminal that it is shown only once; standard output contains only the token', async () => {
    const person = await run(['token', 'create', '--name', 'x'], { interactive: true })
    assert.match(person.err, /Copy this token now/)
    assert.equal(person.out, 'sepia_secret\n')
    assert.equal((await run(['token', 'create', '--name', 'x'])).err, '')
  })
})

it('creating a token or an account creates a database, with a note, only in a data folder that was named', async () => {
  for (const argv of [
    ['token', 'create', '--name', 'x'],
    ['account', 'create', '--name', 'x'],
  ]) {
    assert.match((await run(argv, { newDatabase: '/srv/data' })).err, /no new database for it/)
    const { code, err } = await run([...argv, '--data', '/srv/data'], { newDatabase: '/srv/data' })
    assert.deepEqual([code, err], [0, 'There was no database in /srv/data; this is a new one that no running service uses.\n'])
  }
})

describe('token revoke', () => {
  it('finds the token of any account', async () => {
    const { out, done } = await run(['token', 'revoke', 't3', '--yes'], { accounts: [account, other], tokens })
    assert.equal(out, 'Revoked "gone".\n')
    assert.deepEqual(done, ['revoked t3', 'closed'])
  })

  it('names a token that is not there', async () => {
    const { code, err, done } = await run(['token', 'revoke', 'mine', '--yes'])
    assert.equal(code, 2)
    assert.equal(err, 'mine: there is no token with this id; see sepia token list.\n')
    assert.deepEqual(done, ['closed'])
  })

  it('a name with a line break forges no line', async () => {
    const { out } = await run(['token', 'revoke', 't1'], { tokens: [{ ...mine, name: 'x".\nRevoked "y' }] })
    assert.equal(out.trimEnd().split('\n').length, 1)
  })
})
