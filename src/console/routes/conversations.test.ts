import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsoleService, startConsoleService } from '../../../test/support/console-service.ts'
import type { ConversationPage, OpenedConversation, ReadTurns, TurnUpdate } from '../contract/conversations.ts'

const base = '/console/api/conversations'
const idOf = (name: string) => name.padEnd(24, 'z')
const turn = (fields: Partial<TurnUpdate> = {}): TurnUpdate => ({
  ...{ role: 'user', content: 'hello', files: [], state: 'done', at: 1 },
  ...fields,
})

/** A signed-in user's requests to their conversations. */
async function startAs(service: ConsoleService, email = 'ada@example.org', code = service.firstCode) {
  const cookie = await service.join(code, email)
  const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
    service.send(method, `${base}${path}`, { cookie, ...(body !== undefined && { body }) })
  return {
    cookie,
    send,
    keep: (name: string, title = name, pinned = false) => send('PUT', `/${idOf(name)}`, { title, pinned }),
    say: (name: string, said: string, fields: Partial<TurnUpdate> = {}) =>
      send('PUT', `/${idOf(name)}/turns/${idOf(said)}`, turn({ content: said, ...fields })),
    list: async (query = ''): Promise<ConversationPage> => (await send('GET', query)).json(),
    open: async (name: string): Promise<OpenedConversation> => (await send('GET', `/${idOf(name)}`)).json(),
  }
}

test('a conversation is returned with every version of its messages, in the order they were started', async () => {
  const service = await startConsoleService()
  const { keep, say, open } = await startAs(service)
  await keep('one', 'Cats')
  await say('one', 'question', { at: 1 })
  await say('one', 'second', { at: 3, parent: idOf('question'), role: 'assistant', model: 'fake-chat' })
  await say('one', 'first', { at: 2, parent: idOf('question'), role: 'assistant', state: 'writing' })
  const facts = { promptTokens: 3, completionTokens: 2, firstTextMs: 10.5, writingMs: 20 }
  await say('one', 'first', { at: 2, parent: idOf('question'), role: 'assistant', state: 'cut', facts })
  const { title, turns } = await open('one')
  assert.equal(title, 'Cats')
  assert.deepEqual(
    turns.map(({ content, state }) => [content, state]),
    [
      ['question', 'done'],
      ['first', 'cut'],
      ['second', 'done'],
    ],
  )
  assert.deepEqual(turns[1]?.facts, facts)
})

test('a page reads only the messages that have changed', async () => {
  const service = await startConsoleService()
  const { keep, say, open, send } = await startAs(service)
  await keep('one')
  for (const name of ['first', 'second']) await say('one', name)
  const { version, versions } = await open('one')
  assert.deepEqual(versions, { [idOf('first')]: 1, [idOf('second')]: 1 })
  const changes = `/${idOf('one')}/versions?known=`
  assert.equal((await send('GET', `${changes}${version}`)).statusCode, 204)
  await say('one', 'second', { content: 'Another.' })
  await send('DELETE', `/${idOf('one')}/turns/${idOf('first')}`)
  const changed = (await send('GET', `${changes}${version}`)).json()
  assert.deepEqual([changed.title, changed.versions, changed.turns], ['one', { [idOf('second')]: 2 }, undefined])
  const read = (await send('GET', `/${idOf('one')}/turns?ids=${idOf('second')},${idOf('first')}`)).json()
  assert.deepEqual([read.turns.map(({ content }: { content: string }) => content), read.versions], [['Another.'], { [idOf('second')]: 2 }])
  for (const path of [`${changes}-1`, `${changes}`, `/${idOf('one')}/turns?ids=../x`, `/${idOf('one')}/turns`])
    assert.equal((await send('GET', path)).statusCode, 422, path)
  for (const path of [`/${idOf('two')}/versions?known=1`, `/${idOf('two')}/turns?ids=${idOf('first')}`])
    assert.equal((await send('GET', path)).statusCode, 404, path)
})

test('a chat request is accepted even if its message cannot be stored', async () => {
  const service = await startConsoleService()
  const { cookie, keep } = await startAs(service)
  await keep('one')
  service.store.documents.put = () => Promise.reject(new Error('The disk is gone.'))
  const headers = { 'x-service-async': '1', 'x-service-turn': [idOf('one'), idOf('answer'), idOf('question')].join('/') }
  const body = { model: 'fake-chat', messages: [{ role: 'user', content: 'hi' }] }
  const accepted = await service.send('POST', '/v1/chat/completions', { cookie, headers, body })
  assert.equal(accepted.statusCode, 202, accepted.body)
  assert.equal(accepted.headers['x-service-turn'], undefined)
})

test('pinned conversations come first, then the most recently changed; a search covers titles and messages', async () => {
  const service = await startConsoleService()
  const { keep, say, list } = await startAs(service)
  for (const [name, pinned] of [
    ['old', false],
    ['pinned', true],
    ['new', false],
  ] as const) {
    await keep(name, `About ${name}`, pinned)
    await service.clock.advance(1000)
  }
  await say('old', 'roar', { content: 'The TIGER sleeps.' })
  const titles = ({ conversations }: ConversationPage) => conversations.map(({ title }) => title)
  assert.deepEqual(titles(await list()), ['About pinned', 'About old', 'About new'])
  assert.deepEqual(titles(await list('?search=tiger')), ['About old'])
  const [found] = (await list('?search=tiger')).conversations
  assert.deepEqual(found?.found, ['The ', 'TIGER', ' sleeps.'])
  await say('new', 'long', { content: `${'🐅'.repeat(30)}Éclair${'🐅'.repeat(90)}` })
  const [long] = (await list('?search=éclair')).conversations
  assert.deepEqual(long?.found, [`…${'🐅'.repeat(20)}`, 'Éclair', '🐅'.repeat(80)])
  await say('new', 'shouted', { content: `${'İ'.repeat(9)} <b>Puma</b> ` })
  const shouted = async (search: string) => (await list(`?search=${encodeURIComponent(search)}`)).conversations[0]?.found
  assert.deepEqual(await shouted('<B>pUMA'), [`${'İ'.repeat(9)} `, '<b>Puma', '</b> '])
  assert.deepEqual(await shouted('İİ <'), [`${'İ'.repeat(7)}`, 'İİ <', 'b>Puma</b> '])
  assert.deepEqual(await shouted('İ <'.toLowerCase()), ['', '', `${'İ'.repeat(9)} <b>Puma</b> `])
  assert.deepEqual(titles(await list('?search=ABOUT%20P')), ['About pinned'])
  assert.equal('found' in ((await list('?search=ABOUT%20P')).conversations[0] ?? {}), false)
  assert.deepEqual(titles(await list('?search=nothing')), [])
  await keep('old', 'Renamed')
  assert.deepEqual(titles(await list()), ['About pinned', 'Renamed', 'About new'])
})

const parameters = {
  ...{ system: 'You are a pirate.', maxTokens: 9, temperature: 0, topP: 1, topK: 0, minP: 0, frequencyPenalty: 0 },
  ...{ presencePenalty: 0, repetitionPenalty: 1, seed: '', stop: '', format: 'text', schema: '', tools: '', toolChoice: 'auto' },
}

test('a conversation is returned with its settings, also after it was renamed in the list', async () => {
  const service = await startConsoleService()
  const { send, keep, open, list } = await startAs(service)
  const settings = { model: 'fake-chat', parameters, preset: idOf('pirate') }
  const kept = await send('PUT', `/${idOf('one')}`, { title: 'One', pinned: false, settings })
  assert.equal(kept.statusCode, 204)
  await keep('one', 'Renamed')
  const { title, settings: found } = await open('one')
  assert.deepEqual([title, found], ['Renamed', settings])
  const [listed] = (await list()).conversations
  assert.ok(listed && !('settings' in listed))
  const refused = await send('PUT', `/${idOf('one')}`, { title: 'One', pinned: false, settings: { ...settings, model: 7 } })
  assert.equal(refused.statusCode, 422)
})

test('a change of a conversation leaves all other fields as they are', async () => {
  const service = await startConsoleService()
  const { send, keep, say, open, list } = await startAs(service)
  const settings = { model: 'fake-chat', parameters }
  const stored = { title: 'One', pinned: true, leaf: idOf('second'), settings, countsFrom: idOf('first') }
  await send('PUT', `/${idOf('one')}`, stored)
  const head = async () => {
    const { title, pinned, leaf, settings: found, countsFrom } = await open('one')
    return { title, pinned, leaf, settings: found, countsFrom }
  }
  let expected: object = stored
  for (const change of [{ title: 'Renamed' }, { pinned: false }, { leaf: idOf('third') }, { pinned: true }, {}, { leaf: null }]) {
    assert.equal((await send('PUT', `/${idOf('one')}`, change)).statusCode, 204)
    expected = { ...expected, ...('leaf' in change && change.leaf === null ? {} : change) }
    assert.deepEqual(await head(), expected)
  }
  // The start of the context belongs to the settings.
  await send('PUT', `/${idOf('one')}`, { settings })
  assert.equal((await open('one')).countsFrom, undefined)
  await send('PUT', `/${idOf('one')}/archived`, { archived: true })
  await send('PUT', `/${idOf('one')}`, { title: 'Renamed again' })
  const archived = async () => (await list('?archived=true')).conversations.map(({ title }) => title)
  assert.deepEqual(await archived(), ['Renamed again'])
  await say('one', 'third')
  assert.deepEqual(await archived(), [])
  assert.equal((await send('PUT', `/${idOf('two')}`, { title: 'Only a name' })).statusCode, 404)
  assert.equal((await keep('two')).statusCode, 204)
})

test('concurrent changes of a conversation are all stored', async () => {
  const service = await startConsoleService()
  const { send, keep, open, list } = await startAs(service)
  await keep('one')
  const changes = [{ title: 'Renamed' }, { pinned: true }, { leaf: idOf('newest') }]
  const sent = [
    ...changes.map((change) => send('PUT', `/${idOf('one')}`, change)),
    send('PUT', `/${idOf('one')}/archived`, { archived: true }),
  ]
  for (const { statusCode } of await Promise.all(sent)) assert.equal(statusCode, 204)
  const { title, pinned, leaf } = await open('one')
  assert.deepEqual([title, pinned, leaf], ['Renamed', true, idOf('newest')])
  assert.equal((await list('?archived=true')).conversations.length, 1)
})

test('a new message restores an archived conversation even if its head changes meanwhile', async () => {
  const service = await startConsoleService()
  const { send, keep, say, open, list } = await startAs(service)
  await keep('one')
  await send('PUT', `/${idOf('one')}/archived`, { archived: true })
  const { documents } = service.store
  const put = documents.put.bind(documents)
  documents.put = async (document, options) => {
    if (document.kind === 'conversation') {
      documents.put = put
      await send('PUT', `/${idOf('one')}`, { title: 'Renamed' })
    }
    return await put(document, options)
  }
  assert.equal((await say('one', 'question')).statusCode, 204)
  assert.equal((await open('one')).title, 'Renamed')
  assert.equal((await list('?archived=true')).conversations.length, 0)
})

test('long lists are paged', async () => {
  const service = await startConsoleService()
  const { keep, list } = await startAs(service)
  for (let index = 0; index < 60; index++) {
    await keep(`c${index}`)
    await service.clock.advance(1)
  }
  const first = await list()
  const second = await list(`?after=${first.next}`)
  const names = [...first.conversations, ...second.conversations].map(({ title }) => title)
  assert.deepEqual(
    names,
    Array.from({ length: 60 }, (_, index) => `c${59 - index}`),
  )
  assert.equal(second.next, null)
})

test('a removed conversation can be restored with its messages for ten minutes, and is deleted afterwards', async () => {
  const service = await startConsoleService()
  const { send, keep, say, list, open } = await startAs(service)
  await keep('one', 'Cats', true)
  await say('one', 'question')
  assert.equal((await send('DELETE', `/${idOf('one')}`)).statusCode, 204)
  assert.deepEqual((await list()).conversations, [])
  assert.deepEqual((await list('?search=question')).conversations, [])
  assert.equal((await send('GET', `/${idOf('one')}`)).statusCode, 404)
  assert.equal((await keep('one')).statusCode, 404, 'saving it again does not restore it')
  assert.equal((await send('POST', `/${idOf('one')}/restore`)).statusCode, 204)
  assert.equal((await keep('one', 'Cats', true)).statusCode, 204)
  await service.clock.advance(11 * 60_000)
  assert.deepEqual([(await open('one')).pinned, (await open('one')).turns.length], [true, 1])
  await send('DELETE', `/${idOf('one')}`)
  await service.clock.advance(11 * 60_000)
  assert.equal((await send('POST', `/${idOf('one')}/restore`)).statusCode, 404)
})

test('late changes from another browser do not restore a removed conversation, even after its ten minutes', async () => {
  const service = await startConsoleService()
  const { send, keep, say, list, open } = await startAs(service)
  for (const name of ['one', 'two']) {
    await keep(name)
    await say(name, 'question')
    await send('DELETE', `/${idOf(name)}`)
  }
  const late = async (name: string) => [(await say(name, 'late')).statusCode, (await keep(name)).statusCode]
  assert.deepEqual(await late('one'), [404, 404])
  await send('POST', `/${idOf('one')}/restore`)
  assert.equal((await open('one')).turns.length, 1, 'the rejected message is not stored')
  await service.clock.advance(20 * 60_000)
  assert.deepEqual(await late('two'), [404, 404])
  assert.deepEqual(
    (await list()).conversations.map(({ title }) => title),
    ['one'],
  )
  assert.deepEqual(await late('one'), [204, 204])
})

test('another user cannot read, write or remove a conversation', async () => {
  const service = await startConsoleService()
  const owner = await startAs(service)
  const { code } = (await service.send('POST', '/console/api/invitations', { cookie: owner.cookie, body: { role: 'member' } })).json()
  const other = await startAs(service, 'eve@example.org', code)
  await owner.keep('one', 'Secret')
  await owner.say('one', 'secret')
  assert.deepEqual((await other.list()).conversations, [])
  assert.deepEqual((await other.list('?search=secret')).conversations, [])
  const refused = [
    other.send('GET', `/${idOf('one')}`),
    other.send('DELETE', `/${idOf('one')}`),
    other.send('POST', `/${idOf('one')}/restore`),
    other.keep('one', 'Mine'),
    other.say('one', 'secret', { content: 'changed' }),
  ]
  for (const answer of await Promise.all(refused)) assert.equal(answer.statusCode, 404, answer.body)
  assert.equal((await other.send('DELETE', `/${idOf('one')}/turns/${idOf('secret')}`)).statusCode, 204)
  const { title, turns } = await owner.open('one')
  assert.deepEqual([title, turns.map(({ content }) => content)], ['Secret', ['secret']])
})

test('owners see the cause of a failed answer, and members do not', async () => {
  const service = await startConsoleService()
  const owner = await startAs(service)
  const { code } = (await service.send('POST', '/console/api/invitations', { cookie: owner.cookie, body: { role: 'member' } })).json()
  const member = await startAs(service, 'eve@example.org', code)
  for (const [person, name, cause] of [
    [owner, 'one', 'out of memory'],
    [member, 'two', undefined],
  ] as const) {
    await person.keep(name)
    await person.say(name, 'failed', { role: 'assistant', state: 'failed', failure: 'It broke.', cause: 'out of memory' })
    const { turns } = await person.open(name)
    const read: ReadTurns = (await person.send('GET', `/${idOf(name)}/turns?ids=${idOf('failed')}`)).json()
    for (const [turn] of [turns, read.turns]) assert.deepEqual([turn?.failure, turn?.cause], ['It broke.', cause])
  }
})

test('a title is stored on one line', async () => {
  const service = await startConsoleService()
  const { keep, open } = await startAs(service)
  assert.equal((await keep('one', ' two\nlines\u0000 ')).statusCode, 204)
  assert.equal((await open('one')).title, 'two lines')
})

test('one message can be deleted', async () => {
  const service = await startConsoleService()
  const { send, keep, say, open } = await startAs(service)
  await keep('one')
  await say('one', 'first')
  await say('one', 'second', { at: 2 })
  await send('DELETE', `/${idOf('one')}/turns/${idOf('first')}`)
  assert.deepEqual(
    (await open('one')).turns.map(({ content }) => content),
    ['second'],
  )
})

test('an account cannot store more than its limit, and the error explains what to do', async () => {
  const service = await startConsoleService()
  const { keep, say } = await startAs(service)
  await keep('one')
  assert.equal((await say('one', 'big', { content: 'x'.repeat(450_000) })).statusCode, 204)
  const answer = await say('one', 'more', { content: 'x'.repeat(100_000) })
  assert.equal(answer.statusCode, 429)
  assert.match(answer.json().error.message, /delete conversations/)
})

const strange: readonly [name: string, path: string, body: object][] = [
  ['an invalid id', '/..%2F..%2Fetc', { title: 'x', pinned: false, leaf: null }],
  ['an id with capitals', `/${'A'.repeat(24)}`, { title: 'x', pinned: false, leaf: null }],
  ['no title', `/${idOf('a')}`, { title: '', pinned: false, leaf: null }],
  ['a title of zero-width characters', `/${idOf('a')}`, { title: ' \u200b\u2060', pinned: false }],
  ['an unknown field', `/${idOf('a')}`, { title: 'x', pinned: false, leaf: null, owner: 'me' }],
  ['an invalid state', `/${idOf('a')}/turns/${idOf('t')}`, { ...turn(), state: 'perfect' }],
  ['a parent that is not an id', `/${idOf('a')}/turns/${idOf('t')}`, { ...turn(), parent: '../x' }],
]

for (const [name, path, body] of strange) {
  test(`rejects ${name}`, async () => {
    const service = await startConsoleService()
    const { send, list } = await startAs(service)
    const { statusCode } = await send('PUT', path, body)
    assert.ok(statusCode === 422 || statusCode === 404, String(statusCode))
    assert.deepEqual((await list()).conversations, [])
  })
}

test('an archived conversation is hidden from the list, found by a search, and restored by a new message', async () => {
  const service = await startConsoleService()
  const { keep, say, list, open, send } = await startAs(service)
  await keep('one', 'Cats', true)
  await say('one', 'question')
  const archive = async (archived: boolean, name = 'one') => (await send('PUT', `/${idOf(name)}/archived`, { archived })).statusCode
  const described = ({ title, pinned, archived }: { title: string; pinned: boolean; archived?: true }) =>
    [title, pinned && 'pinned', archived && 'archived'].filter(Boolean).join(' ')
  const titles = async (query = '') => (await list(query)).conversations.map(described)
  assert.equal(await archive(true), 204)
  assert.deepEqual(
    [await titles(), await titles('?archived=true'), await titles('?search=question')],
    [[], ['Cats pinned archived'], ['Cats pinned archived']],
  )
  assert.equal((await open('one')).turns.length, 1)
  assert.equal(await archive(false), 204)
  assert.deepEqual([await titles(), await titles('?archived=true')], [['Cats pinned'], []])
  assert.equal(await archive(true), 204)
  await keep('one', 'Cats and dogs')
  assert.deepEqual([await titles(), await titles('?archived=true')], [[], ['Cats and dogs archived']])
  await say('one', 'another')
  assert.deepEqual([await titles(), await titles('?archived=true')], [['Cats and dogs'], []])
  await send('DELETE', `/${idOf('one')}`)
  assert.deepEqual([await archive(true), await archive(true, 'other')], [404, 404])
})
