import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ServiceError } from '../../src/core/error.ts'
import type { TextPart } from '../../src/core/text-generation.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
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
      assert.match(await read(), first)
      for (let round = 0; ping !== null && round < 2; round++) {
        await clock.advance(10_000)
        assert.match(await read(), ping)
      }
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
