import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'

const page = openBrowserPage()
const stored = async () => new Response(null, { status: 204 })
page.answerWith(stored)
const { archiveConversation, changeHead, current, importConversation, listChanges, refreshConversation, removeConversation } = await import(
  './conversations.ts'
)
const { navigate } = await import('../../state/router.ts')

/** Has a conversation that this page has opened, and that another page then deletes. */
async function haveDeletedElsewhere(): Promise<string> {
  page.answerWith(stored)
  importConversation({ title: 'Otters', turns: [] })
  const { id, keeper } = current.value
  await keeper.settled()
  const error = { code: 'not_found', message: 'This conversation does not exist.' }
  page.answerWith(async () => Response.json({ error }, { status: 404 }))
  return id
}

test('a change of a conversation deleted elsewhere fails, each time, and the list is loaded again', async () => {
  const id = await haveDeletedElsewhere()
  const changes = {
    rename: () => changeHead(id, { title: 'Herons' }),
    'rename again': () => changeHead(id, { title: 'Herons' }),
    pin: () => changeHead(id, { pinned: true }),
    archive: () => archiveConversation(id, true),
    remove: () => removeConversation(id),
  }
  for (const [name, change] of Object.entries(changes)) {
    const before = listChanges.value
    await assert.rejects(change, { status: 404 }, name)
    assert.equal(listChanges.value, before + 1, name)
  }
})

test('a change of an opened conversation is sent once, and the list is loaded again', async () => {
  page.answerWith(stored)
  importConversation({ title: 'Otters', turns: [] })
  const { id, keeper } = current.value
  await keeper.settled()
  const [before, sent] = [listChanges.value, page.requested.length]
  await changeHead(id, { title: 'Herons' })
  assert.deepEqual(page.requested.slice(sent), [`PUT /console/api/conversations/${id}`])
  assert.equal(listChanges.value, before + 1)
})

test('only what is renamed or pinned is sent, opened or not, because another page may have moved on', async () => {
  const bodies: object[] = []
  page.answerWith(async (_address, { body }) => {
    bodies.push(JSON.parse(String(body)))
    return new Response(null, { status: 204 })
  })
  importConversation({ title: 'Otters', turns: [] })
  const { id, keeper } = current.value
  await keeper.settled()
  for (const each of [id, 'never-opened']) {
    await changeHead(each, { title: 'Herons' })
    await changeHead(each, { pinned: true })
  }
  const whole = { title: 'Otters', pinned: false, leaf: null }
  assert.deepEqual(bodies, [whole, { title: 'Herons' }, { pinned: true }, { title: 'Herons' }, { pinned: true }])
})

test('a conversation that was deleted and restored elsewhere stores what was written meanwhile', async () => {
  page.answerWith(stored)
  const said = { role: 'user', content: 'Hello', files: [], state: 'done', failure: null, model: null, facts: null } as const
  importConversation({ title: 'Otters', turns: [{ ...said, id: 'q', parent: null, at: 1 }] })
  const conversation = current.value
  await conversation.keeper.settled()
  page.answerWith(async () =>
    Response.json({ error: { code: 'not_found', message: 'This conversation does not exist.' } }, { status: 404 }),
  )
  conversation.rename('Herons')
  await conversation.keeper.settled()
  assert.equal(conversation.keeper.isGone.value, true)
  conversation.rewrite({ ...said, id: 'a', parent: 'q', at: 2 }, 'My own words.')
  const own = conversation.turns.value.at(-1)?.id
  const sent: string[] = []
  page.answerWith(async (address, { method = 'GET' }) => {
    if (method !== 'GET') sent.push(`${method} ${address.split('/').at(-1)}`)
    if (method !== 'GET') return new Response(null, { status: 204 })
    const turns = [{ ...said, id: 'q', parent: null, at: 1 }]
    return Response.json({ title: 'Otters', pinned: false, leaf: 'q', turns, versions: { q: 1 }, version: 3 })
  })
  await refreshConversation()
  await conversation.keeper.settled()
  assert.deepEqual([conversation.keeper.isGone.value, sent], [false, [`PUT ${conversation.id}`, `PUT ${own}`]])
})

test('undoing the deletion of the shown conversation reopens it, unless the user has gone to another page', async () => {
  for (const [left, reopened] of [
    [null, true],
    ['/console/images', false],
  ] as const) {
    page.answerWith(stored)
    importConversation({ title: 'Otters', turns: [] })
    const { id } = current.value
    const undo = await removeConversation(id)
    if (left !== null) navigate(left)
    await undo()
    assert.equal(page.visited.at(-1), reopened ? `/console/chat/${id}` : left)
  }
})
