import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { account, runCommandLine as run } from '../../../test/support/run-command-line.ts'
import { noLimits } from '../../core/limits/use-limits.ts'

const tokenLimits = {
  requests_per_minute: null,
  tokens_per_minute: null,
  images_per_minute: null,
  concurrent_requests: null,
  tokens_per_day: null,
  images_per_day: null,
  money_per_day: null,
  tokens_per_month: null,
  images_per_month: null,
  money_per_month: null,
}

const accountLimits = { ...tokenLimits, weight: null, pending_requests: null, open_streams: null, stored_bytes: null }

for (const [words, id, none, verb, wrapped] of [
  ['account', 'a1', accountLimits, 'changed', (limits: object) => ({ limits })],
  ['token', 't1', tokenLimits, 'limited', (limits: object) => limits],
] as const) {
  test(`${words} limit changes the given limits and shows all`, async () => {
    const flags = ['--requests-per-minute', '60', '--images-per-day', 'none', '--money-per-month', '2.50', '--concurrent-requests', '4']
    const { code, out, done } = await run([words, 'limit', id, ...flags, '--json'])
    assert.equal(code, 0)
    const changed = { requestsPerMinute: 60, concurrentRequests: 4, imagesPerDay: null, moneyPerMonth: 2_500_000 }
    assert.deepEqual(done, [`${verb} ${id} ${JSON.stringify(wrapped(changed))}`, 'closed'])
    assert.deepEqual(JSON.parse(out), { ...none, requests_per_minute: 60, concurrent_requests: 4, money_per_month: 2.5 })
  })

  test(`${words} limit without flags only shows`, async () => {
    const { out, done } = await run([words, 'limit', id])
    assert.equal(
      out,
      `${Object.keys(none)
        .map((name) => `${name.replaceAll('_', '-')}: none\n`)
        .join('')}`,
    )
    assert.deepEqual(done, ['closed'])
  })

  test(`${words} limit rejects all invalid numbers at once, before it opens the store`, async () => {
    const { code, err, done } = await run([
      words,
      'limit',
      id,
      '--requests-per-minute',
      '0',
      '--tokens-per-day',
      'many',
      '--money-per-day',
      '-1',
    ])
    assert.equal(code, 2)
    assert.match(err, /^--requests-per-minute: expected a whole number from 1 to [\d,]+, or none; got "0"\.$/m)
    assert.match(err, /^--tokens-per-day: expected a whole number from 0 to [\d,]+, or none; got "many"\.$/m)
    assert.match(err, /^--money-per-day: expected an amount from 0 to [\d,]+ with at most six decimals, or none; got "-1"\.$/m)
    assert.deepEqual(done, [])
  })

  test(`${words} limit names the list when there is no such ${words}`, async () => {
    const { code, err } = await run([words, 'limit', 'nobody'])
    assert.equal(code, 2)
    assert.match(err, new RegExp(`nobody: there is no ${words} with this id; see sepia ${words} list`))
  })
}

test('storage limits and the weight can be set for an account but not for a token', async () => {
  const { done } = await run(['account', 'limit', 'a1', '--weight', '5', '--open-streams', '0', '--stored-bytes', '1,000,000'])
  assert.deepEqual(done, ['changed a1 {"limits":{"weight":5,"openStreams":0,"storedBytes":1000000}}', 'closed'])
  const { code, err } = await run(['token', 'limit', 't1', '--weight', '5'])
  assert.equal(code, 2)
  assert.match(err, /--weight/)
})

test('account link prints a link for that account', async () => {
  const { code, out } = await run(['account', 'link', 'a1', '--json'])
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(out), { link: 'http://127.0.0.1:8080/console/join#code-of-a1' })
})

test('account link names the list when there is no such account', async () => {
  const { code, err } = await run(['account', 'link', 'nobody'])
  assert.notEqual(code, 0)
  assert.match(err, /nobody: there is no account with this id; see sepia account list/)
})

test('account delete deletes only when the name is typed, or given', async () => {
  assert.deepEqual((await run(['account', 'delete', 'a1'], { answer: 'First' })).done, ['deleted a1', 'closed'])
  assert.deepEqual((await run(['account', 'delete', 'a1', '--confirm', 'First'])).done, ['deleted a1', 'closed'])
  const wrong = await run(['account', 'delete', 'a1'], { answer: 'yes' })
  assert.deepEqual([wrong.code, wrong.done], [2, ['closed']])
  const unattended = await run(['account', 'delete', 'a1'])
  assert.deepEqual([unattended.code, unattended.done], [2, ['closed']])
  assert.match(unattended.err, /--confirm: .*usage of the account "First" will be deleted for good\. Add --confirm with its name\./)
})

const words = ['account', 'second-factor', 'reset']

describe('account second-factor reset', () => {
  it('removes it and names the account', async () => {
    const { code, out, done } = await run([...words, 'a1'], { accounts: [{ ...account, email: 'ada@example.org' }] })
    assert.equal(code, 0)
    assert.equal(out, 'Removed the second factor of "First".\n')
    assert.deepEqual(done, ['second factor of a1', 'closed'])
  })

  it('reports that there is none', async () => {
    const { code, err } = await run([...words, 'a1'])
    assert.equal(code, 2)
    assert.equal(err, 'a1: this account has no second factor.\n')
  })

  it('names an account that is not there', async () => {
    assert.match((await run([...words, 'nobody'])).err, /there is no account with this id/)
  })
})

const disabledAt = Date.UTC(2026, 10, 21, 12)

describe('account list', () => {
  it('shows each account in a line, with when it was disabled', async () => {
    const accounts = [account, { ...account, id: 'a2', name: 'Ada', email: 'ada@example.org', role: 'member', disabledAt } as const]
    const { code, out, done } = await run(['account', 'list'], { accounts })
    assert.equal(code, 0)
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
      [
        ['ID', 'NAME', 'E-MAIL', 'ROLE', 'CREATED', 'STATE'],
        ['a1', 'First', 'owner', '1970-01-01T00:00:00Z', 'enabled'],
        ['a2', 'Ada', 'ada@example.org', 'member', '1970-01-01T00:00:00Z', 'disabled 2026-11-21T12:00:00Z'],
      ],
    )
    assert.deepEqual(done, ['closed'])
  })

  it('prints every field as JSON, with null for missing values', async () => {
    const limits = { ...noLimits, requestsPerMinute: 5, imagesPerDay: 0, tokensPerMonth: 9, moneyPerDay: 2_500_000 }
    const { out } = await run(['account', 'list', '--json'], { accounts: [{ ...account, limits }] })
    assert.deepEqual(JSON.parse(out), {
      accounts: [
        {
          id: 'a1',
          name: 'First',
          email: null,
          role: 'owner',
          created_at: '1970-01-01T00:00:00Z',
          disabled_at: null,
          requests_per_minute: 5,
          tokens_per_minute: null,
          images_per_minute: null,
          concurrent_requests: null,
          tokens_per_day: null,
          images_per_day: 0,
          money_per_day: 2.5,
          tokens_per_month: 9,
          images_per_month: null,
          money_per_month: null,
          weight: null,
          pending_requests: null,
          open_streams: null,
          stored_bytes: null,
        },
      ],
    })
  })

  it('explains how the first account is created if there is none', async () => {
    assert.match((await run(['account', 'list'], { accounts: [] })).out, /no accounts; the first start creates one/)
  })
})

describe('account create', () => {
  it('creates a member by default and explains how to get a token', async () => {
    const { out, done } = await run(['account', 'create', '--name', 'ci'])
    assert.deepEqual(done, ['account {"name":"ci","role":"member"}', 'closed'])
    assert.match(out, /^Created the account a1\.\nIts first token: sepia token create --account a1 --name first$/m)
    assert.deepEqual(JSON.parse((await run(['account', 'create', '--name', 'ci', '--role', 'owner', '--json'])).out), {
      id: 'a1',
      name: 'ci',
      role: 'owner',
    })
  })

  for (const role of ['admin', '', 'Owner', 'member '])
    it(`refuses the role ${JSON.stringify(role)} before it opens anything`, async () => {
      const { code, err, done } = await run(['account', 'create', '--name', 'ci', `--role=${role}`])
      assert.equal(code, 2)
      assert.equal(err, `--role: expected member or owner, got ${JSON.stringify(role)}.\n`)
      assert.deepEqual(done, [])
    })

  it('accepts a name that looks like a flag only after an equals sign', async () => {
    assert.deepEqual((await run(['account', 'create', '--name=--json'])).done[0], 'account {"name":"--json","role":"member"}')
  })
})

describe('account disable and enable', () => {
  it('refuses to disable an account if it cannot ask for confirmation', async () => {
    const { code, err, done } = await run(['account', 'disable', 'a1'])
    assert.equal(code, 2)
    assert.match(err, /^--yes: Every token and session of the account "First" will be refused\. Add --yes/)
    assert.deepEqual(done, ['closed'])
  })

  for (const answer of ['y', 'Y', 'yes', ' YES '])
    it(`treats ${JSON.stringify(answer)} as yes`, async () => {
      assert.deepEqual((await run(['account', 'disable', 'a1'], { answer })).done, ['changed a1 {"disabled":true}', 'closed'])
    })

  for (const answer of ['', 'n', 'no', 'yess', 'ja', 'y n'])
    it(`treats ${JSON.stringify(answer)} as no`, async () => {
      const { code, err, done } = await run(['account', 'disable', 'a1'], { answer })
      assert.equal(code, 2)
      assert.match(err, /nothing was changed/)
      assert.deepEqual(done, ['closed'])
    })

  it('enables an account without asking and closes the store', async () => {
    const { out, questions, done } = await run(['account', 'enable', 'a1'])
    assert.equal(out, 'Enabled "First".\n')
    assert.deepEqual(questions, [])
    assert.deepEqual(done, ['changed a1 {"disabled":false}', 'closed'])
  })

  for (const verb of ['disable', 'enable', 'limit', 'link'])
    it(`${verb} reports an unknown account, changes nothing and closes the store`, async () => {
      const { code, err, done } = await run(['account', verb, 'nobody', ...(verb === 'disable' ? ['--yes'] : [])])
      assert.equal(code, 2)
      assert.equal(err, 'nobody: there is no account with this id; see sepia account list.\n')
      assert.deepEqual(done, ['closed'])
    })

  for (const argv of [
    ['account', 'disable', 'a1', '--yes'],
    ['account', 'enable', 'a1'],
    ['account', 'link', 'a1'],
  ])
    it(`a name with a line break forges no line of sepia ${argv.join(' ')}`, async () => {
      const honest = await run(argv, { accountName: 'Mallory' })
      const forged = await run(argv, { accountName: 'Mallory".\nMade "Eve' })
      assert.equal(forged.code, 0)
      assert.equal(forged.out.split('\n').length, honest.out.split('\n').length)
    })
})
