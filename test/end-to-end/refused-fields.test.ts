import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TextRequest } from '../../src/core/text-generation.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { type Answer, startTextServer, works } from '../support/engines/text-server.ts'
import { makeTextRequest } from '../support/text-request.ts'
import { assertRejected } from '../support/wire/assert-refused.ts'

const { signal } = new AbortController()
type Body = Readonly<Record<string, unknown>>
const refuses =
  (says: (body: Body) => string | undefined, code = 400): Answer =>
  (response, text) => {
    const message = says(JSON.parse(text))
    if (message === undefined) works(response, text)
    else response.writeHead(code).end(JSON.stringify({ error: { message } }))
  }
/** TGI looks at a request when its stream has begun. */
const tgi: Answer = (response, text) => {
  if (JSON.parse(text).top_p !== 1) return works(response, text)
  response.end(`data: {"error":"Input validation error: \`top_p\` must be > 0.0 and < 1.0","error_type":"validation"}\n\n`)
}
/** OpenAI's models that think. */
const thinking = refuses(({ max_tokens, temperature }) => {
  if (max_tokens !== undefined)
    return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  return temperature === undefined ? undefined : "Unsupported parameter: 'temperature' is not supported with this model."
})

async function connect(stack: AsyncDisposableStack, answer: Answer) {
  const server = stack.use(await startTextServer(answer))
  const upstream = { url: server.url, model: 'm', keyFile: null, slots: 4 }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs: 2 ** 31 - 1 }))
  return {
    ask: (more: Partial<TextRequest> = {}) => Array.fromAsync(model.generate(makeTextRequest('hello', more), { signal, account: 'a' })),
    bodies: (): Body[] => server.requests.map(({ body }) => JSON.parse(body)),
  }
}
const sampling = (more: Partial<TextRequest['sampling']>) => ({ sampling: { ...makeTextRequest('').sampling, temperature: 1, ...more } })

describe('a harmless field that a server rejects', () => {
  test('is left out from then on (TGI)', async () => {
    await using stack = new AsyncDisposableStack()
    const { ask, bodies } = await connect(stack, tgi)
    assert.equal((await ask(sampling({}))).at(-1)?.type, 'finish')
    await ask(sampling({}))
    await ask(sampling({ topP: 0.5 }))
    assert.deepEqual(
      bodies().map(({ top_p }) => top_p),
      [1, undefined, undefined, 0.5],
    )
  })

  test('is sent under another name, and several are left out (OpenAI)', async () => {
    await using stack = new AsyncDisposableStack()
    const { ask, bodies } = await connect(stack, thinking)
    await ask({ ...sampling({}), maxTokens: 7 })
    await ask({ ...sampling({}), maxTokens: 8 })
    assert.deepEqual(
      bodies().map(({ max_tokens, max_completion_tokens, temperature }) => [max_tokens, max_completion_tokens, temperature]),
      [
        [7, undefined, 1],
        [undefined, 7, 1],
        [undefined, 7, undefined],
        [undefined, 8, undefined],
      ],
    )
  })

  test('is left out if it is the stop strings, at which the answer ends all the same', async () => {
    await using stack = new AsyncDisposableStack()
    const { ask, bodies } = await connect(
      stack,
      refuses(({ stop }) => (stop === undefined ? undefined : "Invalid 'stop': array too long. Expected an array with maximum length 4.")),
    )
    const parts = await ask({ stop: ['ll d'] })
    assert.deepEqual(parts.slice(0, 2), [
      { type: 'text', choice: 0, text: 'we' },
      { type: 'choice-finish', choice: 0, reason: 'stop', stop: 'll d' },
    ])
    await ask({ stop: ['x'] })
    assert.deepEqual(
      bodies().map(({ stop }) => stop),
      [['ll d'], undefined, undefined],
    )
  })

  test('is still sent if it is a list of fewer stop strings', async () => {
    await using stack = new AsyncDisposableStack()
    const { ask, bodies } = await connect(
      stack,
      refuses(({ stop }) =>
        Array.isArray(stop) && stop.length > 4 ? "Invalid 'stop': array too long. Expected an array with maximum length 4." : undefined,
      ),
    )
    const five = ['1', '2', '3', '4', '5']
    for (const stop of [five, ['x'], five]) assert.equal((await ask({ stop })).at(-1)?.type, 'finish')
    assert.deepEqual(
      bodies().map(({ stop }) => stop),
      [five, undefined, ['x'], undefined],
    )
  })

  test('is reported to the client if it changes the answer', async () => {
    await using stack = new AsyncDisposableStack()
    const { ask, bodies } = await connect(stack, thinking)
    await assertRejected(ask(sampling({ temperature: 0.5 })), { code: 'invalid_request_error' })
    assert.equal(bodies().length, 2)
  })

  test('is left out only for the server that rejects it', async () => {
    await using stack = new AsyncDisposableStack()
    const [strict, mild] = [stack.use(await startTextServer(tgi)), stack.use(await startTextServer())]
    const upstream = { url: strict.url, model: 'm', keyFile: null, slots: 4, replicas: [{ url: mild.url, weight: 1 }] }
    const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs: 2 ** 31 - 1 }))
    // Conversations go on until both have met some, the strict one first.
    for (let index = 0; strict.requests.length < 3 || mild.requests.length < 10; index++)
      await Array.fromAsync(model.generate(makeTextRequest(`conversation ${index}`, sampling({})), { signal, account: 'a' }))
    assert.ok(mild.requests.every(({ body }) => JSON.parse(body).top_p === 1))
  })

  test('is kept if an error only repeats its name', async () => {
    await using stack = new AsyncDisposableStack()
    const names = 'top_p, temperature'
    const { ask, bodies } = await connect(
      stack,
      refuses(({ stop }) => (stop === undefined ? undefined : `Not so: ${stop}.`)),
    )
    await assertRejected(ask({ ...sampling({}), stop: [names] }), { code: 'invalid_request_error' })
    await ask(sampling({}))
    assert.equal(bodies().at(-1)?.top_p, 1)
  })
})
