import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sealBytes } from '../../src/operations/bodies/body-cipher.ts'
import { findBodyLog, listBodyLogs, switchBodyLogOff, switchBodyLogOn } from '../../src/operations/bodies/body-log.ts'
import { findBodies, hasBodies, keepBody, type NewBody, removeBodies, sumBodies } from '../../src/operations/bodies/kept-bodies.ts'
import { expireDocuments, removeOrphanOutputs } from '../../src/worker/maintenance.ts'
import { createMemoryBodyKeys } from '../support/memory/create-memory-body-keys.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const hourMs = 60 * 60 * 1000
const target = { accountId: 'a', requestId: 'r' }
const secret = 'nobody reads this: ünïcode \u0000'
const bodyOf = (text: string, more: Partial<NewBody> = {}): NewBody => ({
  ...target,
  exchange: 'one',
  part: 'request',
  path: '/v1/chat/completions',
  contentType: 'application/json',
  status: null,
  length: Buffer.byteLength(text),
  pieces: [Buffer.from(text)],
  ...more,
})

/** Bodies of requests in the log: encrypted, kept for a time, limited, separate for each account. */
export function testKeptBodies(name: string, open: StoreFactory): void {
  const prepare = async () => {
    const clock = createTestClock()
    const store = await open({ clock, limits: roomy })
    const outputs = createMemoryOutputs({ clock })
    const keys = createMemoryBodyKeys()
    keys.make()
    const deps = { ...store, outputs, clock, keys }
    const keep = (body: NewBody, { keepMs = hourMs, most = 1e7 } = {}) =>
      keepBody(deps, { key: keys.current() ?? keys.make(), body, at: clock.now(), keepMs, most }, options)
    const files = async () => (await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))).length
    return { deps, keep, files, clock, keys, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  for (const [size, text] of [
    ['small', secret],
    ['large', secret.repeat(20_000)],
    ['empty', ''],
  ] as const)
    test(`${name} bodies: a ${size} body is returned unchanged, and is stored only encrypted`, async () => {
      await using log = await prepare()
      assert.equal(await log.keep(bodyOf(text)), 'stored')
      const answer = { part: 'answer', path: null, contentType: 'text/event-stream', status: 200 } as const
      assert.equal(await log.keep(bodyOf(text, answer)), 'stored')
      const bodies = await findBodies(log.deps, target, options)
      assert.deepEqual(
        bodies.map((body) =>
          'unreadable' in body ? body : [body.part, body.path, body.contentType, body.status, Buffer.from(body.bytes).toString()],
        ),
        [
          ['request', '/v1/chat/completions', 'application/json', null, text],
          ['answer', null, 'text/event-stream', 200, text],
        ],
      )
      const query = { kind: 'request-body', accountId: null, order: 'newest', after: null, limit: 9 } as const
      const written = JSON.stringify(await log.deps.documents.list(query, options))
      assert.equal(written.includes('nobody') || written.includes(Buffer.from('nobody reads').toString('base64')), false)
      assert.equal(await log.files(), size === 'large' ? 2 : 0)
    })

  test(`${name} bodies: are found only for their account and request`, async () => {
    await using log = await prepare()
    await log.keep(bodyOf('mine'))
    for (const other of [
      { accountId: 'b', requestId: 'r' },
      { accountId: 'a', requestId: 'R' },
      { accountId: 'request-log:a', requestId: 'r' },
    ]) {
      assert.deepEqual(await findBodies(log.deps, other, options), [])
      assert.equal(await hasBodies(log.deps, other, options), false)
    }
    assert.equal(await hasBodies(log.deps, target, options), true)
    assert.equal(
      (await log.deps.documents.sum({ accountId: 'a', kind: null }, options)).bytes,
      0,
      'not among what the account keeps itself',
    )
  })

  test(`${name} bodies: of several requests with the same id are all kept, in the order in which they ended`, async () => {
    await using log = await prepare()
    const texts = async (more: object = {}) =>
      (await findBodies(log.deps, { ...target, ...more }, options)).map(
        (body) => 'bytes' in body && Buffer.from(body.bytes).toString().slice(0, 9),
      )
    for (const exchange of ['second', 'first', 'third']) {
      await log.keep(bodyOf(`${exchange} A`.repeat(20_000), { exchange, part: 'answer' }))
      await log.keep(bodyOf(`${exchange} Q`, { exchange }))
      if (exchange === 'first') await log.clock.advance(1)
    }
    assert.deepEqual(await texts(), ['first Q', 'first Afi', 'second Q', 'second As', 'third Q', 'third Ath'])
    assert.deepEqual(await texts({ from: log.clock.now() }), ['third Q', 'third Ath'])
    assert.deepEqual(await texts({ from: log.clock.now() + 1 }), [])
    assert.equal(await log.keep(bodyOf('again'.repeat(20_000), { exchange: 'third', part: 'answer' })), 'stored')
    assert.deepEqual(await texts({ from: log.clock.now() }), ['third Q', 'third Ath'], 'the first of an exchange stays')
    assert.deepEqual([await log.files(), (await sumBodies(log.deps, 'a', options)).count], [3, 6])
  })

  test(`${name} bodies: of many requests with the same id the last are listed, or the first from a given time`, async () => {
    await using log = await prepare()
    for (let at = 0; at < 30; at++) {
      await log.keep(bodyOf(String(at), { exchange: String(at) }))
      await log.clock.advance(1)
    }
    const texts = async (more: object) =>
      (await findBodies(log.deps, { ...target, ...more }, options)).map((body) => 'bytes' in body && Buffer.from(body.bytes).toString())
    assert.deepEqual(await texts({}), ['20', '21', '22', '23', '24', '25', '26', '27', '28', '29'])
    assert.deepEqual(await texts({ from: log.clock.now() - 28 }), ['2', '3', '4', '5', '6', '7', '8', '9', '10', '11'])
  })

  test(`${name} bodies: bodies stored under the earlier naming are still read`, async () => {
    await using log = await prepare()
    const id = (part: string) => {
      const hex = createHash('sha256')
        .update(JSON.stringify(['a', 'r', part]))
        .digest('hex')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
    }
    const key = log.keys.current() ?? log.keys.make()
    for (const part of ['answer', 'request'] as const) {
      const sealed = sealBytes(key, JSON.stringify(['a', 'r', part]), [Buffer.from(`old ${part}`)]).toString('base64')
      const value = { part, path: null, contentType: null, status: null, length: 3, keyId: key.id, sealed, file: null }
      const document = { kind: 'request-body', id: id(part), accountId: 'request-log:a', value, at: log.clock.now(), label: null } as const
      await log.deps.documents.put({ ...document, text: '', attachedBytes: 0, expiresAt: null }, { ...options, most: 1e6 })
    }
    assert.equal(await hasBodies(log.deps, target, options), true)
    await log.keep(bodyOf('new'))
    assert.deepEqual(
      (await findBodies(log.deps, target, options)).map((body) => 'bytes' in body && Buffer.from(body.bytes).toString()),
      ['old request', 'old answer', 'new'],
    )
  })

  test(`${name} bodies: a full log rejects bodies and leaves no file behind`, async () => {
    await using log = await prepare()
    assert.equal(await log.keep(bodyOf('x'.repeat(9000)), { most: 10_000 }), 'full')
    assert.equal(await log.keep(bodyOf('x'.repeat(3000)), { most: 10_000 }), 'stored')
    assert.equal(await log.keep(bodyOf('y'.repeat(200_000), { part: 'answer' }), { most: 10_000 }), 'full')
    assert.equal(await log.keep(bodyOf('z', { accountId: 'b' }), { most: 10_000 }), 'stored', 'another account is unaffected')
    assert.equal(await log.files(), 0)
  })

  test(`${name} bodies: expire with their files, and not before`, async () => {
    await using log = await prepare()
    await log.keep(bodyOf(secret.repeat(20_000)))
    await log.keep(bodyOf('longer', { part: 'answer' }), { keepMs: 30 * hourMs })
    await removeOrphanOutputs(log.deps, options)
    assert.equal(await log.files(), 1)
    await log.clock.advance(hourMs)
    assert.equal((await findBodies(log.deps, target, options)).length, 1)
    await expireDocuments(log.deps, options)
    assert.deepEqual([await log.files(), (await sumBodies(log.deps, 'a', options)).count], [0, 1])
    await log.clock.advance(28 * hourMs)
    await removeOrphanOutputs(log.deps, options)
    assert.equal((await findBodies(log.deps, target, options)).length, 1)
  })

  test(`${name} bodies: a file of a body is not removed as an orphan while the body is kept`, async () => {
    await using log = await prepare()
    await log.keep(bodyOf(secret.repeat(20_000)), { keepMs: 30 * hourMs })
    await log.clock.advance(29 * hourMs)
    await removeOrphanOutputs(log.deps, options)
    assert.equal(await log.files(), 1)
  })

  test(`${name} bodies: all bodies of an account can be removed at once`, async () => {
    await using log = await prepare()
    for (let at = 0; at < 120; at++) await log.keep(bodyOf('x', { requestId: `r${at}` }))
    await log.keep(bodyOf(secret.repeat(20_000)))
    await log.keep(bodyOf('theirs', { accountId: 'b' }))
    assert.equal(await removeBodies(log.deps, 'a', options), 121)
    assert.deepEqual(await sumBodies(log.deps, 'a', options), { count: 0, bytes: 0 })
    assert.deepEqual([await log.files(), (await sumBodies(log.deps, 'b', options)).count], [0, 1])
  })

  test(`${name} bodies: bodies with an older key can be read, those with a missing key or changed bytes are reported`, async () => {
    await using log = await prepare()
    await log.keep(bodyOf('with the first'))
    log.keys.make()
    await log.keep(bodyOf('with the second', { part: 'answer' }))
    const read = async (keys = log.deps.keys) =>
      (await findBodies({ ...log.deps, keys }, target, options)).map((body) =>
        'unreadable' in body ? body.unreadable : Buffer.from(body.bytes).toString(),
      )
    assert.deepEqual(await read(), ['with the first', 'with the second'])
    assert.deepEqual(await read(createMemoryBodyKeys()), ['key', 'key'])
    const other = createMemoryBodyKeys()
    other.make()
    assert.deepEqual(await read(other), ['damaged', 'key'])
  })

  test(`${name} bodies: logging stays on until it is switched off or its time is over`, async () => {
    await using log = await prepare()
    const deps = { ...log.deps, mostKeepMs: 48 * hourMs }
    assert.equal(await findBodyLog(deps, 'a', options), null)
    await switchBodyLogOn(deps, { accountId: 'a', keepMs: hourMs, forMs: null }, options)
    await switchBodyLogOn(deps, { accountId: 'b', keepMs: 2 * hourMs, forMs: hourMs }, options)
    assert.deepEqual((await listBodyLogs(deps, options)).map(({ accountId, keepMs }) => [accountId, keepMs]).sort(), [
      ['a', hourMs],
      ['b', 2 * hourMs],
    ])
    await switchBodyLogOn(deps, { accountId: 'a', keepMs: 48 * hourMs, forMs: null }, options)
    assert.equal((await findBodyLog(deps, 'a', options))?.keepMs, 48 * hourMs)
    await log.clock.advance(hourMs)
    assert.equal(await findBodyLog(deps, 'b', options), null)
    assert.equal(await switchBodyLogOff(deps, 'a', options), true)
    assert.equal(await switchBodyLogOff(deps, 'a', options), false)
    assert.deepEqual(await listBodyLogs(deps, options), [])
    for (const keepMs of [0, -1, hourMs - 1, 48 * hourMs + 1, Number.NaN])
      await assert.rejects(switchBodyLogOn(deps, { accountId: 'a', keepMs, forMs: null }, options), {
        code: 'invalid_request_error',
        param: 'keep',
      })
  })
}
