import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { assertRefused } from '../../../../test/support/wire/assert-refused.ts'
import { publishedBodies } from '../chat/sampling-fields.ts'
import { parseFileRequest, readFileName } from '../files/file.ts'
import { parseBatchRequest } from './batch.ts'
import { createBatchWords } from './batch-words.ts'

const catalog = { find: () => undefined, list: () => [] } as never
const { readLine, readWork, encodeFailure } = createBatchWords(
  { catalogFor: () => catalog, clock: createTestClock() },
  { ...publishedBodies, imagePixels: 2 ** 24 },
)
const chat = '/v1/chat/completions'
const line = { custom_id: 'a', method: 'POST', url: chat, body: { model: 'm' } }
const read = (value: unknown) => readLine(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), chat)

suite('lines of batches', () => {
  test('a line has an id and a body', () => {
    assert.deepEqual(read(line), { customId: 'a', body: { model: 'm' } })
    assert.equal(read({ ...line, custom_id: 'ü'.repeat(512) }).customId.length, 512)
  })

  for (const [param, value] of [
    ['custom_id', undefined],
    ['custom_id', ''],
    ['custom_id', 5],
    ['custom_id', 'x'.repeat(513)],
    ['method', 'GET'],
    ['method', undefined],
    ['url', '/v1/embeddings'],
    ['body', undefined],
    ['body', []],
    ['body', 'x'],
    ['headers', {}],
  ] as const)
    test(`${param} of ${JSON.stringify(value)?.slice(0, 20)} is refused`, () =>
      assertRefused(() => read({ ...line, [param]: value }), { param }))

  for (const text of ['', ' ', '{', '{"custom_id":"a","custom_id":"b"}'])
    test(`${JSON.stringify(text)} is refused as invalid JSON`, () => assertRefused(() => read(text), { code: 'invalid_json' }))

  for (const text of ['5', 'null', '[]', '"a"'])
    test(`${text} is refused as a line`, () => assertRefused(() => read(text), { says: /JSON object/ }))

  for (const [endpoint, body, param] of [
    [chat, { model: 'm', messages: [{ role: 'user', content: 'a' }], stream: true }, 'stream'],
    [chat, { model: 'm', messages: [{ role: 'user', content: 'a' }], store: true }, 'store'],
    [chat, { model: 'm', messages: [{ role: 'user', content: 'a' }], metadata: { a: 'b' } }, 'metadata'],
    [chat, { model: 'm' }, 'messages'],
    ['/v1/completions', { model: 'm', prompt: ['a', 'b'] }, 'prompt'],
    ['/v1/completions', { model: 'm', prompt: 'a', stream: true }, 'stream'],
    ['/v1/embeddings', { model: 'm' }, 'input'],
  ] as const)
    test(`${endpoint} with ${JSON.stringify(body)} is refused for its ${param}`, () =>
      assertRefused(() => readWork(body, { endpoint, accountId: 'a' }), { param }))

  test('a failed line has the error that the endpoint would return', () => {
    const { status, body } = encodeFailure({ code: 'model_not_found', message: 'There is none.', param: 'model' })
    assert.deepEqual(
      [status, body],
      [404, { error: { message: 'There is none.', type: 'not_found_error', param: 'model', code: 'model_not_found' } }],
    )
  })
})

suite('requests for batches and files', () => {
  const batch = { input_file_id: 'file-1', endpoint: chat, completion_window: '24h' }

  test('batch files are kept for their own lifetime or the default one', () => {
    assert.equal(parseBatchRequest(batch).filesLifetimeMs, 24 * 3600 * 1000)
    const expiring = parseBatchRequest({ ...batch, output_expires_after: { anchor: 'created_at', seconds: 3600 } })
    assert.equal(expiring.filesLifetimeMs, 3_600_000)
    for (const [param, fields] of [
      ['endpoint', { endpoint: '/v1/images/edits' }],
      ['completion_window', { completion_window: '1h' }],
      ['output_expires_after.seconds', { output_expires_after: { anchor: 'created_at', seconds: 3599 } }],
      ['output_expires_after.anchor', { output_expires_after: { anchor: 'last_used', seconds: 3600 } }],
      ['input_file_id', { input_file_id: '' }],
    ] as const)
      assertRefused(() => parseBatchRequest({ ...batch, ...fields }), { param })
  })

  const form = (fields: Readonly<Record<string, string | readonly string[]>>) =>
    parseFileRequest(new Map(Object.entries(fields).map(([name, value]) => [name, [value].flat()])))

  test('a form contains the purpose and the lifetime of a file', () => {
    assert.deepEqual(form({ purpose: 'batch' }), { purpose: 'batch', lifetimeMs: 30 * 24 * 3600 * 1000 })
    assert.deepEqual(form({ purpose: 'user_data' }), { purpose: 'user_data', lifetimeMs: null })
    const expiring = { purpose: 'user_data', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '7200' }
    assert.equal(form(expiring).lifetimeMs, 7_200_000)
    for (const [param, fields] of [
      ['purpose', {}],
      ['purpose', { purpose: 'batch_output' }],
      ['purpose', { purpose: ['batch', 'batch'] }],
      ['expires_after.seconds', { ...expiring, 'expires_after[seconds]': '1e9' }],
      ['expires_after.anchor', { purpose: 'batch', 'expires_after[seconds]': '7200' }],
      ['expires_after[x]', { ...expiring, 'expires_after[x]': ['1', '2'] }],
    ] as const)
      assertRefused(() => form(fields), { param })
    assertRefused(() => form({ ...expiring, 'expires_after[__proto__]': '1' }), { code: 'unsupported_parameter' })
    assertRefused(() => form({ purpose: 'batch', constructor: '1' }), { code: 'unsupported_parameter', param: 'constructor' })
  })

  for (const [given, kept] of [
    ['a.jsonl', 'a.jsonl'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Users\\x\\b.txt', 'b.txt'],
    ['..', '..'],
    ['a\u0000b\u202e.txt', 'a b .txt'],
    ['  lots   of\tspace ', 'lots of space'],
    ['', 'file'],
    ['dir/', 'file'],
    ['ü'.repeat(300), 'ü'.repeat(255)],
    [`x${'🐯'.repeat(300)}`, `x${'🐯'.repeat(254)}`],
  ] as const)
    test(`the file name ${JSON.stringify(given.slice(0, 20))} is stored as ${JSON.stringify(kept.slice(0, 20))}`, () =>
      assert.equal(readFileName(given), kept))
})
