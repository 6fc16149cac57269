import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommandLine as run } from '../../../test/support/run-command-line.ts'

test('account limit changes what is given and shows all', async () => {
  const { code, out, done } = await run(['account', 'limit', 'a1', '--requests-per-minute', '60', '--images-per-day', 'none', '--json'])
  assert.equal(code, 0)
  assert.deepEqual(done, ['changed a1 {"limits":{"requestsPerMinute":60,"imagesPerDay":null}}', 'closed'])
  assert.deepEqual(JSON.parse(out), {
    requests_per_minute: 60,
    tokens_per_day: null,
    images_per_day: null,
    tokens_per_month: null,
    images_per_month: null,
  })
})

test('account limit without flags only shows', async () => {
  const { out, done } = await run(['account', 'limit', 'a1'])
  assert.equal(
    out,
    'requests-per-minute: none\ntokens-per-day: none\nimages-per-day: none\ntokens-per-month: none\nimages-per-month: none\n',
  )
  assert.deepEqual(done, ['closed'])
})

test('account limit refuses every wrong number at once, before it opens anything', async () => {
  const { code, err, done } = await run(['account', 'limit', 'a1', '--requests-per-minute', '0', '--tokens-per-day', 'many'])
  assert.equal(code, 2)
  assert.match(err, /^--requests-per-minute: expected a whole number from 1 to \d+, or none; got "0"\.$/m)
  assert.match(err, /^--tokens-per-day: expected a whole number from 0 to \d+, or none; got "many"\.$/m)
  assert.deepEqual(done, [])
})

test('account limit names the list when there is no such account', async () => {
  const { code, err } = await run(['account', 'limit', 'nobody'])
  assert.equal(code, 2)
  assert.match(err, /nobody: there is no account with this id; see sepia account list/)
})
