import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { UsageError } from '../../cli/failures.ts'
import { explainTakenPort, nodeAddress, nodePort, readDatabaseUrl, readSecretFile, refuseUnreachable } from './node-address.ts'

test('a port already in use is reported with its setting', async () => {
  await using first = createServer().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const bound = first.address()
  assert.ok(typeof bound === 'object' && bound !== null)
  const [failure] = await once(createServer().listen(bound.port, '127.0.0.1'), 'error')
  assert.match(
    String(explainTakenPort(failure, `http://10.0.0.5:${bound.port}`)),
    new RegExp(`Port ${bound.port} is in use; .* in --node-url\\.`),
  )
  assert.equal(explainTakenPort(failure, null), failure)
  const other = new Error('closed')
  assert.equal(explainTakenPort(other, 'http://10.0.0.5:1'), other)
})

test('a file with no address, or several, is reported by name without its contents', async () => {
  await using folder = await createTemporaryFolder()
  const urlFile = join(folder.path, 'address')
  for (const [held, message] of [
    ['mysql://u:hunter2@a/x', /: expected an address that starts with postgres:/],
    ['postgres://u:hunt#er2@a/x', /: expected an address/],
    ['postgres://u:hunter2@a:1,b:2/x', /: names several servers/],
  ] as const) {
    await writeFile(urlFile, `${held}\n`)
    await assert.rejects(readDatabaseUrl({ url: null, urlFile }), (error) => {
      assert.ok(error instanceof UsageError)
      const [fault] = error.faults
      assert.ok(fault?.where === 'database-url-file' && fault.message.startsWith(urlFile))
      assert.match(fault.message, message)
      assert.doesNotMatch(fault.message, /hunt/)
      return true
    })
  }
  await writeFile(urlFile, 'postgres://u:hunter2@a/x\n')
  assert.equal(await readDatabaseUrl({ url: null, urlFile }), 'postgres://u:hunter2@a/x')
})

test('other nodes get the configured address, or the one that this node listens on', () => {
  const listen = { host: '10.0.0.5', port: 7000, secure: false }
  assert.equal(nodeAddress('https://node.example:9', listen), 'https://node.example:9')
  assert.equal(nodeAddress(null, listen), 'http://10.0.0.5:7000')
  assert.equal(nodeAddress(null, { ...listen, secure: true }), 'https://10.0.0.5:7000')
  assert.equal(nodeAddress(null, { ...listen, host: 'fd00::5' }), 'http://[fd00::5]:7000')
  for (const host of ['0.0.0.0', '::']) assert.match(nodeAddress(null, { ...listen, host }), /^http:\/\/(?!0\.0\.0\.0)[\d.]+:7000$/)
})

test('the port for other nodes is the one of the configured address', () => {
  for (const [url, port] of [
    [null, 0],
    ['http://a:9', 9],
    ['http://a', 80],
    ['https://a', 443],
  ] as const)
    assert.equal(nodePort(url), port)
})

test('a loopback address is rejected as soon as another machine has a node', () => {
  const self = { id: 'a', host: 'one' }
  const node = (id: string, host: string) => ({ id, host }) as Parameters<typeof refuseUnreachable>[2][number]
  const [alone, beside, elsewhere] = [[node('a', 'one')], [node('a', 'one'), node('b', 'one')], [node('b', 'two')]]
  for (const url of ['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9']) {
    for (const nodes of [alone, beside]) refuseUnreachable(url, self, nodes)
    assert.throws(() => refuseUnreachable(url, self, elsewhere), /such as two, cannot reach this one at .*; set --node-url/)
  }
  refuseUnreachable('http://10.0.0.5:9', self, elsewhere)
})

test('a secret that is missing or too short is reported with its file, without the secret', async () => {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, 'secret')
  const rule = { where: 'cluster-secret-file', least: 16 }
  const faultsOf = (pattern: RegExp) => (error: unknown) => {
    assert.ok(error instanceof UsageError)
    const [fault] = error.faults
    assert.equal(fault?.where, 'cluster-secret-file')
    assert.match(fault.message, pattern)
    assert.doesNotMatch(fault.message, /hunter2/)
    return true
  }
  await assert.rejects(readSecretFile(path, rule), faultsOf(/cannot be read: ENOENT/))
  await writeFile(path, 'hunter2\n')
  await assert.rejects(readSecretFile(path, rule), faultsOf(/holds 7 characters; write at least 16\.$/))
  await writeFile(path, '  sixteen letters!\n')
  assert.equal(await readSecretFile(path, rule), 'sixteen letters!')
})
