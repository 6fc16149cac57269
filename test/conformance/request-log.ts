import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputRetentionMs } from '../../src/core/inference.ts'
import type { RequestLogQuery } from '../../src/core/ports/request-log.ts'
import type { RequestRecord } from '../../src/core/requests/request-record.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const base = { accountId: 'a', tokenId: 't', model: 'm', at: 5 } as const
const drawing: RequestRecord = {
  ...base,
  id: 'drawn',
  kind: 'image',
  requested: { excerpt: 'Ein Äffchen, 100% _süß_', call: '{"path":"/generate/sdxl"}' },
  result: null,
}
const error = {
  code: 'inference_failed',
  message: 'Half \ud800 nul \0 and \\u0000.',
  param: 'messages',
  cause: 'Nobody is there.',
} as const
const result = { outcome: 'failed', promptTokens: 3, completionTokens: 2, images: 0, durationMs: 70, firstTokenMs: 9, error } as const
const chat: RequestRecord = { ...base, id: 'asked', tokenId: null, kind: 'chat', requested: null, result }
const refused: RequestRecord = {
  ...chat,
  id: 'refused',
  kind: 'rerank',
  result: { ...result, outcome: 'refused', firstTokenMs: null, error: null },
}
const everything: RequestLogQuery = { accountId: null, search: null, kind: null, deferred: null, ids: null, before: null, limit: 10 }

/** Earlier requests, newest first, with a search. */
export function testRequestLog(name: string, open: StoreFactory): void {
  test(`${name} requests: are returned unchanged, newest first, in pages`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    assert.deepEqual(await store.requests.list(everything, options), [])
    await store.requests.append([drawing, chat], options)
    await store.requests.append([refused, { ...chat, id: 'third', accountId: 'b' }], options)
    const all = await store.requests.list(everything, options)
    assert.deepEqual(
      all.map(({ number: _, ...kept }) => kept),
      [{ ...chat, id: 'third', accountId: 'b' }, refused, chat, drawing],
    )
    const [newest, ...older] = all
    assert.deepEqual(await store.requests.list({ ...everything, before: newest?.number ?? 0, limit: 1 }, options), older.slice(0, 1))
    await store.requests.append([], options)
  })

  test(`${name} requests: can be found by account, kind, words and id`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.requests.append([drawing, chat, { ...drawing, id: 'other', accountId: 'b' }], options)
    const find = async (query: Partial<RequestLogQuery>) =>
      (await store.requests.list({ ...everything, ...query }, options)).map(({ id }) => id)
    assert.deepEqual(await find({ accountId: 'a' }), ['asked', 'drawn'])
    assert.deepEqual(await find({ accountId: 'c' }), [])
    assert.deepEqual(await find({ kind: 'chat' }), ['asked'])
    assert.deepEqual(await find({ deferred: true }), ['other', 'drawn'])
    assert.deepEqual(await find({ deferred: false }), ['asked'])
    assert.deepEqual(await find({ ids: ['drawn', 'nobody'], accountId: 'a' }), ['drawn'])
    assert.deepEqual(await find({ ids: [] }), [])
    for (const search of ['ÄFFCHEN', 'äff', '100%', '_süß_']) assert.deepEqual(await find({ search, accountId: 'a' }), ['drawn'], search)
    for (const search of ['1%0', 'Ein_', "' or 1=1 --", '!', '\u0000', 'Ein\u0000']) assert.deepEqual(await find({ search }), [], search)
  })

  test(`${name} requests: lose their words first and are deleted later`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.requests.append([drawing, { ...drawing, id: 'later', at: 9 }, { ...chat, at: 1 }], options)
    const before = { words: 5, all: 1 }
    assert.deepEqual([await store.requests.expire(before, options), await store.requests.expire(before, options)], [2, 0])
    const all = await store.requests.list(everything, options)
    assert.deepEqual(
      all.map(({ id, requested }) => [id, requested?.excerpt ?? null]),
      [
        ['later', drawing.requested?.excerpt],
        ['drawn', null],
      ],
    )
  })

  test(`${name} requests: keep only the code of an error once their words are deleted, since it may quote them`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const submitted = [await store.queue.enqueue(makeSubmission(), options), await store.queue.enqueue(makeSubmission(), options)]
    for (const _ of submitted)
      await store.queue.complete(await claimNext(store.queue), { completion: { outcome: 'failed', error }, usage: null }, options)
    const [first = '', second = ''] = submitted.map(({ inference }) => inference.id)
    await store.requests.append([chat, refused, { ...drawing, id: first }], options)
    await store.requests.append(
      [
        { ...chat, at: 9 },
        { ...drawing, id: second, at: 9 },
      ],
      options,
    )
    const expire = async () => {
      for (let round = 0; round < 2; round++) await store.requests.expire({ words: 5, all: 1 }, options)
    }
    await clock.advance(outputRetentionMs - 1)
    await expire()
    assert.match((await store.log.find(first, 'a', options))?.error?.message ?? '', /^Half /)
    await clock.advance(1)
    await expire()
    const short = { code: error.code, message: 'The details of this error have expired.', param: null }
    const records = await store.requests.list({ ...everything, deferred: false }, options)
    assert.deepEqual(
      records.map((record) => record.result?.error),
      [error, null, short],
    )
    const inferences = await Promise.all([first, second].map((id) => store.log.find(id, 'a', options)))
    assert.deepEqual([inferences[0]?.error, inferences[0]?.outcome], [short, 'failed'])
    assert.equal(inferences[1]?.error?.code, error.code)
    assert.notEqual(inferences[1]?.error?.message, short.message)
  })
}
