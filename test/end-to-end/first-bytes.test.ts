import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accountDisabled } from '../../src/core/account.ts'
import { ServiceError } from '../../src/core/error.ts'
import type { TextPart, TextRequest } from '../../src/core/text-generation.ts'
import { orAborted } from '../../src/core/waiting.ts'
import type { FetchPicture } from '../../src/http/body/fetch-pictures.ts'
import { WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { paintPicture } from '../support/model-files/seeing-models.ts'
import { createTestClock } from '../support/test-clock.ts'

const clock = createTestClock()
let requested = Promise.withResolvers<void>()
let gate = Promise.withResolvers<void>()
/** The text of the model before it falls silent. */
let atOnce: readonly TextPart[] = []
const messages = [{ role: 'user', content: 'hi' }]

/** Each stream: what is asked, what it begins with after five seconds, and what follows every ten; null = nothing. */
const streams: readonly [path: string, body: object, first: RegExp, ping: RegExp | null, failure: RegExp][] = [
  ['/v1/chat/completions', { messages }, /^data: .*"content":null.*\n\n$/, null, /^data: \{"error":\{.*\n\n$/],
  ['/v1/completions', { prompt: 'hi' }, /^data: .*"text":"".*\n\n$/, /^: ping\n\n$/, /^data: \{"error":\{.*\n\n$/],
  [
    '/v1/messages',
    { messages, max_tokens: 8 },
    /^event: message_start\n.*\n\nevent: ping\n.*\n\n$/,
    /^event: ping\ndata: \{"type":"ping"\}\n\n$/,
    /^event: error\n.*\n\n$/,
  ],
  ['/v1/responses', { input: 'hi' }, /^event: response\.created\n/, /^: ping\n\n$/, /event: response\.failed\n.*\n\n$/],
  ['/completion', { prompt: 'hi' }, /^: ping\n\n$/, /^: ping\n\n$/, /^data: \{"error":\{.*\n\n$/],
  [
    '/api/chat',
    { messages },
    emptyLine('"message":\\{"role":"assistant","content":""\\}'),
    /"content":"".*\n$/,
    /^\{"error":"Try again\."/,
  ],
  ['/api/generate', { prompt: 'hi' }, emptyLine('"response":""'), /"response":"".*\n$/, /^\{"error":"Try again\."/],
]

function emptyLine(said: string): RegExp {
  return new RegExp(`^\\{"model":"fake-chat","created_at":"[^"]+",${said},"done":false\\}\\n$`)
}

/** Reads the first event of a stream, and the next two, ten seconds apart each, where it has any. */
async function readBeginning(read: () => Promise<string>, first: RegExp, ping: RegExp | null): Promise<void> {
  assert.match(await read(), first)
  for (let round = 0; ping !== null && round < 2; round++) {
    await clock.advance(10_000)
    assert.match(await read(), ping)
  }
}

suite('streams with a late first word', () => {
  let service: HttpService
  before(async () => {
    const model = createFakeTextModel({ clock })
    const generate: typeof model.generate = async function* (request, options) {
      yield* atOnce
      requested.resolve()
      await gate.promise
      yield* model.generate(request, options)
    }
    const drawing = createFakeImageModel({ clock })
    const draw: typeof drawing.generate = async (request, options) => {
      requested.resolve()
      await gate.promise
      return drawing.generate(request, options)
    }
    const image = { 'fake-image': { ...drawing, generate: draw } }
    service = await startHttpService({ clock, pool: createFixedModelPool({ text: { 'fake-chat': { ...model, generate } }, image }) })
  })
  after(() => service[Symbol.asyncDispose]())

  /** Begins a stream, and waits until its model is asked. */
  async function ask(path: string, body: object, before: readonly TextPart[] = []): Promise<{ readonly response: Promise<Response> }> {
    atOnce = before
    requested = Promise.withResolvers()
    gate = Promise.withResolvers()
    const response = service.fetch(path, { json: { model: 'fake-chat', stream: true, ...body } })
    await requested.promise
    return { response }
  }

  for (const [path, body, first, ping] of streams)
    test(`${path} starts after five seconds, and ends as usual`, async () => {
      const { response } = await ask(path, body)
      await clock.advance(5000)
      const answer = await response
      assert.equal(answer.status, 200)
      const read = reader(answer)
      await readBeginning(read, first, ping)
      if (ping === null) await clock.advance(20_000)
      gate.resolve()
      const rest = await toEnd(read)
      assert.doesNotMatch(rest, /^(?:: |event: )ping$/m)
      assert.match(rest, /\[DONE\]|message_stop|response\.completed|"stop":true|"done":true/)
      assert.match(rest, /[a-z]{3,}/)
    })

  const thoughts: readonly TextPart[] = [{ type: 'thoughts', choice: 0, text: 'hm' }]
  const call: readonly TextPart[] = [{ type: 'tool-call', choice: 0, index: 0, id: 'c1', name: 'look' }]
  for (const [what, path, body, said] of [
    ['thoughts are not shown', '/v1/completions', { prompt: 'hi' }, thoughts],
    ['thoughts are not shown', '/v1/messages', { messages, max_tokens: 8 }, thoughts],
    ['thoughts are not shown', '/completion', { prompt: 'hi' }, thoughts],
    ['call is not shown yet', '/api/chat', { messages }, call],
    ['call takes long', '/v1/messages', { messages, max_tokens: 8 }, call],
    ['call takes long', '/v1/responses', { input: 'hi' }, call],
  ] as const)
    test(`${path} sends a sign of work every ten seconds while a model's ${what}`, async () => {
      const { response } = await ask(path, body, said)
      await clock.advance(5000)
      const read = reader(await response)
      const ping = streams.find((each) => each[0] === path)?.[3] ?? /never/
      while (!ping.test(await read())) await clock.advance(10_000)
      await clock.advance(10_000)
      assert.match(await read(), ping)
      gate.resolve()
      assert.match(await toEnd(read), /[a-z]{3,}/)
    })

  test('a stream of pictures starts after five seconds, and sends a sign of work every ten', async () => {
    const { response } = await ask('/v1/images/generations', { model: 'fake-image', prompt: 'a lion' })
    await clock.advance(5000)
    const read = reader(await response)
    for (let round = 0; round < 2; round++) {
      assert.match(await read(), /^: ping\n\n$/)
      await clock.advance(10_000)
    }
    assert.match(await read(), /^: ping\n\n$/)
    gate.resolve()
    assert.match(await toEnd(read), /^event: image_generation\.completed\n/)
  })

  for (const [path, body, , , failure] of streams)
    test(`${path} reports a failure after its start as an event`, async () => {
      const { response } = await ask(path, body)
      await clock.advance(5000)
      const read = reader(await response)
      await read()
      gate.reject(new ServiceError('server_is_overloaded', 'Try again.', { retryAfterSeconds: 1 }))
      assert.match(await toEnd(read), failure)
    })

  for (const [path, body] of streams)
    test(`${path} reports an earlier failure with its own status`, async () => {
      const { response } = await ask(path, body)
      gate.reject(new ServiceError('server_is_overloaded', 'Try again.', { retryAfterSeconds: 1 }))
      assert.equal((await response).status, 503)
    })
})

const picture = await paintPicture({ width: 8, height: 8 })
const base64 = picture.toString('base64')
const url = 'https://pictures.example/a.png'
const image = { type: 'image', source: { type: 'url', url } }

/** Bodies of streams that name a picture by its address. */
const seeing: readonly [path: string, body: object][] = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }], store: true }],
  ['/v1/responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: url, detail: 'auto' }] }] }],
  ['/v1/messages', { messages: [{ role: 'user', content: [image] }], max_tokens: 8 }],
  ['/api/chat', { messages: [{ role: 'user', content: 'What is it?', images: [url] }] }],
  ['/api/generate', { prompt: 'What is it?', images: [url] }],
]

interface Seeing extends AsyncDisposable {
  readonly service: HttpService
  /** What the model was asked. */
  readonly requests: readonly TextRequest[]
  /** The pictures' own server. */
  readonly arrival: PromiseWithResolvers<Uint8Array>
  readonly underWay: WorkUnderWay
  /** Resolves when the model is asked. */
  readonly generated: Promise<void>
  /** Resolves when the fetch has ended. */
  readonly ended: Promise<void>
  /** Begins a stream, and waits until its picture is fetched. */
  begin(path: string, body: object, init?: RequestInit): Promise<{ readonly response: Promise<Response> }>
}

/** @param held What the model waits for. */
async function startSeeing(held: Promise<void> = Promise.resolve()): Promise<Seeing> {
  const requests: TextRequest[] = []
  const underWay = new WorkUnderWay()
  const [asked, generated, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const arrival = Promise.withResolvers<Uint8Array>()
  const fetchPicture: FetchPicture = (_address, { signal }) => {
    asked.resolve()
    return orAborted(arrival.promise, signal).finally(() => ended.resolve())
  }
  const fake = createFakeTextModel({ clock })
  const generate: typeof fake.generate = async function* (request, options) {
    requests.push(request)
    generated.resolve()
    await held
    yield* fake.generate(request, options)
  }
  const service = await startHttpService({
    clock,
    catalog: createFakeCatalog([describeFakeText({ vision: true })]),
    pool: createFixedModelPool({ text: { 'fake-chat': { ...fake, generate } } }),
    overrides: { fetchPicture, underWay },
  })
  return {
    service,
    underWay,
    requests,
    arrival,
    generated: generated.promise,
    ended: ended.promise,
    async begin(path, body, init = {}) {
      const response = service.fetch(path, { ...init, json: { model: 'fake-chat', stream: true, ...body } })
      await Promise.race([asked.promise, response])
      return { response }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

suite('streams whose pictures take long to fetch', () => {
  const rowOf = (path: string) => streams.find((each) => each[0] === path) ?? assert.fail(path)
  for (const [path, body] of seeing) {
    const [, , first, ping] = rowOf(path)
    test(`${path} starts after five seconds, and shows the picture to the model`, async () => {
      await using seen = await startSeeing()
      const { response } = await seen.begin(path, body)
      const answer = await begun(response)
      assert.equal(answer.status, 200)
      const read = reader(answer)
      await readBeginning(read, first, ping)
      assert.equal(seen.requests.length, 0)
      seen.arrival.resolve(picture)
      assert.match(await toEnd(read), /\[DONE\]|message_stop|response\.completed|"done":true/)
      const { input } = seen.requests[0] ?? {}
      const [message] = input?.type === 'chat' ? input.messages : []
      const { parts = [] } = Object(message)
      const [{ detail: _, ...shown }] = parts.filter(({ type }: { type: string }) => type === 'picture')
      assert.deepEqual(shown, { type: 'picture', mediaType: 'image/png', base64 })
    })

    test(`${path} reports a picture that cannot be fetched as an event, once it has started`, async () => {
      await using seen = await startSeeing()
      const { response } = await seen.begin(path, body)
      const read = reader(await begun(response))
      await read()
      seen.arrival.reject(new ServiceError('invalid_request_error', 'cannot be fetched: its server answered 404.'))
      const rest = await toEnd(read)
      assert.match(rest, /"error"/)
      assert.match(rest, /cannot be fetched: its server answered 404\./)
      assert.doesNotMatch(rest, /\[DONE\]|message_stop|response\.completed|"done":true/)
      assert.equal(seen.requests.length, 0)
    })

    test(`${path} reports it with its own status before`, async () => {
      await using seen = await startSeeing()
      const { response } = await seen.begin(path, body)
      await clock.advance(4999)
      seen.arrival.reject(new ServiceError('invalid_request_error', 'cannot be fetched: its server answered 404.'))
      assert.equal((await response).status, 400)
    })

    test(`${path} ends the fetch when the client leaves`, async () => {
      await using seen = await startSeeing()
      const left = new AbortController()
      const { response } = await seen.begin(path, body, { signal: left.signal })
      await begun(response)
      left.abort()
      await seen.ended
      await seen.service.settled(1)
      assert.deepEqual([seen.requests.length, seen.service.failures], [0, []])
    })
  }

  for (const [path, body] of seeing)
    test(`${path} ends with the reason if its account is disabled meanwhile`, async () => {
      await using seen = await startSeeing()
      const { response } = await seen.begin(path, body)
      const read = reader(await begun(response))
      await read()
      seen.underWay.endOfAccount(seen.service.accountId, accountDisabled())
      const rest = await toEnd(read)
      assert.ok(rest.includes(accountDisabled().message.slice(0, 20)), rest)
      await seen.ended
      assert.equal(seen.requests.length, 0)
    })

  test('the time until the picture came counts towards the five seconds', async () => {
    const held = Promise.withResolvers<void>()
    await using seen = await startSeeing(held.promise)
    const [path, body] = seeing[0] ?? assert.fail()
    const { response } = await seen.begin(path, body)
    await clock.advance(4000)
    seen.arrival.resolve(picture)
    await seen.generated
    const answer = await begun(response, 1000)
    held.resolve()
    assert.match(await toEnd(reader(answer)), /\[DONE\]/)
  })

  test('stored conversations hold the picture', async () => {
    for (const [path, body, idOf, at] of [
      [...(seeing[0] ?? assert.fail()), /"id":"(cmpl-\w+)"/, (id: string) => `/v1/chat/completions/${id}/messages`],
      [...(seeing[1] ?? assert.fail()), /"id":"(resp_\w+)"/, (id: string) => `/v1/responses/${id}/input_items`],
    ] as const) {
      await using seen = await startSeeing()
      const { response } = await seen.begin(path, body)
      const read = reader(await begun(response))
      const beginning = await read()
      seen.arrival.resolve(picture)
      const [, id = ''] = idOf.exec(beginning + (await toEnd(read))) ?? []
      const stored = await (await seen.service.fetch(at(id))).text()
      assert.ok(stored.includes(`data:image/png;base64,${base64}`), stored.slice(0, 500))
    }
  })

  test('a request that fails before its stream starts ends the fetch', async () => {
    await using seen = await startSeeing()
    const [path, body] = seeing[0] ?? assert.fail()
    const { response } = await seen.begin(path, { ...body, temperature: 9 })
    assert.equal((await begun(response)).status, 400)
    await seen.ended
  })
})

/** An answer that begins after this time; what is due then may come in several steps. */
async function begun(response: Promise<Response>, ms = 5000): Promise<Response> {
  let isPending = true
  const end = () => {
    isPending = false
  }
  response.then(end, end)
  await clock.advance(ms)
  while (isPending) await clock.advance(0)
  return response
}

/** Reads an answer piece by piece; '' = it has ended. */
function reader(answer: Response): () => Promise<string> {
  const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  return async () => (await pieces?.read().catch(() => undefined))?.value ?? ''
}

async function toEnd(read: () => Promise<string>): Promise<string> {
  let text = ''
  for (let piece = await read(); piece !== ''; piece = await read()) text += piece
  return text
}
