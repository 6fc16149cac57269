import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { createSystemClock } from '../../../src/composition/system-clock.ts'
import type { DocumentStore } from '../../../src/core/ports/document-store.ts'
import { createBatchWords } from '../../../src/http/wire/batches/batch-words.ts'
import { publishedBodies } from '../../../src/http/wire/chat/sampling-fields.ts'
import { changeAccount, createAccount } from '../../../src/operations/access/accounts.ts'
import { InferenceEvents } from '../../../src/operations/deferred/inference-events.ts'
import { createFakeCatalog } from '../../../src/runtimes/fake/fake-catalog.ts'
import { advanceBatches } from '../../../src/worker/batches/advance-batches.ts'
import { type HttpService, startHttpService } from '../../support/http-service.ts'
import { createMemoryOutputs } from '../../support/memory/create-memory-outputs.ts'
import { unobservedWork } from '../../support/memory/unobserved.ts'

const { signal } = new AbortController()
const clock = createSystemClock()

interface Line {
  readonly id: string
  readonly custom_id: string
  readonly response: {
    readonly status_code: number
    readonly request_id: string
    readonly body: { readonly [name: string]: unknown }
  } | null
  readonly error: { readonly code: string } | null
}

suite('batches', () => {
  const outputs = createMemoryOutputs({ clock })
  const events = new InferenceEvents(clock)
  let service: HttpService
  let client: OpenAI
  before(async () => {
    service = await startHttpService({ worker: true, clock, overrides: { outputs, events }, limits: { maxPending: 20 } })
    client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  })
  after(() => service[Symbol.asyncDispose]())

  const words = createBatchWords({ catalogFor: () => createFakeCatalog(), clock }, { ...publishedBodies, imagePixels: 2 ** 24 })
  let linesRead = 0
  const batchWords: typeof words = {
    ...words,
    readLine(bytes, endpoint) {
      linesRead += 1
      return words.readLine(bytes, endpoint)
    },
  }
  const advance = (documents: DocumentStore = service.store.documents, at: { now(): number } = clock) =>
    advanceBatches(
      {
        ...unobservedWork,
        ...service.store,
        documents,
        outputs,
        events,
        clock: { ...clock, now: () => at.now() },
        maxDocumentBytes: 1e9,
        batchWords,
        onFault: (_, error) => {
          throw error
        },
      },
      { signal },
    )
  const chatBody = (content: string) => ({ model: 'fake-chat', messages: [{ role: 'user', content }] })
  const chatLine = (at: number, content = `Say [say line ${at}]`) =>
    JSON.stringify({ custom_id: `c${at}`, method: 'POST', url: '/v1/chat/completions', body: chatBody(content) })
  const send = async (lines: readonly string[], endpoint: OpenAI.BatchCreateParams['endpoint'] = '/v1/chat/completions') => {
    const file = await client.files.create({ file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'), purpose: 'batch' })
    return client.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h', metadata: { for: 'a test' } })
  }
  const finish = async (id: string) => {
    for (;;) {
      await advance()
      const batch = await client.batches.retrieve(id)
      if (!['validating', 'in_progress', 'cancelling'].includes(batch.status)) return batch
      await new Promise(setImmediate)
    }
  }
  const read = async (id: string | null | undefined): Promise<readonly Line[]> =>
    id == null
      ? []
      : (await (await client.files.content(id)).text())
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))

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
    const kept = await client.files.retrieve(batch.output_file_id ?? '')
    assert.equal(kept.purpose, 'batch_output')
    assert.ok(Math.abs((kept.expires_at ?? 0) - Date.now() / 1000 - 24 * 3600) < 60)
  })

  test('a file is read in parts of any line length, and empty lines count', async () => {
    const short = (at: number) => JSON.stringify({ custom_id: `${at}`, method: 'POST', url: '/v1/chat/completions', body: {} })
    const { id } = await send(Array.from({ length: 3000 }, (_, at) => (at % 2 === 0 ? short(at) : '')))
    const blank = await send(Array.from({ length: 200_000 }, () => ''))
    let [most, before, going, turns] = [0, linesRead, true, 0]
    const watch = (async () => {
      for (; going; turns++) {
        await new Promise(setImmediate)
        most = Math.max(most, linesRead - before)
        before = linesRead
      }
    })()
    await advance()
    going = false
    await watch
    assert.deepEqual((await client.batches.retrieve(id)).request_counts, { total: 1500, completed: 0, failed: 1500 })
    assert.equal((await client.batches.retrieve(blank.id)).status, 'failed')
    assert.ok(most <= 256, `${most} lines in one turn`)
    assert.ok(turns > 700, `${turns} turns for 200 000 empty lines`)
  })

  test('a file is not read again while its lines run', async () => {
    const made = await send([chatLine(0, '[hang]'), chatLine(1).replace('fake-chat', 'nobody'), chatLine(2)])
    await advance()
    const before = linesRead
    for (let round = 0; round < 5; round++) await advance()
    assert.equal(linesRead, before)
    await client.batches.cancel(made.id)
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
    const text = await finish((await send([line('/v1/completions', { model: 'fake-chat', prompt: 'Hi' })], '/v1/completions')).id)
    assert.equal((await read(text.output_file_id))[0]?.response?.body.object, 'text_completion')
    const vectors = await finish((await send([line('/v1/embeddings', { model: 'fake-chat', input: ['Hi', 'Ho'] })], '/v1/embeddings')).id)
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
          '/v1/responses',
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
    const drawn = await finish((await send([line(path, draw), line(path, { ...draw, response_format: 'url' }, 1)], path)).id)
    assert.deepEqual(drawn.request_counts, { total: 2, completed: 1, failed: 1 })
    const { data, ...rest } = Object((await read(drawn.output_file_id))[0]?.response?.body)
    const { data: direct, ...same } = await client.images.generate(draw as OpenAI.ImageGenerateParamsNonStreaming)
    assert.deepEqual(
      [data, { ...rest, created: 0 }],
      [direct, { ...same, created: 0, _request_id: undefined }].map((each) => JSON.parse(JSON.stringify(each))),
    )
  })

  test('a batch draws with a token for images only, and moderates nothing', async () => {
    const file = await client.files.create({ file: await toFile(Buffer.from('{}'), 'in.jsonl'), purpose: 'batch' })
    const wanted = { input_file_id: file.id, completion_window: '24h' } as const
    const reader = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: await service.makeToken(['text']), maxRetries: 0 })
    await assert.rejects(reader.batches.create({ ...wanted, endpoint: '/v1/images/generations' }), {
      status: 403,
      code: 'insufficient_scope',
    })
    await assert.rejects(client.batches.create({ ...wanted, endpoint: '/v1/moderations' }), {
      code: 'unsupported_parameter',
      param: 'endpoint',
    })
  })

  test('an invalid file fails before anything runs, with its lines named', async () => {
    const batch = await finish(
      (await send([chatLine(0), chatLine(0), '{', '[]', chatLine(4).replace('POST', 'GET'), chatLine(5).replace('completions', 'x')])).id,
    )
    assert.equal(batch.status, 'failed')
    assert.deepEqual(
      batch.errors?.data?.map(({ line, param }) => [line, param]),
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
    let batch = await client.batches.retrieve(made.id)
    for (let lucky = 0; batch.status !== 'completed'; lucky = (lucky + 1) % 3) {
      let left = lucky
      const { documents } = service.store
      const dying: DocumentStore = Object.assign(Object.create(documents), {
        put: async (...call: Parameters<DocumentStore['put']>) => {
          if (left-- === 0) throw new Error('killed')
          return documents.put(...call)
        },
      })
      for (const name of ['get', 'list', 'remove', 'sum', 'takeExpired'] as const)
        Object.assign(dying, { [name]: documents[name].bind(documents) })
      await advance(dying).catch((error: Error) => assert.equal(error.message, 'killed'))
      await new Promise(setImmediate)
      batch = await client.batches.retrieve(made.id)
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
    while ((await client.batches.retrieve(made.id)).request_counts?.completed !== 32) {
      await advance()
      await new Promise(setImmediate)
    }
    await advance()
    assert.equal((await client.batches.cancel(made.id)).status, 'cancelling')
    const batch = await finish(made.id)
    assert.equal(batch.status, 'cancelled')
    const ends = (await read(batch.error_file_id)).map(({ custom_id, error }) => [custom_id, error?.code])
    assert.deepEqual(ends[0], ['c32', 'batch_cancelled'])
    assert.equal((await read(batch.output_file_id)).length + ends.length, 34)
    assert.equal((await client.batches.cancel(made.id)).status, 'cancelled')
  })

  test('a batch of a disabled account is cancelled for good and keeps its answers', async () => {
    const eve = await createAccount({ ...service.store, clock }, { name: 'Eve', role: 'member' }, { signal })
    const clientOf = async () => {
      const apiKey = await service.makeToken(['text', 'read'], { accountId: eve.id })
      return new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 })
    }
    const disable = (disabled: boolean) => changeAccount({ ...service.store, clock }, { accountId: eve.id, by: null, disabled }, { signal })
    const before = await clientOf()
    const file = await before.files.create({
      file: await toFile(
        Buffer.from([...Array.from({ length: 32 }, (_, at) => chatLine(at)), chatLine(32, '[hang]')].join('\n')),
        'in.jsonl',
      ),
      purpose: 'batch',
    })
    const make = () => before.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' })
    const made = await make()
    while ((await before.batches.retrieve(made.id)).request_counts?.completed !== 32) {
      await advance()
      await new Promise(setImmediate)
    }
    await advance()
    const fresh = await make()
    await disable(true)
    await advance()
    await disable(false)
    const again = await clientOf()
    for (const { id } of [made, fresh])
      while ((await again.batches.retrieve(id)).status === 'cancelling') {
        await advance()
        await new Promise(setImmediate)
      }
    const ended = await Promise.all([made, fresh].map(({ id }) => again.batches.retrieve(id)))
    assert.deepEqual(
      ended.map(({ status, expired_at, request_counts }) => [status, expired_at, request_counts?.completed]),
      [
        ['cancelled', null, 32],
        ['cancelled', null, 0],
      ],
    )
    assert.ok(ended.every(({ cancelling_at, cancelled_at }) => typeof cancelling_at === 'number' && typeof cancelled_at === 'number'))
    const lines = await (await again.files.content(ended[0]?.output_file_id ?? '')).text()
    assert.equal(lines.trimEnd().split('\n').length, 32)
  })

  test('a batch ends after 24 hours, finished or not', async () => {
    const made = await send([chatLine(0, '[hang]'), chatLine(1, '[hang]')])
    await advance()
    const tomorrow = { now: () => clock.now() + 24 * 60 * 60 * 1000 }
    let batch = await client.batches.retrieve(made.id)
    while (batch.status === 'in_progress') {
      await advance(service.store.documents, tomorrow)
      await new Promise(setImmediate)
      batch = await client.batches.retrieve(made.id)
    }
    assert.equal(batch.status, 'expired')
    assert.equal(batch.request_counts?.failed, 2)
  })

  test('a batch without its file fails with the reason', async () => {
    const made = await send([chatLine(0)])
    await client.files.delete(made.input_file_id)
    assert.equal((await finish(made.id)).status, 'failed')
  })

  test('invalid batches are rejected by name', async () => {
    const file = await client.files.create({ file: await toFile(Buffer.from('x'), 'a'), purpose: 'user_data' })
    const whole = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    for (const [fields, param] of [
      [{}, 'input_file_id'],
      [{ input_file_id: 'file-x' }, 'input_file_id'],
      [{ endpoint: '/v1/moderations' }, 'endpoint'],
      [{ completion_window: '1h' }, 'completion_window'],
      [{ metadata: { a: 1 } }, 'metadata.a'],
      [{ model: 'x' }, 'model'],
    ] as const) {
      const answer = await service.fetch('/v1/batches', { json: { ...whole, ...fields } })
      assert.equal(answer.status, 400)
      assert.equal(JSON.parse(await answer.text()).error.param, param)
    }
    await assert.rejects(client.batches.retrieve('batch_x'), OpenAI.NotFoundError)
    const ids: string[] = []
    for await (const { id } of client.batches.list({ limit: 3 })) ids.push(id)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.length >= 8)
  })
})
