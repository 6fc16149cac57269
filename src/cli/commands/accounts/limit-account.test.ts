import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommandLine as run } from '../../../../test/support/run-command-line.ts'

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
  test(`${words} limit changes what is given and shows all`, async () => {
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

  test(`${words} limit refuses every wrong number at once, before it opens anything`, async () => {
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

test('what an account may hold and how it weighs is set too, and of a token it cannot be', async () => {
  const { done } = await run(['account', 'limit', 'a1', '--weight', '5', '--open-streams', '0', '--stored-bytes', '1,000,000'])
  assert.deepEqual(done, ['changed a1 {"limits":{"weight":5,"openStreams":0,"storedBytes":1000000}}', 'closed'])
  const { code, err } = await run(['token', 'limit', 't1', '--weight', '5'])
  assert.equal(code, 2)
  assert.match(err, /--weight/)
})
