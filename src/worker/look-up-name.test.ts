import assert from 'node:assert/strict'
import { lookup as lookUpHere } from 'node:dns/promises'
import { test } from 'node:test'
import { nameAnswer, startNameServer } from '../../test/support/network/name-server.ts'
import { lookUpName } from './look-up-name.ts'

function ask(servers: readonly string[], signal = new AbortController().signal) {
  return new Promise<unknown>((resolve) => {
    lookUpName({ signal, servers })('receiver.example', { all: true }, (error, found) => resolve(error === null ? found : error.code))
  })
}

test('a name resolves to its addresses, IPv4 first, or to none', async () => {
  const six = [0x26, 6, 0x47, 0, ...Array.from({ length: 11 }, () => 0), 1]
  using both = await startNameServer((question, isFour) => nameAnswer(question, isFour ? [192, 0, 2, 7] : six))
  assert.deepEqual(await ask(both.servers), [
    { address: '192.0.2.7', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
  using one = await startNameServer((question, isFour) => nameAnswer(question, isFour ? [192, 0, 2, 7] : null))
  assert.deepEqual(await ask(one.servers), [{ address: '192.0.2.7', family: 4 }])
  using none = await startNameServer((question) => nameAnswer(question, null))
  assert.equal(await ask(none.servers), 'ENOTFOUND')
})

test('a silent name server delays no other lookup and no caller who cancels', async () => {
  using silent = await startNameServer(() => null)
  const leaving = new AbortController()
  let answered = 0
  const waiting = Array.from({ length: 8 }, () => ask(silent.servers, leaving.signal).finally(() => answered++))
  await lookUpHere('localhost')
  assert.equal(answered, 0)
  leaving.abort()
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['ENOTFOUND']))
})
