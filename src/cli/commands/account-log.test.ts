import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCommandLine as run } from '../../../test/support/run-command-line.ts'

describe('account log', () => {
  test('shows the state of the log and changes nothing', async () => {
    const { code, out, done } = await run(['account', 'log', 'a1'])
    assert.equal(code, 0)
    assert.equal(out, '"First" is logged since 1970-01-01T00:00:00Z; bodies are kept for 1d. Kept now: 2 bodies, 2 kB.\n')
    assert.deepEqual(done, ['closed'])
  })

  test('switches on for a day by default, and off', async () => {
    assert.deepEqual((await run(['account', 'log', 'a1', '--on'])).done, ['log on a1 {"keepMs":86400000,"forMs":null}', 'closed'])
    const longer = await run(['account', 'log', 'a1', '--on', '--keep', '48h', '--for', '7d'])
    assert.deepEqual(longer.done, ['log on a1 {"keepMs":172800000,"forMs":604800000}', 'closed'])
    assert.deepEqual((await run(['account', 'log', 'a1', '--off'])).done, ['log off a1', 'closed'])
  })

  test('asks before it deletes', async () => {
    const refused = await run(['account', 'log', 'a1', '--delete'])
    assert.equal(refused.code, 2)
    assert.match(refused.err, /This deletes 2 logged bodies of the account "First"\. Add --yes/)
    assert.deepEqual(refused.done, ['closed'])
    assert.deepEqual((await run(['account', 'log', 'a1', '--off', '--delete', '--yes'])).done, ['log off a1', 'log deleted a1', 'closed'])
  })

  test('shows the stored bodies of a request without terminal control sequences', async () => {
    const { out } = await run(['account', 'log', 'a1', '--show', 'known'])
    assert.match(out, /^request, 1970-01-01T[^\n]+:\n\{"a":"\\u001b"\}\n\nanswer, 1970-01-01T[^\n]+:\ncannot be read: its key is missing/)
    const { code, err } = await run(['account', 'log', 'a1', '--show', 'unknown'])
    assert.equal(code, 2)
    assert.match(err, /nothing is logged for "unknown"/)
  })

  for (const [flags, fault] of [
    [['--keep', '3h'], /--keep: belongs to --on/],
    [['--on', '--off'], /--off: contradicts --on/],
    [['--on', '--keep', 'long'], /--keep: expected a duration/],
    [['--on', '--for', '0'], /--for: expected a duration/],
  ] as const)
    test(`refuses ${flags.join(' ')} before it opens anything`, async () => {
      const { code, err, done } = await run(['account', 'log', 'a1', ...flags])
      assert.equal(code, 2)
      assert.match(err, fault)
      assert.deepEqual(done, [])
    })
})

test('log-key make prints where the key is and advises to store a copy elsewhere', async () => {
  const { out } = await run(['log-key', 'make'])
  assert.match(out, /^Added the key k1 to \/data\/request-log\.keys\.\nKeep a copy apart from the backups/)
})
