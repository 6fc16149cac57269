import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Document } from '../../src/core/document.ts'
import type { DocumentQuery } from '../../src/core/ports/document-store.ts'
import { insist } from '../support/postgres/insist.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const most = 1_000_000
const room = { ...options, most }

/** Documents of accounts: written by version, listed in order, counted, and expired. */
export function testDocumentStore(name: string, open: StoreFactory): void {
  const openRoomy = (clock = createTestClock()) => open({ clock, limits: roomy })

  test(`${name} documents: a document is returned unchanged, without its search text`, async () => {
    await using store = await openRoomy()
    const value = { text: 'Grüße \u0000 \ud83d\ude00 "', list: [1, null, { nested: true }], big: 2 ** 53 }
    const document = { ...made('one'), value, label: 'done', attachedBytes: 7 }
    assert.equal(await store.documents.put(document, room), 'stored')
    const { text, ...rest } = document
    const bytes = Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(text) + 7
    assert.deepEqual(await store.documents.get(keyOf(document), options), { ...rest, version: 1, bytes })
  })

  test(`${name} documents: an account cannot read, replace or remove a document of another`, async () => {
    await using store = await openRoomy()
    await store.documents.put(made('one', { accountId: 'a' }), room)
    const foreign = { ...keyOf(made('one')), accountId: 'b' }
    assert.equal(await store.documents.get(foreign, options), null)
    assert.equal(await store.documents.remove(foreign, options), false)
    assert.equal(await store.documents.put(made('one', { accountId: 'b', value: 'mine' }), room), 'conflict')
    assert.equal((await store.documents.get({ ...foreign, accountId: null }, options))?.accountId, 'a')
    assert.equal(await store.documents.remove({ ...foreign, accountId: null }, options), true)
    assert.equal(await store.documents.remove({ ...foreign, accountId: null }, options), false)
  })

  test(`${name} documents: documents of different kinds do not affect each other`, async () => {
    await using store = await openRoomy()
    await store.documents.put(made('one', { kind: 'batch' }), room)
    assert.equal(await store.documents.get(keyOf(made('one', { kind: 'file' })), options), null)
    assert.equal(await store.documents.put(made('one', { kind: 'file', accountId: 'b' }), room), 'stored')
  })

  test(`${name} documents: a write succeeds only if the expected version matches`, async () => {
    await using store = await openRoomy()
    const put = (value: string, version?: number | null) =>
      store.documents.put(made('one', { value }), version === undefined ? room : { ...room, version })
    assert.equal(await put('too early', 1), 'conflict')
    assert.equal(await put('first', null), 'stored')
    assert.equal(await put('again', null), 'conflict')
    const both = await Promise.all([put('left', 1), put('right', 1)])
    assert.deepEqual(both.toSorted(), ['conflict', 'stored'])
    assert.equal(await put('whatever'), 'stored')
    const kept = await store.documents.get(keyOf(made('one')), options)
    assert.deepEqual([kept?.value, kept?.version], ['whatever', 3])
  })

  test(`${name} documents: lists the versions of an account's existing documents with a label`, async () => {
    const clock = createTestClock()
    await using store = await openRoomy(clock)
    const { documents } = store
    const put = (id: string, fields: Partial<Document> = {}) => documents.put(made(id, { label: 'x', ...fields }), room)
    for (const id of ['one', 'two', 'two', 'gone']) await put(id)
    await put('soon', { expiresAt: clock.now() + 10 })
    await put('foreign', { accountId: 'b' })
    await put('other', { label: 'y' })
    await documents.remove(keyOf(made('gone')), options)
    await clock.advance(10)
    const { kind, accountId } = made('one')
    const versions = (limit: number) => documents.versions({ kind, accountId, label: 'x', limit }, options)
    assert.deepEqual([...(await versions(10))].toSorted(), [
      ['one', 1],
      ['two', 2],
    ])
    assert.equal((await versions(1)).size, 1)
  })

  test(`${name} documents: concurrent writes stay within the limit of an account`, async () => {
    await using store = await openRoomy()
    const each = 1000
    const write = (id: string, attachedBytes: number, accountId = 'a') =>
      store.documents.put(made(id, { attachedBytes, value: null, text: '', accountId }), { ...options, most: 5 * (each + 4) })
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => insist(() => write(`d${index}`, each))))
    assert.equal(results.filter((result) => result === 'stored').length, 5)
    assert.deepEqual(await store.documents.sum({ accountId: 'a', kind: null }, options), { count: 5, bytes: 5 * (each + 4) })
    assert.deepEqual(await store.documents.sum({ accountId: 'a', kind: 'batch' }, options), { count: 0, bytes: 0 })
    const kept = `d${results.indexOf('stored')}`
    assert.equal(await write(kept, each + 1), 'full')
    assert.equal(await write(kept, each), 'stored')
    assert.equal(await write(kept, each - 1), 'stored')
    assert.equal(await write('other', each, 'b'), 'stored')
  })

  test(`${name} documents: the sum matches the stored documents after replacements, removals, rejections and expiry`, async () => {
    const clock = createTestClock()
    await using store = await openRoomy(clock)
    const { documents } = store
    const put = (id: string, fields: Partial<Document> = {}, limit = room) =>
      documents.put(made(id, { value: null, text: '', ...fields }), limit)
    const sum = (accountId = 'a', kind: Document['kind'] | null = null) => documents.sum({ accountId, kind }, options)
    assert.deepEqual(await sum(), { count: 0, bytes: 0 })
    await put('one', { attachedBytes: 96 })
    await put('two', { attachedBytes: 46, kind: 'file' })
    await put('one', { attachedBytes: 6 })
    assert.deepEqual(await sum(), { count: 2, bytes: 60 })
    assert.deepEqual(await sum('a', 'file'), { count: 1, bytes: 50 })
    assert.equal(await put('three', { attachedBytes: 37 }, { ...options, most: 100 }), 'full')
    assert.equal(await put('one', { attachedBytes: 1, accountId: 'b' }), 'conflict')
    assert.equal(await put('one', { attachedBytes: 1 }, { ...room, version: 7 } as typeof room), 'conflict')
    assert.deepEqual(
      [await sum(), await sum('b')],
      [
        { count: 2, bytes: 60 },
        { count: 0, bytes: 0 },
      ],
    )
    await documents.remove({ kind: 'file', id: 'two', accountId: 'b' }, options)
    await documents.remove({ kind: 'file', id: 'two', accountId: 'a' }, options)
    await documents.remove({ kind: 'file', id: 'two', accountId: 'a' }, options)
    assert.deepEqual(await sum(), { count: 1, bytes: 10 })
    await put('soon', { attachedBytes: 86, expiresAt: clock.now() + 10 })
    assert.deepEqual(await sum(), { count: 2, bytes: 100 })
    await clock.advance(10)
    assert.deepEqual(await sum(), { count: 1, bytes: 10 })
    assert.equal(await put('four', { attachedBytes: 86 }, { ...options, most: 100 }), 'stored')
    assert.equal(await put('soon', { attachedBytes: 16, accountId: 'b' }), 'stored')
    assert.deepEqual(
      [await sum(), await sum('b')],
      [
        { count: 2, bytes: 100 },
        { count: 1, bytes: 20 },
      ],
    )
    await put('later', { attachedBytes: 6, expiresAt: clock.now() + 10 })
    await clock.advance(10)
    assert.equal((await documents.takeExpired(10, options)).length, 1)
    assert.deepEqual([await sum(), await sum('a', 'conversation')], Array(2).fill({ count: 2, bytes: 100 }))
  })

  test(`${name} documents: the sum is exact after concurrent writes of several accounts`, async () => {
    const clock = createTestClock()
    await using store = await openRoomy(clock)
    const { documents } = store
    const act = async (index: number) => {
      const accountId = ['a', 'b', 'c'][index % 3] ?? 'a'
      const id = `${accountId}${index % 7}`
      if (index % 5 === 4) return documents.remove({ kind: 'conversation', id, accountId }, options)
      if (index % 11 === 10) return documents.takeExpired(5, options)
      const expiresAt = index % 4 === 0 ? clock.now() + index : null
      return documents.put(made(id, { accountId, attachedBytes: index, expiresAt }), room)
    }
    await Promise.all(Array.from({ length: 60 }, (_, index) => insist(() => act(index))))
    const advanced = clock.advance(30)
    await Promise.all([advanced, ...Array.from({ length: 60 }, (_, index) => insist(() => act(index + 60)))])
    for (const accountId of ['a', 'b', 'c']) {
      const there = await documents.list({ ...all, accountId, limit: 1000 }, options)
      const bytes = there.reduce((total, document) => total + document.bytes, 0)
      assert.deepEqual(await documents.sum({ accountId, kind: null }, options), { count: there.length, bytes })
    }
  })

  test(`${name} documents: lists are ordered and paged, and can be filtered by account and label`, async () => {
    await using store = await openRoomy()
    for (const [index, accountId] of ['a', 'b', 'a', 'a', 'b'].entries())
      await store.documents.put(made(`d${index}`, { accountId, at: index < 3 ? 10 : 20, label: index % 2 === 0 ? 'even' : null }), room)
    const list = async (query: Partial<DocumentQuery>) => (await store.documents.list({ ...all, ...query }, options)).map(({ id }) => id)
    assert.deepEqual(await list({}), ['d4', 'd3', 'd2', 'd1', 'd0'])
    assert.deepEqual(await list({ order: 'oldest' }), ['d0', 'd1', 'd2', 'd3', 'd4'])
    assert.deepEqual(await list({ accountId: 'a' }), ['d3', 'd2', 'd0'])
    assert.deepEqual(await list({ label: 'even' }), ['d4', 'd2', 'd0'])
    assert.deepEqual(await list({ label: 'even', accountId: 'b' }), ['d4'])
    assert.deepEqual(await list({ limit: 2, after: { at: 20, id: 'd3' } }), ['d2', 'd1'])
    assert.deepEqual(await list({ limit: 2, after: { at: 10, id: 'd1' }, order: 'oldest' }), ['d2', 'd3'])
    assert.deepEqual(await list({ kind: 'batch' }), [])
  })

  test(`${name} documents: a search finds literal parts of the text, regardless of case`, async () => {
    await using store = await openRoomy()
    await store.documents.put(made('one', { text: 'Über TIGER, 100 % wild_life' }), room)
    await store.documents.put(made('two', { text: 'a lion' }), room)
    const find = async (search: string) => (await store.documents.list({ ...all, search }, options)).map(({ id }) => id)
    assert.deepEqual(await find('ÜBER tiger'), ['one'])
    assert.deepEqual(await find('100 % wild_'), ['one'])
    assert.deepEqual(await find('li'), ['two', 'one'])
    assert.deepEqual(await find('%'), ['one'])
    assert.deepEqual(await find("'; drop table documents; --"), [])
  })

  test(`${name} documents: an expired document is gone, frees its name and is reported once`, async () => {
    const clock = createTestClock()
    await using store = await openRoomy(clock)
    await store.documents.put(made('soon', { expiresAt: clock.now() + 10 }), room)
    await store.documents.put(made('late', { expiresAt: clock.now() + 20 }), room)
    await store.documents.put(made('never'), room)
    await clock.advance(10)
    assert.equal(await store.documents.get(keyOf(made('soon')), options), null)
    assert.equal(await store.documents.remove(keyOf(made('soon')), options), false)
    assert.deepEqual((await store.documents.list(all, options)).map(({ id }) => id).toSorted(), ['late', 'never'])
    assert.equal((await store.documents.sum({ accountId: 'a', kind: null }, options)).count, 2)
    await clock.advance(10)
    assert.deepEqual(
      (await store.documents.takeExpired(1, options)).map(({ id }) => id),
      ['soon'],
    )
    assert.deepEqual(
      (await store.documents.takeExpired(10, options)).map(({ id }) => id),
      ['late'],
    )
    assert.deepEqual(await store.documents.takeExpired(10, options), [])
    assert.equal(await store.documents.put(made('soon', { accountId: 'b' }), { ...room, version: null }), 'stored')
  })
}

const all: DocumentQuery = { kind: 'conversation', accountId: null, order: 'newest', after: null, limit: 100 }

function made(id: string, fields: Partial<Document> = {}): Document {
  const document = { kind: 'conversation', id, accountId: 'a', value: { said: id }, at: 5, label: null, text: id } as const
  return { ...document, attachedBytes: 0, expiresAt: null, ...fields }
}

function keyOf({ kind, id, accountId }: Document) {
  return { kind, id, accountId }
}
