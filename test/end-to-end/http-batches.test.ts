import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { DocumentStore } from '../../src/core/ports/document-store.ts'
import { changeAccount, createAccount } from '../../src/operations/access/accounts.ts'
import { type BatchObject, type BatchService, startBatchService } from '../support/batches/batch-service.ts'
import type { HttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const { signal } = new AbortController()
const clock = createSystemClock()

suite('batches', () => {
  let batches: BatchService
  let http: HttpService
  before(async () => {
    batches = await startBatchService()
    http = batches.http
  })
  after(() => batches[Symbol.asyncDispose]())

  const advance: BatchService['advance'] = (more) => batches.advance(more)
  const upload: BatchService['upload'] = (content, more) => batches.upload(content, more)
  const send: BatchService['send'] = (lines, more) => batches.send(lines, more)
  const find: BatchService['find'] = (id, token) => batches.find(id, token)
  const cancel: BatchService['cancel'] = (id) => batches.cancel(id)
  const finish: BatchService['finish'] = (id) => batches.finish(id)
  const complete: BatchService['complete'] = (id, lines, token) => batches.complete(id, lines, token)
  const read: BatchService['read'] = (fileId, token) => batches.read(fileId, token)
  const chatBody = (content: string) => ({ model: 'fake-chat', messages: [{ role: 'user', content }] })
  const chatLine = (at: number, content = `Say [say line ${at}]`) =>
    JSON.stringify({ custom_id: `c${at}`, method: 'POST', url: '/v1/chat/completions', body: chatBody(content) })

  test('each line is answered once, in file order, also if the queue is shorter', async () => {
    const made = await send(Array.from({ length: 70 }, (_, at) => chatLine(at)))
    assert.equal(made.status, 'validating')
    assert.deepEqual(made.metadata, { for: 'a test' })
    const batch = await finish(made.id)
    assert.equal(batch.status, 'completed')
    assert.deepEqual(batch.request_counts, { total: 70, completed: 70, failed: 0 })
    const lines = await read(batch.output_file_id)
    assert.deepEqual(
      lines.map(({ custom_id }) => custom_id),
      Array.from({ length: 70 }, (_, at) => `c${at}`),
    )
    for (const { response, custom_id } of lines) {
      assert.equal(response?.status_code, 200)
      assert.equal(response.body.object, 'chat.completion')
      assert.ok(JSON.stringify(response.body).includes(`line ${custom_id.slice(1)}`))
    }
    assert.equal(batch.error_file_id, null)
    const kept = await readJson(await http.fetch(`/v1/files/${batch.output_file_id}`))
    assert.equal(kept.purpose, 'batch_output')
    assert.ok(Math.abs(Number(kept.expires_at) - Date.now() / 1000 - 24 * 3600) < 60)
  })

  test('a file is read in parts of any line length, and empty lines count', async () => {
    const short = (at: number) => JSON.stringify({ custom_id: `${at}`, method: 'POST', url: '/v1/chat/completions', body: {} })
    const { id } = await send(Array.from({ length: 640 }, (_, at) => (at % 2 === 0 ? short(at) : '')))
    const blank = await send(Array.from({ length: 50_000 }, () => ''))
    let [most, before, going, turns] = [0, batches.linesRead, true, 0]
    const watch = (async () => {
      for (; going; turns++) {
        await new Promise(setImmediate)
        most = Math.max(most, batches.linesRead - before)
        before = batches.linesRead
      }
    })()
    await advance()
    going = false
    await watch
    assert.deepEqual((await find(id)).request_counts, { total: 320, completed: 0, failed: 320 })
    assert.equal((await find(blank.id)).status, 'failed')
    assert.ok(most <= 256, `${most} lines in one turn`)
    assert.ok(turns > 180, `${turns} turns for 50 000 empty lines`)
  })

  test('a file is not read again while its lines run', async () => {
    const made = await send([chatLine(0, '[hang]'), chatLine(1).replace('fake-chat', 'nobody'), chatLine(2)])
    await advance()
    const before = batches.linesRead
    for (let round = 0; round < 5; round++) await advance()
    assert.equal(batches.linesRead, before)
    await cancel(made.id)
    assert.equal((await finish(made.id)).status, 'cancelled')
  })

  test('failed lines are in a separate file, with their status', async () => {
    const lines = [
      chatLine(0),
      chatLine(1, '[fail numerical_error]'),
      chatLine(2).replace('fake-chat', 'nobody'),
      chatLine(3).replace('"messages"', '"stream":true,"messages"'),
    ]
    const batch = await finish((await send(lines)).id)
    assert.deepEqual(batch.request_counts, { total: 4, completed: 1, failed: 3 })
    const failed = await read(batch.error_file_id)
    assert.equal(new Set(failed.map(({ id }) => id)).size, 3)
    assert.deepEqual(
      failed.map(({ custom_id, response }) => [custom_id, response?.status_code]),
      [
        ['c1', 500],
        ['c2', 404],
        ['c3', 400],
      ],
    )
    assert.equal((await read(batch.output_file_id)).length, 1)
  })

  test('completions and embeddings have the shape of their own routes', async () => {
    const line = (url: string, body: object) => JSON.stringify({ custom_id: 'x', method: 'POST', url, body })
    const text = await finish(
      (await send([line('/v1/completions', { model: 'fake-chat', prompt: 'Hi' })], { endpoint: '/v1/completions' })).id,
    )
    assert.equal((await read(text.output_file_id))[0]?.response?.body.object, 'text_completion')
    const vectors = await finish(
      (await send([line('/v1/embeddings', { model: 'fake-chat', input: ['Hi', 'Ho'] })], { endpoint: '/v1/embeddings' })).id,
    )
    assert.equal(Object((await read(vectors.output_file_id))[0]?.response?.body.data).length, 2)
  })

  test('responses and images have the shape of their own routes, and reject fields that a batch cannot support', async () => {
    const line = (url: string, body: object, at = 0) => JSON.stringify({ custom_id: `x${at}`, method: 'POST', url, body })
    const ask = { model: 'fake-chat', input: 'Hi [say hello]' }
    const refused = [{ stream: true }, { store: true }, { background: true }, { previous_response_id: `resp_${'0'.repeat(32)}` }]
    const bodies = [ask, ...refused.map((each) => ({ ...ask, ...each }))]
    const texts = await finish(
      (
        await send(
          bodies.map((body, at) => line('/v1/responses', body, at)),
          { endpoint: '/v1/responses' },
        )
      ).id,
    )
    assert.deepEqual(texts.request_counts, { total: 5, completed: 1, failed: 4 })
    const [text] = await read(texts.output_file_id)
    const { object, status, output, store } = Object(text?.response?.body)
    assert.deepEqual([object, status, store, output[0].content[0].text], ['response', 'completed', false, 'hello'])
    const params = (await read(texts.error_file_id)).map(({ response }) => Object(response?.body).error.param)
    assert.deepEqual(params, refused.flatMap(Object.keys))

    const draw = { model: 'fake-image', prompt: 'a lion', n: 2, seed: 7, quality: 'low', output_format: 'jpeg' }
    const path = '/v1/images/generations'
    const drawn = await finish((await send([line(path, draw), line(path, { ...draw, response_format: 'url' }, 1)], { endpoint: path })).id)
    assert.deepEqual(drawn.request_counts, { total: 2, completed: 1, failed: 1 })
    const { data, ...rest } = Object((await read(drawn.output_file_id))[0]?.response?.body)
    const { data: direct, ...same } = await readJson(await http.fetch(path, { json: draw }))
    assert.deepEqual([data, { ...rest, created: 0 }], [direct, { ...same, created: 0 }])
  })

  test('a batch draws with a token for images only, and moderates nothing', async () => {
    const { id } = await upload('{}')
    const create = (endpoint: string, token = http.token) =>
      http.fetch('/v1/batches', { json: { input_file_id: id, completion_window: '24h', endpoint }, token })
    const drawing = await create('/v1/images/generations', await http.makeToken(['text']))
    assert.deepEqual([drawing.status, (await readError(drawing)).code], [403, 'insufficient_scope'])
    const { code, param } = await readError(await create('/v1/moderations'))
    assert.deepEqual([code, param], ['unsupported_parameter', 'endpoint'])
  })

  test('an invalid file fails before anything runs, with its lines named', async () => {
    const batch = await finish(
      (await send([chatLine(0), chatLine(0), '{', '[]', chatLine(4).replace('POST', 'GET'), chatLine(5).replace('completions', 'x')])).id,
    )
    assert.equal(batch.status, 'failed')
    assert.deepEqual(
      batch.errors?.data.map(({ line, param }) => [line, param]),
      [
        [2, 'custom_id'],
        [3, null],
        [4, null],
        [5, 'method'],
        [6, 'url'],
      ],
    )
    assert.equal((await finish((await send([''])).id)).status, 'failed')
  })

  test('a crash at any write loses and repeats nothing', async () => {
    const made = await send(Array.from({ length: 40 }, (_, at) => chatLine(at)))
    let batch = await find(made.id)
    for (let lucky = 0; batch.status !== 'completed'; lucky = (lucky + 1) % 4) {
      let left = lucky
      const { documents } = http.store
      const dying: DocumentStore = Object.assign(Object.create(documents), {
        put: async (...call: Parameters<DocumentStore['put']>) => {
          if (left-- === 0) throw new Error('killed')
          return documents.put(...call)
        },
      })
      for (const name of ['get', 'list', 'remove', 'sum', 'takeExpired'] as const)
        Object.assign(dying, { [name]: documents[name].bind(documents) })
      await advance({ documents: dying }).catch((error: Error) => assert.equal(error.message, 'killed'))
      await new Promise(setImmediate)
      batch = await find(made.id)
    }
    const lines = await read(batch.output_file_id)
    assert.deepEqual(
      lines.map(({ custom_id }) => custom_id),
      Array.from({ length: 40 }, (_, at) => `c${at}`),
    )
    assert.equal(new Set(lines.map(({ response }) => response?.request_id)).size, 40)
    assert.deepEqual(batch.request_counts, { total: 40, completed: 40, failed: 0 })
  })

  test('a cancelled batch keeps its answers and reports the rest', async () => {
    const made = await send([...Array.from({ length: 32 }, (_, at) => chatLine(at)), chatLine(32, '[hang]'), chatLine(33)])
    await complete(made.id, 32)
    await advance()
    assert.equal((await cancel(made.id)).status, 'cancelling')
    const batch = await finish(made.id)
    assert.equal(batch.status, 'cancelled')
    const ends = (await read(batch.error_file_id)).map(({ custom_id, error }) => [custom_id, error?.code])
    assert.deepEqual(ends[0], ['c32', 'batch_cancelled'])
    assert.equal((await read(batch.output_file_id)).length + ends.length, 34)
    assert.equal((await cancel(made.id)).status, 'cancelled')
  })

  test('a batch of a disabled account is cancelled for good and keeps its answers', async () => {
    const eve = await createAccount({ ...http.store, clock }, { name: 'Eve', role: 'member' }, { signal })
    const makeToken = () => http.makeToken(['text', 'read'], { accountId: eve.id })
    const disable = (disabled: boolean) => changeAccount({ ...http.store, clock }, { accountId: eve.id, by: null, disabled }, { signal })
    const before = await makeToken()
    const lines = [...Array.from({ length: 32 }, (_, at) => chatLine(at)), chatLine(32, '[hang]')]
    const made = await send(lines, { token: before })
    await complete(made.id, 32, before)
    await advance()
    const fresh = await send(lines, { token: before })
    await disable(true)
    await advance()
    await disable(false)
    const token = await makeToken()
    for (const { id } of [made, fresh]) while ((await find(id, token)).status === 'cancelling') await advance()
    const ended = await Promise.all([made, fresh].map(({ id }) => find(id, token)))
    assert.deepEqual(
      ended.map(({ status, expired_at, request_counts }) => [status, expired_at, request_counts.completed]),
      [
        ['cancelled', null, 32],
        ['cancelled', null, 0],
      ],
    )
    assert.ok(ended.every(({ cancelling_at, cancelled_at }) => typeof cancelling_at === 'number' && typeof cancelled_at === 'number'))
    assert.equal((await read(ended[0]?.output_file_id ?? null, token)).length, 32)
  })

  test('a batch ends after 24 hours, finished or not', async () => {
    const made = await send([chatLine(0, '[hang]'), chatLine(1, '[hang]')])
    await advance()
    const tomorrow = () => Date.now() + 24 * 60 * 60 * 1000
    let batch = await find(made.id)
    while (batch.status === 'in_progress') {
      await advance({ now: tomorrow })
      await new Promise(setImmediate)
      batch = await find(made.id)
    }
    assert.equal(batch.status, 'expired')
    assert.equal(batch.request_counts.failed, 2)
  })

  test('a batch without its file fails with the reason', async () => {
    const made = await send([chatLine(0)])
    await http.store.documents.remove({ kind: 'file', id: made.input_file_id, accountId: null }, { signal })
    assert.equal((await finish(made.id)).status, 'failed')
  })

  test('the input of a batch is deleted only after the batch has ended', async () => {
    const made = await send([chatLine(0, '[hang]')])
    const remove = () => http.fetch(`/v1/files/${made.input_file_id}`, { method: 'DELETE' })
    for (let round = 0; round < 2; round++) {
      const refused = await remove()
      const { code, message } = await readError(refused)
      assert.deepEqual([refused.status, code], [409, 'not_completed'])
      assert.ok(message.includes(`the input of ${made.id}`), message)
      await advance()
    }
    await cancel(made.id)
    assert.equal((await finish(made.id)).status, 'cancelled')
    assert.equal((await remove()).status, 200)
  })

  test('invalid batches are rejected by name', async () => {
    const { id } = await upload('x', { purpose: 'user_data' })
    const whole = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    for (const [fields, param] of [
      [{}, 'input_file_id'],
      [{ input_file_id: 'file-x' }, 'input_file_id'],
      [{ endpoint: '/v1/moderations' }, 'endpoint'],
      [{ completion_window: '1h' }, 'completion_window'],
      [{ metadata: { a: 1 } }, 'metadata.a'],
      [{ model: 'x' }, 'model'],
    ] as const) {
      const answer = await http.fetch('/v1/batches', { json: { ...whole, ...fields } })
      assert.deepEqual([answer.status, (await readError(answer)).param], [400, param])
    }
    for (const unknown of ['batch_x', '%00']) assert.equal((await http.fetch(`/v1/batches/${unknown}`)).status, 404)
  })

  test('an account has at most 50 open batches', async () => {
    const eve = await createAccount({ ...http.store, clock }, { name: 'Eve', role: 'member' }, { signal })
    const token = await http.makeToken(['text'], { accountId: eve.id })
    const { id } = await upload(chatLine(0), { token })
    const json = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const made: string[] = []
    for (let at = 0; at < 50; at++) made.push(String((await readJson(await http.fetch('/v1/batches', { json, token }))).id))
    const refused = await http.fetch('/v1/batches', { json, token })
    assert.deepEqual([refused.status, (await readError(refused)).code], [429, 'concurrency_limit_exceeded'])
    assert.equal(refused.headers.get('retry-after'), '60')
    const seen: string[] = []
    for (let after: string | undefined; ; after = seen.at(-1)) {
      const path = after === undefined ? '' : `&after=${after}`
      const { data, has_more: more } = await readJson(await http.fetch(`/v1/batches?limit=20${path}`, { token }))
      seen.push(...Object(data).map((batch: BatchObject) => batch.id))
      if (more !== true) break
    }
    assert.deepEqual(seen.toSorted(), made.toSorted())
    assert.equal((await readJson(await http.fetch('/v1/batches?limit=1'))).has_more, true)
  })
})
