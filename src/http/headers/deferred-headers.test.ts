import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused } from '../../../test/support/wire/assert-refused.ts'
import { readAsyncMode, refuseAsyncMode } from './async-mode.ts'
import { readDeferredHandling } from './deferred-headers.ts'
import { chooseRequestId } from './request-id.ts'
import { safetyHeadersOf } from './safety-headers.ts'

const body = Buffer.from('{"a":1}')
const read = (headers: Record<string, string>, { route = '/x', bytes = body, privateWebhooks = false } = {}) =>
  readDeferredHandling(headers, { route, body: bytes, privateWebhooks })

suite('headers of asynchronous requests', () => {
  for (const [headers, expected] of [
    [{}, 'off'],
    [{ 'x-service-async': '' }, 'off'],
    [{ 'x-service-async': '0' }, 'off'],
    [{ 'x-service-async': ' FALSE ' }, 'off'],
    [{ 'x-service-async': '1' }, 'header'],
    [{ 'x-service-async': 'True' }, 'header'],
    [{ 'x-other-async': '1' }, 'header'],
    [{ 'x-service-async': '0', 'x-other-async': '1' }, 'header'],
    [{ prefer: 'respond-async' }, 'preference'],
    [{ prefer: 'wait=5, Respond-Async; x=1' }, 'preference'],
    [{ prefer: 'respond-asynchronously' }, 'off'],
    [{ prefer: 'respond-async', 'x-service-async': '1' }, 'header'],
  ] as const)
    test(`${JSON.stringify(headers)} selects ${expected}`, () => assert.equal(readAsyncMode(headers, ['x-other-async']), expected))

  for (const value of ['yes', '2', 'on', '1, 1'])
    test(`the header x-service-async: ${value} is refused`, () => {
      assertRefused(() => readAsyncMode({ 'x-service-async': value }, []), { param: 'x-service-async' })
      assertRefused(() => readAsyncMode({ 'x-other-async': value }, ['x-other-async']), { param: 'x-other-async' })
      assert.equal(readAsyncMode({ 'x-other-async': value }, []), 'off')
    })

  test('routes with only synchronous answers refuse the header and ignore the preference', () => {
    assertRefused(() => refuseAsyncMode({}, 'header'), { code: 'unsupported_parameter', param: 'x-service-async' })
    refuseAsyncMode({ prefer: 'respond-async' }, 'preference')
    refuseAsyncMode({ 'idempotency-key': ' ' }, 'off')
    for (const name of ['x-service-webhook', 'x-service-priority', 'x-service-preview', 'idempotency-key'])
      assertRefused(() => refuseAsyncMode({ [name]: 'x' }, 'off'), { param: name, says: /X-Service-Async: 1/ })
  })
})

suite('the settings of an asynchronous request', () => {
  test('have defaults, also if they are empty', () => {
    const nothing = { priority: 'normal', idempotency: null, webhookUrl: null, previews: false }
    assert.deepEqual(read({}), nothing)
    assert.deepEqual(read({ 'x-service-priority': '', 'idempotency-key': ' ', 'x-service-webhook': '', 'x-service-preview': '' }), nothing)
  })

  for (const [name, values] of [
    ['x-service-priority', ['high', 'LOW', '1']],
    ['x-service-preview', ['yes', '2']],
    ['idempotency-key', ['k'.repeat(256)]],
    [
      'x-service-webhook',
      [
        'example.com',
        'ftp://example.com/',
        'http://example.com/',
        'https://u@example.com/',
        'https://:p@example.com/',
        `https://example.com/${'a'.repeat(2048)}`,
        'https://10.0.0.1/',
        'https://localhost/',
        'https://[64:ff9b::a00:1]/',
      ],
    ],
  ] as const)
    for (const value of values)
      test(`${name}: ${value.slice(0, 40)} is refused by the name of the header`, () =>
        assertRefused(() => read({ [name]: value }), { param: name }))

  test('are read from headers', () => {
    const handling = read({
      'x-service-priority': 'low',
      'x-service-preview': 'true',
      'x-service-webhook': ' https://EXAMPLE.com/hook?a=1 ',
    })
    assert.deepEqual(handling, { priority: 'low', idempotency: null, webhookUrl: 'https://example.com/hook?a=1', previews: true })
    assert.equal(read({ 'x-service-webhook': 'http://10.0.0.1:8080/' }, { privateWebhooks: true }).webhookUrl, 'http://10.0.0.1:8080/')
    assert.equal(read({ 'idempotency-key': 'k'.repeat(255) }).idempotency?.key.length, 255)
  })

  test('an idempotency key is valid for the same bytes and route only', () => {
    const printOf = (options: Parameters<typeof read>[1]) => read({ 'idempotency-key': 'k' }, options).idempotency?.fingerprint
    const print = printOf({})
    assert.match(print ?? '', /^[0-9a-f]{64}$/)
    assert.equal(printOf({}), print)
    const others = [
      { route: '/y' },
      { bytes: Buffer.from('{"a":2}') },
      { bytes: Buffer.from('{"a":1} ') },
      { route: '/x\n{"a":1}', bytes: Buffer.alloc(0) },
    ]
    for (const other of others.slice(0, 3)) assert.notEqual(printOf(other), print)
    assert.equal(new Set(others.map(printOf)).size, others.length)
  })
})

suite('request ids and security headers', () => {
  test("the caller's id is kept under either name if it is well-formed; otherwise a new one is created", () => {
    assert.equal(chooseRequestId({ 'x-request-id': 'a-B_1' }), 'a-B_1')
    assert.equal(chooseRequestId({ 'x-user-request-id': 'mine' }), 'mine')
    assert.equal(chooseRequestId({ 'x-request-id': 'a b', 'x-user-request-id': 'mine' }), 'mine')
    const drawn = ['', 'a b', 'a\nb', 'ü', 'x'.repeat(129), '../x'].map((id) => chooseRequestId({ 'x-request-id': id }))
    for (const id of drawn) assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(new Set(drawn).size, drawn.length)
  })

  test('created request ids are in order of time', (context) => {
    context.mock.timers.enable({ apis: ['Date'] })
    const drawn = Array.from({ length: 10 }, (_, index) => {
      context.mock.timers.setTime(Date.UTC(2026, 0, 1) + index)
      return chooseRequestId({})
    })
    assert.deepEqual(drawn, drawn.toSorted())
  })

  test('responses over HTTPS carry Strict-Transport-Security', () => {
    const headersOf = safetyHeadersOf()
    const safe = { 'x-content-type-options': 'nosniff', 'strict-transport-security': 'max-age=31536000' }
    assert.deepEqual(headersOf('https://a.example'), safe)
    assert.deepEqual(headersOf('http://a.example'), { 'x-content-type-options': 'nosniff' })
    assert.deepEqual(headersOf('https://b.example'), safe)
  })
})
