import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'
import { startConsoleService } from '../../../../test/support/console-service.ts'

const page = openBrowserPage('/')
const { loadSession, session, signIn } = await import('./session.ts')
const { loadModels, models, chatModels, imageRouteOf, modelsOf } = await import('./models.ts')
const { navigate, path, pathBehind } = await import('./router.ts')
const { forgetStored, storedSignal } = await import('./stored.ts')
const { RequestFailure, request, sentenceOf } = await import('../interface/request.ts')

describe('the session of the page, against a running service', async () => {
  const service = await startConsoleService()
  await service.join(service.firstCode, 'ada@example.org')
  let cookie: string | undefined

  beforeEach(() => {
    cookie = undefined
    page.answerWith(async (address, init) => {
      const body = typeof init.body === 'string' ? { body: JSON.parse(init.body) } : {}
      const method = init.method === 'POST' || init.method === 'DELETE' ? init.method : 'GET'
      const answer = await service.send(method, address, { ...body, ...(cookie !== undefined && { cookie }) })
      const set = answer.headers['set-cookie']
      if (set !== undefined) cookie = String(set).split(';')[0]
      return new Response(answer.statusCode === 204 ? null : answer.payload, { status: answer.statusCode })
    })
  })

  it("has no account until a user signs in, and then has the user's account", async () => {
    await loadSession()
    assert.deepEqual(session.value, { state: 'none', ways: { password: true, passkey: false, organisation: null }, greeting: 'welcome' })
    await signIn({ email: 'ada@example.org', password: 'a poet of science' })
    assert.equal(session.value.state === 'signed-in' && session.value.account.email, 'ada@example.org')
    await loadSession()
    assert.equal(session.value.state, 'signed-in')
  })

  it('has no account after a wrong password, and shows the service’s message', async () => {
    await loadSession()
    const failure = await signIn({ email: 'ada@example.org', password: 'a guess of mine' }).catch((error: unknown) => error)
    assert.ok(failure instanceof RequestFailure && failure.status === 401)
    assert.equal(sentenceOf(failure), failure.message)
    assert.equal(session.value.state, 'none')
  })

  it('reads the models of the service, grouped by kind', async () => {
    await signIn({ email: 'ada@example.org', password: 'a poet of science' })
    await loadModels()
    assert.ok((models.value ?? []).length > 0)
    assert.ok(modelsOf('text').every(({ kind }) => kind === 'text'))
    assert.ok(chatModels().some(({ id }) => id === 'fake-chat'))
    assert.equal(imageRouteOf('nobody'), '/generate/sdxl')
    assert.equal(imageRouteOf(undefined), '/generate/sdxl')
  })
})

describe('errors shown by the page', () => {
  for (const [what, answer, code] of [
    ['no answer', async () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
    ["a proxy's HTML page", async () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'unknown'],
    ['JSON without an error', async () => Response.json(['x'], { status: 500 }), 'unknown'],
    ['null', async () => Response.json(null, { status: 500 }), 'unknown'],
    ['an error', async () => Response.json({ error: { code: 'not_found', message: 'There is none.' } }, { status: 404 }), 'not_found'],
  ] as const)
    it(`${what} becomes a message with the code ${code}`, async () => {
      page.answerWith(answer)
      const failure = await request('/x').catch((error: unknown) => error)
      assert.ok(failure instanceof RequestFailure)
      assert.equal(failure.code, code)
      assert.match(failure.message, /\.$/)
    })

  it('an aborted request is not an error of the service', async () => {
    const left = new AbortController()
    page.answerWith(async () => {
      left.abort()
      throw left.signal.reason
    })
    await assert.rejects(request('/x', { signal: left.signal }), { name: 'AbortError' })
  })

  it('does not show the text of unexpected errors', () => {
    assert.doesNotMatch(sentenceOf(new TypeError('x of undefined')), /undefined/)
  })

  it('a session that cannot be read is different from no session', async () => {
    page.answerWith(async () => Promise.reject(new TypeError('fetch failed')))
    await loadSession()
    assert.equal(session.value.state, 'failed')
  })
})

describe('the address of the page', () => {
  it('starts at the chat page', () => assert.equal(path.value, '/console/chat'))

  for (const [address, base, behind] of [
    ['/console/requests/7', '/console/requests', '7'],
    ['/console/requests/a%2Fb', '/console/requests', 'a/b'],
    ['/console/requests', '/console/requests', null],
    ['/console/requests/', '/console/requests', null],
    ['/console/requestsx/7', '/console/requests', null],
    ['/console/requests/100%', '/console/requests', '100%'],
    ['/console/requests/%E0%A4%A', '/console/requests', '%E0%A4%A'],
  ] as const)
    it(`${address} is ${JSON.stringify(behind)} behind ${base}`, () => {
      navigate(address)
      assert.equal(pathBehind(base), behind)
    })
})

describe('preferences stored in this browser', () => {
  const defaults = { steps: 20, prompt: '' }

  for (const [what, text, expected] of [
    ['nothing', undefined, defaults],
    ['some of the fields', '{"steps":30}', { steps: 30, prompt: '' }],
    ['invalid JSON', '{"steps":', defaults],
    ['null', 'null', defaults],
    ['a list', '[1,2]', defaults],
    ['a text', '"x"', defaults],
    ['a field of the wrong type', '{"steps":"many","prompt":"a cat"}', { steps: 20, prompt: 'a cat' }],
    ['an unknown field', '{"colour":"red"}', defaults],
  ] as const)
    it(`are the defaults plus the valid parts of ${what}`, () => {
      if (text === undefined) page.kept.delete('sepia.work.t')
      else page.kept.set('sepia.work.t', text)
      assert.deepEqual(storedSignal('t', defaults).value, expected)
    })

  it('are stored under their own key when they change', () => {
    const stored = storedSignal('u', defaults)
    stored.value = { ...stored.value, prompt: 'a fox' }
    assert.deepEqual(JSON.parse(page.kept.get('sepia.work.u') ?? ''), { steps: 20, prompt: 'a fox' })
    forgetStored()
    assert.equal(page.kept.has('sepia.work.u'), false)
  })

  it('are not stored if the browser forbids storage, and the page still works', async () => {
    page.forbidStorage()
    const stored = storedSignal('v', defaults)
    stored.value = { ...stored.value, steps: 5 }
    assert.equal(stored.value.steps, 5)
    forgetStored()
    const { setTheme, theme } = await import('./theme.ts')
    setTheme('dark')
    assert.equal(theme.value, 'dark')
  })
})
