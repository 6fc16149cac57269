import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { UpstreamConnection } from '../../src/runtimes/upstream/upstream-connection.ts'
import { type Answer, startTextServer, works } from '../support/engines/text-server.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const usage = (counts: object) => event({ choices: [], usage: counts })
const says =
  (...events: readonly string[]): Answer =>
  (response) =>
    response.end(`${events.join('')}data: [DONE]\n\n`)

/** Behaviour of servers that answer every health check but fail before any text is passed on. */
const liars: Readonly<Record<string, Answer>> = {
  'answers every text with 500': (response) => response.writeHead(500).end('{}'),
  'answers 200 with an error': (response) => response.end('{"error":{"message":"CUDA error","code":500}}'),
  'answers 200 with an error as an event': says(event({ error: { message: 'CUDA error' } })),
  'does not know the model': (response) => response.writeHead(404).end('{"error":{"message":"The model `m` does not exist."}}'),
  'has no choices': says(event({ choices: [] }), usage({ prompt_tokens: 3, completion_tokens: 2 })),
  'has malformed choices': says(event({ choices: 'many' })),
  'ends at once': says(),
  'answers nothing': (response) => response.end(),
}

/** A model whose conversations would all start at the faulty server. */
async function connect(stack: AsyncDisposableStack, answer: Answer) {
  const [good, liar] = [stack.use(await startTextServer()), stack.use(await startTextServer(answer))]
  liar.models = (response) => response.end('{"object":"list","data":[{"id":"another"}]}')
  const replicas = [{ url: liar.url, weight: 100 }]
  const upstream = { url: good.url, model: 'm', keyFile: null, slots: 4, replicas }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs: 2 ** 31 - 1 }))
  const ask = async (content: string) => {
    const parts = await Array.fromAsync(model.generate(makeTextRequest(content), { signal, account: 'a' }))
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    assert.equal(text, 'well done')
  }
  return { good, liar, ask }
}

describe('clients get the answer of the good one of two servers if the other', { concurrency: true }, () => {
  for (const [name, answer] of Object.entries(liars))
    test(name, async () => {
      await using stack = new AsyncDisposableStack()
      const { good, liar, ask } = await connect(stack, answer)
      // Conversations go on until some have met the liar first.
      let requested = 0
      for (; requested < 10 || liar.requests.length === 0; requested++) await ask(`conversation ${requested}`)
      assert.equal(good.requests.length, requested)
    })
})

for (const [what, work] of [
  ['says that it is at work', (response: ServerResponse) => response.writeProcessing()],
  ['has worked for a while', (_: ServerResponse, wait: () => void) => wait()],
] as const)
  test(`a request is not repeated if the server ends a kept connection after it ${what}`, async (context) => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer((response) => response.end('done')))
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null }))
    const ask = async () => (await Array.fromAsync(await connection.send('/chat/completions', {}, { signal }))).join('')
    await ask()
    await new Promise(setImmediate) // a connection is free once the end of its answer was read
    const begun = performance.now()
    let waited = 0
    context.mock.method(performance, 'now', () => begun + waited)
    server.answer = (response) => {
      work(response, () => (waited = 60_000))
      setImmediate(() => response.socket?.destroy())
    }
    await assert.rejects(ask(), { code: 'inference_failed' })
    assert.equal(server.requests.length, 2)
  })

test('a server that fails on every text is tried less and less often until it works', async (context) => {
  await using stack = new AsyncDisposableStack()
  const { liar, ask } = await connect(stack, (response) => response.writeHead(500).end('{}'))
  // Whole, so that sums of it are exact.
  const begun = Math.ceil(performance.now())
  let seconds = 0
  context.mock.method(performance, 'now', () => begun + seconds * 1000)
  // A conversation that leads to the liar.
  let name = ''
  for (let index = 0; liar.requests.length === 0; index++) {
    name = `conversation ${index}`
    await ask(name)
  }
  const requestedAt: number[] = []
  for (seconds = 1; seconds <= 240; seconds++) {
    const before = liar.requests.length
    await ask(name)
    if (liar.requests.length > before) requestedAt.push(seconds)
  }
  assert.deepEqual(requestedAt, [5, 15, 35, 75, 135, 195])
  liar.answer = works
  seconds = 300
  const before = liar.requests.length
  for (; seconds < 303; seconds++) await ask(name)
  assert.equal(liar.requests.length, before + 3)
})
