import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../../test/support/console-service.ts'

const signal = new AbortController().signal
const chat = { model: 'fake-chat', messages: [{ role: 'user', content: '[say a secret] now' }], max_tokens: 4 }

async function openLogs() {
  const service = await startConsoleService()
  const owner = await service.join(service.firstCode, 'ada@example.org')
  const { send, join, ownerId } = service
  const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await join(code, 'bob@example.org')
  const { account } = (await send('GET', '/console/api/session', { cookie: member })).json()
  const memberId = String(account.id)
  const path = `/console/api/accounts/${memberId}/request-log`
  const ask = (
    method: 'GET' | 'PUT' | 'DELETE' | 'POST',
    where: string,
    { body, cookie = owner, headers = {} }: { body?: object; cookie?: string; headers?: Record<string, string> } = {},
  ) => send(method, where, { cookie, headers, ...(body && { body }) })
  const on = (body: object = { keepHours: 24 }) => ask('PUT', path, { body })
  const actions = async () => {
    const entries = await service.store.audit.list({ before: null, limit: 50 }, { signal })
    return entries.flatMap(({ action, subject, detail }) => (action.startsWith('request-log') ? [[action, subject, detail]] : [])).reverse()
  }
  /** A chat by the member, and the number of its record. */
  const chatOnce = async () => {
    const answer = await ask('POST', '/v1/chat/completions', { body: chat, cookie: member })
    assert.equal(answer.statusCode, 200)
    await service.bodies[Symbol.asyncDispose]()
    const { requests } = (await ask('GET', '/console/api/requests', { cookie: member })).json()
    return { answer, key: String(requests[0].key), id: String(requests[0].id) }
  }
  return { ...service, owner, member, memberId, ownerId, path, ask, on, actions, chatOnce }
}

describe('the log of an account', () => {
  test('is off until an owner turns it on, and each change is recorded', async () => {
    const { ask, path, on, actions, memberId } = await openLogs()
    assert.deepEqual((await ask('GET', path)).json(), { on: null, bodies: 0, bytes: 0, mostBytes: 1_000_000, mostKeepHours: 48 })
    assert.equal((await on()).json().on.keepMs, 24 * 60 * 60 * 1000)
    assert.equal((await ask('DELETE', path)).json().on, null)
    assert.equal((await ask('DELETE', path)).statusCode, 200)
    const detail = JSON.stringify({ keepMs: 86_400_000, until: null })
    assert.deepEqual(await actions(), [
      ['request-log-on', memberId, detail],
      ['request-log-off', memberId, null],
    ])
  })

  test('cannot be read or changed by members, even for their own account', async () => {
    const { ask, path, member, actions } = await openLogs()
    const body = { keepHours: 24 }
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      assert.equal((await ask(method, path, { cookie: member, ...(method === 'PUT' && { body }) })).statusCode, 403)
    assert.equal((await ask('DELETE', `${path}/bodies`, { cookie: member })).statusCode, 403)
    assert.deepEqual(await actions(), [])
  })

  for (const body of [{ keepHours: 0 }, { keepHours: 49 }, { keepHours: 1.5 }, {}, { keepHours: 1, offAfterHours: -1 }])
    test(`rejects ${JSON.stringify(body)}`, async () => {
      const { on, actions } = await openLogs()
      assert.ok([400, 422].includes((await on(body)).statusCode))
      assert.deepEqual(await actions(), [])
    })

  test('of a missing account gets 404', async () => {
    const { ask } = await openLogs()
    for (const id of ['nobody', 'x'.repeat(300)])
      assert.equal((await ask('GET', `/console/api/accounts/${id}/request-log`)).statusCode, 404)
  })

  test('is shown only to its user', async () => {
    const { ask, on, member } = await openLogs()
    const logOf = async (cookie: string) => (await ask('GET', '/console/api/session', { cookie })).json().requestLog
    assert.equal(await logOf(member), null)
    await on()
    assert.equal((await logOf(member)).keepMs, 86_400_000)
    assert.equal((await ask('GET', '/console/api/session')).json().requestLog, null)
  })
})

describe('logged bodies', () => {
  test('are shown to their user and to owners, and each view is recorded', async () => {
    const { ask, on, chatOnce, member, memberId, actions } = await openLogs()
    await on()
    const { answer, key, id } = await chatOnce()
    assert.equal((await ask('GET', `/console/api/requests/${key}`)).json().logged, true)
    for (const cookie of [undefined, member]) {
      const { bodies } = (await ask('GET', `/console/api/requests/${key}/bodies`, cookie ? { cookie } : {})).json()
      assert.deepEqual(
        bodies.map(({ part, path, status, text, more }: Record<string, unknown>) => [part, path, status, text, more]),
        [
          ['request', '/v1/chat/completions', null, JSON.stringify(chat), false],
          ['answer', null, 200, answer.body, false],
        ],
      )
    }
    const { bodies } = (await ask('GET', `/console/api/requests/${key}/bodies`)).json()
    const file = await ask('GET', `/console/api/requests/${key}/bodies/${bodies[1].id}`, { cookie: member })
    assert.equal(file.body, answer.body)
    assert.equal(file.headers['content-type'], 'application/octet-stream')
    assert.match(String(file.headers['content-disposition']), /^attachment; filename="answer\.json"$/)
    assert.equal((await ask('GET', `/console/api/requests/${key}/bodies/other`, { cookie: member })).statusCode, 404)
    const reads = (await actions()).filter(([action]) => action === 'request-log-read')
    assert.deepEqual(
      reads,
      Array.from({ length: 5 }, () => ['request-log-read', memberId, id]),
    )
  })

  test('of requests with the same id are shown from their own request on', async () => {
    const { ask, on, member, bodies: recorder } = await openLogs()
    await on()
    const say = async (words: string) => {
      const json = { ...chat, messages: [{ role: 'user', content: words }] }
      await ask('POST', '/v1/chat/completions', { body: json, cookie: member, headers: { 'x-request-id': 'mine' } })
      await recorder[Symbol.asyncDispose]()
    }
    await say('first')
    await say('second')
    const { requests } = (await ask('GET', '/console/api/requests', { cookie: member })).json()
    const requested = async (key: string) =>
      (await ask('GET', `/console/api/requests/${key}/bodies`))
        .json()
        .bodies.flatMap(({ part, text }: { part: string; text: string }) =>
          part === 'request' ? [JSON.parse(text).messages[0].content] : [],
        )
    // Both may have ended within one millisecond.
    assert.deepEqual((await requested(requests[1].key)).sort(), ['first', 'second'])
    assert.ok((await requested(requests[0].key)).includes('second'))
  })

  test('are not shown to other members', async () => {
    const { ask, on, chatOnce, send, join, owner } = await openLogs()
    await on()
    const { key } = await chatOnce()
    const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
    const mallory = await join(code, 'mallory@example.org')
    for (const where of [key, `${key}/bodies`, `${key}/bodies/request`])
      assert.equal((await ask('GET', `/console/api/requests/${where}`, { cookie: mallory })).statusCode, 404, where)
  })

  test('are not recorded while the log is off, and are all removed when it is cleared', async () => {
    const { ask, on, chatOnce, path, actions, memberId } = await openLogs()
    const before = await chatOnce()
    assert.equal((await ask('GET', `/console/api/requests/${before.key}`)).json().logged, false)
    assert.deepEqual((await ask('GET', `/console/api/requests/${before.key}/bodies`)).json(), { bodies: [] })
    await on()
    const { key } = await chatOnce()
    assert.equal((await ask('DELETE', path)).json().bodies, 2, 'they are kept when the log is turned off')
    assert.deepEqual((await ask('DELETE', `${path}/bodies`)).json().bodies, 0)
    assert.deepEqual((await ask('GET', `/console/api/requests/${key}/bodies`)).json(), { bodies: [] })
    assert.deepEqual((await actions()).at(-1), ['request-log-deleted', memberId, '2'])
  })

  for (const place of ['0', '999999', '1e3', '-1', '99999999999999999999', '%00', 'x'.repeat(101)])
    test(`of a request at ${place.slice(0, 24)} do not exist`, async () => {
      const { ask } = await openLogs()
      assert.equal((await ask('GET', `/console/api/requests/${place}/bodies`)).statusCode, 404)
    })
})
