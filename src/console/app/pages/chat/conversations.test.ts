import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'

const page = openBrowserPage()
const stored = async () => new Response(null, { status: 204 })
page.answerWith(stored)
const { archiveConversation, changeHead, current, importConversation, listChanges, removeConversation } = await import('./conversations.ts')

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
