import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { type HttpService, type HttpServiceOptions, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const path = '/v1/chat/completions'
const ask = (content: string, fields: object = {}) => ({
  model: 'fake-chat',
  messages: [{ role: 'user', content }],
  store: true,
  ...fields,
})

interface StoredChat {
  readonly id: string
  readonly [field: string]: unknown
}

/** A service that stores the answers it is asked for. */
async function startChats(
  options: HttpServiceOptions = {},
): Promise<HttpService & { create(text: string, fields?: object): Promise<StoredChat> }> {
  const service = await startHttpService(options)
  const create = async (text: string, fields?: object) => {
    const answer = await service.fetch(path, { json: ask(text, fields) })
    assert.equal(answer.status, 200)
    return JSON.parse(await answer.text())
  }
  return { ...service, create }
}

suite('stored chat completions', () => {
  test('lists are filtered by page, model and metadata', async () => {
    await using service = await startChats()
    const ids: string[] = []
    for (let index = 0; index < 25; index++) {
      const metadata = { parity: index % 2 === 0 ? 'even' : 'odd', five: String(index % 5) }
      ids.push((await service.create('[say one]', { metadata })).id)
    }
    const pageOf = async (query: string) => {
      const { data, has_more: more } = await readJson(await service.fetch(`${path}?${query}`))
      return { places: Object(data).map(({ id }: StoredChat) => ids.indexOf(id)) as readonly number[], more: more === true }
    }
    const listed = async (query: string): Promise<readonly number[]> => {
      const places: number[] = []
      for (let after = ''; ; after = `&after=${ids[places.at(-1) ?? 0]}`) {
        const page = await pageOf(query + after)
        places.push(...page.places)
        if (!page.more) return places.toSorted((a, b) => a - b)
      }
    }
    assert.deepEqual(await listed('limit=4&model=fake-chat'), [...ids.keys()])
    assert.deepEqual(await listed('model=another'), [])
    assert.deepEqual(await listed('limit=2&metadata[parity]=even&metadata[five]=1'), [6, 16])
    assert.deepEqual(await listed('metadata[parity]=neither'), [])
    assert.deepEqual(await listed('metadata[toString]=x'), [])
    const newest = await pageOf('order=desc&limit=3')
    assert.deepEqual([newest.places.length, newest.more], [3, true])
    const whole = await pageOf('limit=25')
    assert.deepEqual([whole.places.length, whole.more], [25, false])
  })

  test('metadata can be replaced, and a deleted answer is gone', async () => {
    await using service = await startChats()
    const made = await service.create('[say one]', { metadata: { a: 'b' } })
    const address = `${path}/${made.id}`
    const update = (json: object) => service.fetch(address, { json })
    assert.deepEqual(await readJson(await update({ metadata: { c: 'd' } })), { ...made, metadata: { c: 'd' } })
    assert.deepEqual((await readJson(await update({ metadata: null }))).metadata, {})
    assert.equal((await readError(await update({}))).param, 'metadata')
    const remove = () => service.fetch(address, { method: 'DELETE' })
    assert.deepEqual(await readJson(await remove()), { object: 'chat.completion.deleted', id: made.id, deleted: true })
    const again = [service.fetch(address), service.fetch(`${address}/messages`), update({ metadata: {} }), remove()]
    for (const { status } of await Promise.all(again)) assert.equal(status, 404)
  })

  test('another account, an unknown id and an invalid id return the same error', async () => {
    await using service = await startChats()
    const { id } = await service.create('[say one]')
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
    assert.equal((await service.fetch(`${path}/${id}`)).status, 200)
    const image = await service.makeToken(['image'])
    for (const method of ['GET', 'POST', 'DELETE'])
      assert.equal((await service.fetch(`${path}/${id}`, { method, token: image, ...(method === 'POST' && { json: {} }) })).status, 403)
  })

  test('stored answers are kept for 24 hours', async () => {
    const clock = createTestClock()
    await using service = await startChats({ clock })
    const { id } = await service.create('[say one]')
    await clock.advance(24 * 3600_000 - 1000)
    assert.equal((await service.fetch(`${path}/${id}`)).status, 200)
    await clock.advance(1001)
    assert.equal((await service.fetch(`${path}/${id}`)).status, 404)
  })

  test('an account at its limit gets the error before any work, and an answer that it has no room for is returned as not stored', async () => {
    await using service = await startChats({ settings: { accounts: { documentBytes: 100 } } })
    const refused = await service.fetch(path, { json: ask('[say one]') })
    assert.deepEqual([refused.status, (await readError(refused)).code], [429, 'quota_exceeded'])
    const text = await (await service.fetch(path, { json: ask('[say one]', { stream: true }) })).text()
    assert.match(text, /"code":"quota_exceeded"/)
    assert.doesNotMatch(text, /\[DONE\]/)
    await service.settled(2)
    assert.deepEqual(service.booked, [])
    assert.equal((await service.fetch(path, { json: ask('[say one]', { store: false }) })).status, 200)
    await using small = await startChats({ settings: { accounts: { documentBytes: 4000 } } })
    const long = `[say ${'x'.repeat(2500)}]`
    const answer = await readJson(await small.fetch(path, { json: ask(long) }))
    assert.match(String(answer.warnings), /^Not stored\. This account would exceed/)
    assert.equal((await small.fetch(`${path}/${String(answer.id)}`)).status, 404)
    // Tools are not stored with a chat.
    const tools = [{ type: 'function', function: { name: 'look', description: 'x'.repeat(5000) } }]
    const fitting = await small.create('[say one]', { tools, tool_choice: 'none' })
    assert.equal((await small.fetch(`${path}/${fitting.id}`)).status, 200)
    const stream = await (await small.fetch(path, { json: ask(long, { stream: true }) })).text()
    assert.match(stream, /"code":"quota_exceeded"/)
    assert.doesNotMatch(stream, /\[DONE\]/)
  })

  test('answers that cannot be stored and invalid lists are rejected by name', async () => {
    await using service = await startChats()
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
