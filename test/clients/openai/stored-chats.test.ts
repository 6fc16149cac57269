import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import OpenAI from 'openai'
import { createAccount } from '../../../src/operations/access/accounts.ts'
import { type HttpService, type HttpServiceOptions, startHttpService } from '../../support/http-service.ts'
import { readError, readJson } from '../../support/read-json.ts'
import { createTestClock } from '../../support/test-clock.ts'

const path = '/v1/chat/completions'
const ask = (content: string, fields: object = {}) => ({
  model: 'fake-chat',
  messages: [{ role: 'user' as const, content }],
  store: true,
  ...fields,
})

async function startService(options: HttpServiceOptions = {}): Promise<{ service: HttpService; client: OpenAI } & AsyncDisposable> {
  const service = await startHttpService(options)
  const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  return { service, client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

suite('stored chat completions', () => {
  test('an answer is stored unchanged, with its metadata and messages', async () => {
    await using started = await startService()
    const { client } = started
    const parts = [
      { type: 'text' as const, text: '[say' },
      { type: 'text' as const, text: 'two]' },
    ]
    const made = await client.chat.completions.create({
      ...ask(''),
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: parts },
      ],
      metadata: { topic: 'cats' },
    })
    assert.deepEqual(made.metadata, { topic: 'cats' })
    assert.deepEqual(await client.chat.completions.retrieve(made.id), made)
    const messages = await client.chat.completions.messages.list(made.id)
    assert.deepEqual(messages.data, [
      { role: 'system', content: 'Be brief.', content_parts: null, id: `${made.id}-0` },
      { role: 'user', content: null, content_parts: parts, id: `${made.id}-1` },
    ])
    const [second] = (await client.chat.completions.messages.list(made.id, { limit: 1, order: 'desc' })).data
    assert.equal(second?.id, `${made.id}-1`)
    const rest = await client.chat.completions.messages.list(made.id, { after: `${made.id}-0` })
    assert.deepEqual(
      rest.data.map(({ id }) => id),
      [`${made.id}-1`],
    )
  })

  test('a streamed answer is stored whole before its stream ends', async () => {
    await using started = await startService()
    const { client } = started
    let text = ''
    let id = ''
    for await (const chunk of await client.chat.completions.create({ ...ask('[say one two three]'), stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
      id = chunk.id
    }
    const kept = await client.chat.completions.retrieve(id)
    assert.deepEqual([kept.object, kept.choices[0]?.message.content], ['chat.completion', text])
  })

  test('nothing is stored unless requested, and metadata is returned regardless', async () => {
    await using started = await startService()
    const { client } = started
    const plain = await client.chat.completions.create(ask('[say one]', { store: false, metadata: { a: 'b' } }))
    assert.deepEqual(plain.metadata, { a: 'b' })
    assert.equal('metadata' in (await client.chat.completions.create(ask('[say one]', { store: null }))), false)
    assert.deepEqual((await client.chat.completions.list()).data, [])
    await assert.rejects(client.chat.completions.retrieve(plain.id), OpenAI.NotFoundError)
  })

  test('lists are filtered by page, model and metadata', async () => {
    await using started = await startService()
    const { client } = started
    const ids: string[] = []
    for (let index = 0; index < 25; index++) {
      const metadata = { parity: index % 2 === 0 ? 'even' : 'odd', five: String(index % 5) }
      ids.push((await client.chat.completions.create(ask('[say one]', { metadata }))).id)
    }
    const listed = async (query: OpenAI.Chat.ChatCompletionListParams) =>
      (await Array.fromAsync(client.chat.completions.list(query))).map(({ id }) => ids.indexOf(id))
    assert.deepEqual(await listed({ limit: 4, model: 'fake-chat' }).then((found) => found.toSorted((a, b) => a - b)), [...ids.keys()])
    assert.deepEqual(await listed({ model: 'another' }), [])
    assert.deepEqual((await listed({ limit: 2, metadata: { parity: 'even', five: '1' } })).toSorted(), [16, 6])
    assert.deepEqual(await listed({ metadata: { parity: 'neither' } }), [])
    assert.deepEqual(await listed({ metadata: { toString: 'x' } }), [])
    const newest = await client.chat.completions.list({ order: 'desc', limit: 3 })
    assert.deepEqual([newest.data.length, newest.has_more], [3, true])
    const whole = await client.chat.completions.list({ limit: 25 })
    assert.deepEqual([whole.data.length, whole.has_more], [25, false])
  })

  test('metadata can be replaced, and a deleted answer is gone', async () => {
    await using started = await startService()
    const { service, client } = started
    const { id, ...made } = await client.chat.completions.create(ask('[say one]', { metadata: { a: 'b' } }))
    assert.deepEqual(await client.chat.completions.update(id, { metadata: { c: 'd' } }), { ...made, id, metadata: { c: 'd' } })
    assert.deepEqual((await client.chat.completions.update(id, { metadata: null })).metadata, {})
    const refusal = await readError(await service.fetch(`${path}/${id}`, { json: {} }))
    assert.equal(refusal.param, 'metadata')
    assert.deepEqual(await client.chat.completions.delete(id), { object: 'chat.completion.deleted', id, deleted: true })
    for (const again of [
      () => client.chat.completions.retrieve(id),
      () => client.chat.completions.messages.list(id),
      () => client.chat.completions.update(id, { metadata: {} }),
      () => client.chat.completions.delete(id),
    ])
      await assert.rejects(again, OpenAI.NotFoundError)
  })

  test('another account, an unknown id and an invalid id return the same error', async () => {
    await using started = await startService()
    const { service, client } = started
    const { id } = await client.chat.completions.create(ask('[say one]'))
    const other = await createAccount(
      { ...service.store, clock: createTestClock() },
      { name: 'Eve', role: 'member' },
      { signal: new AbortController().signal },
    )
    const token = await service.makeToken(['text'], { accountId: other.id })
    const answers: unknown[] = []
    for (const target of [id, `cmpl-${'0'.repeat(32)}`])
      answers.push(JSON.stringify(await readJson(await service.fetch(`${path}/${target}`, { token }))).replaceAll(target, ''))
    assert.equal(answers[0], answers[1])
    for (const target of ['x', `${id}x`, encodeURIComponent('../../etc'), encodeURIComponent('\0')])
      assert.equal((await service.fetch(`${path}/${target}`, { token })).status, 404, target)
    assert.deepEqual(await readJson(await service.fetch(path, { token })), {
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    })
    assert.equal((await service.fetch(`${path}/${id}`, { method: 'DELETE', token })).status, 404)
    assert.equal((await client.chat.completions.retrieve(id)).id, id)
    const image = await service.makeToken(['image'])
    for (const method of ['GET', 'POST', 'DELETE'])
      assert.equal((await service.fetch(`${path}/${id}`, { method, token: image, ...(method === 'POST' && { json: {} }) })).status, 403)
  })

  test('stored answers are kept for 24 hours', async () => {
    const clock = createTestClock()
    await using started = await startService({ clock })
    const { client } = started
    const { id } = await client.chat.completions.create(ask('[say one]'))
    await clock.advance(24 * 3600_000 - 1000)
    assert.equal((await client.chat.completions.retrieve(id)).id, id)
    await clock.advance(1001)
    await assert.rejects(client.chat.completions.retrieve(id), OpenAI.NotFoundError)
  })

  test('an account at its limit gets the error, whole or at the end of a stream', async () => {
    await using started = await startService({ settings: { maxDocumentBytes: 100 } })
    const { service, client } = started
    await assert.rejects(client.chat.completions.create(ask('[say one]')), OpenAI.RateLimitError)
    const text = await (await service.fetch(path, { json: ask('[say one]', { stream: true }) })).text()
    assert.match(text, /"code":"quota_exceeded"/)
    assert.doesNotMatch(text, /\[DONE\]/)
    await client.chat.completions.create(ask('[say one]', { store: false }))
  })

  test('answers that cannot be stored and invalid lists are rejected by name', async () => {
    await using started = await startService()
    const { service } = started
    for (const [json, param] of [
      [ask('x', { store: 'yes' }), 'store'],
      [ask('x', { metadata: { a: 1 } }), 'metadata.a'],
      [ask('x', { metadata: { ['x'.repeat(65)]: 'y' } }), `metadata.${'x'.repeat(65)}`],
      [ask('x', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`n${index}`, ''])) }), 'metadata'],
      [ask('x', { modalities: ['audio'] }), 'modalities[0]'],
      [ask('x', { verbosity: 'shrill' }), 'verbosity'],
    ] as const) {
      const answer = await service.fetch(path, { json })
      assert.equal(answer.status, 400)
      assert.ok((await readError(answer)).param?.startsWith(param.slice(0, 8)), param)
    }
    for (const [fields, param] of [
      [{}, 'store'],
      [{ store: false, metadata: { a: 'b' } }, 'metadata'],
    ] as const) {
      const later = await service.fetch(path, { json: ask('x', fields), headers: { 'x-service-async': '1' } })
      assert.deepEqual([later.status, (await readError(later)).param], [400, param])
    }
    for (const query of [
      'limit=0',
      'order=up',
      'after=..',
      'metadata=x',
      'metadata[a]=1&metadata[a]=2',
      'model=a&model=b',
      'x=1',
      'metadata[',
    ])
      assert.equal((await service.fetch(`${path}?${query}`)).status, 400, query)
    assert.equal((await service.fetch(`${path}?after=cmpl-${'0'.repeat(32)}`)).status, 404)
  })
})
