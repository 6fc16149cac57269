import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ServiceError } from '../../src/core/error.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextRequest } from '../../src/core/text-generation.ts'
import type { FetchPicture } from '../../src/http/body/fetch-pictures.ts'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { finish, submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { paintPicture } from '../support/model-files/seeing-models.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const picture = await paintPicture({ width: 8, height: 8 })
const address = 'https://pictures.example/a.png'
const seen = { type: 'picture', mediaType: 'image/png', base64: picture.toString('base64') }
const model = describeFakeText({ vision: true })

interface Seeing extends HttpService {
  readonly requests: TextRequest[]
}

async function startSeeing(fetchPicture: FetchPicture | null): Promise<Seeing> {
  const requests: TextRequest[] = []
  const fake = createFakeTextModel({ clock: createTestClock() })
  const generate: TextModel['generate'] = (request, options) => {
    requests.push(request)
    return fake.generate(request, options)
  }
  const pool = createFixedModelPool({ text: { [model.id]: { ...fake, generate } } })
  const service = await startHttpService({ catalog: createFakeCatalog([model]), pool, worker: true, overrides: { fetchPicture } })
  return { ...service, requests, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] }
const image = { type: 'image', source: { type: 'url', url: address } }
const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: address }] }
const custom = { type: 'custom_tool_call', call_id: 'c', name: 'look', input: '' }

/** Bodies that name a picture by its address, and the place of that. */
const bodies: readonly (readonly [path: string, body: object, place: string])[] = [
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: address } }] }] },
    'messages[0].content[0].image_url.url',
  ],
  [
    '/v1/responses',
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: address, detail: 'auto' }] }] },
    'input[0].content[0].image_url',
  ],
  ['/v1/responses', { input: [{ role: 'user', content: 'Look.' }, call, output] }, 'input[2].output[0].image_url'],
  ['/v1/responses', { input: [custom, { ...output, type: 'custom_tool_call_output' }] }, 'input[1].output[0].image_url'],
  ['/v1/messages', { messages: [{ role: 'user', content: [image] }], max_tokens: 4 }, 'messages[0].content[0].source.url'],
  [
    '/v1/messages',
    {
      messages: [
        { role: 'user', content: 'Look.' },
        use,
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [image] }] },
      ],
      max_tokens: 4,
    },
    'messages[2].content[0].content[0].source.url',
  ],
  ['/api/chat', { messages: [{ role: 'user', content: 'What is it?', images: [address] }], stream: false }, 'messages[0].images[0]'],
  ['/api/generate', { prompt: 'What is it?', images: [address], stream: false }, 'images[0]'],
]

suite('pictures given by address', () => {
  for (const [path, body, place] of bodies) {
    test(`are fetched if a setting allows it: ${path}, ${place}`, async () => {
      const asked: string[] = []
      await using service = await startSeeing(async (url) => {
        asked.push(url)
        return picture
      })
      const answer = await service.fetch(path, { json: { model: model.id, ...body } })
      assert.equal(answer.status, 200, await answer.text())
      const [request] = service.requests
      assert.ok(request?.input.type === 'chat')
      const { parts = [] } = Object(request.input.messages.at(-1))
      const [{ detail: _, ...shown }] = parts.filter(({ type }: { type: string }) => type === 'picture')
      assert.deepEqual(shown, seen)
      assert.deepEqual(asked, [address])
    })

    test(`are rejected with the name of the setting otherwise: ${path}, ${place}`, async () => {
      await using service = await startSeeing(null)
      const answer = await service.fetch(path, { json: { model: model.id, ...body } })
      assert.equal(answer.status, 400)
      const text = await answer.text()
      assert.ok(text.includes(`\`${place}\` is a web address`) && text.includes('fetch-pictures'), text)
    })
  }

  test('are fetched for asynchronous requests, and once if a request names one twice', async () => {
    let fetches = 0
    await using service = await startSeeing(async () => {
      fetches += 1
      return picture
    })
    const part = { type: 'image_url', image_url: { url: address } }
    const body = { model: model.id, messages: [{ role: 'user', content: [part, part] }] }
    const { id } = await submit(service, body, { 'x-octoai-async': '1' }, '/v1/chat/completions')
    await finish(service, id)
    assert.equal(fetches, 1)
    const { input } = service.requests[0] ?? {}
    assert.deepEqual(input?.type === 'chat' && input.messages[0]?.role === 'user' && input.messages[0].parts, [seen, seen])
  })

  test('are fetched eight at a time for an account, while the others wait', async () => {
    const requests = 20
    let most = 0
    let underWay = 0
    const all = Promise.withResolvers<void>()
    await using service = await startSeeing(async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await all.promise
      underWay -= 1
      return picture
    })
    const json = { model: model.id, ...bodies[0]?.[1] }
    const answers = Array.from({ length: requests }, () => service.fetch('/v1/chat/completions', { json }))
    await service.received(requests)
    // A request that is not fetched for answers after all whose pictures were held up.
    assert.equal((await service.fetch('/v1/models')).status, 200)
    all.resolve()
    for (const answer of answers) assert.equal((await answer).status, 200)
    assert.ok(most <= 8, String(most))
  })

  test('are fetched side by side for one request, and the first failure ends the others', async () => {
    const arrived = Promise.withResolvers<void>()
    const ended: string[] = []
    let count = 0
    await using service = await startSeeing(async (url, { signal }) => {
      count += 1
      if (count % 3 === 0) arrived.resolve()
      await arrived.promise
      if (url.endsWith('bad')) throw new ServiceError('invalid_request_error', 'cannot be fetched: its server answered 404.')
      if (!url.endsWith('slow')) return picture
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise.finally(() => ended.push(url))
    })
    const ask = (...urls: readonly string[]) => {
      const content = urls.map((url) => ({ type: 'image_url', image_url: { url: `https://x.example/${url}` } }))
      return service.fetch('/v1/chat/completions', { json: { model: model.id, messages: [{ role: 'user', content }] } })
    }
    assert.equal((await ask('a', 'b', 'c')).status, 200)
    const { param, message } = await readError(await ask('slow', 'a', 'bad'))
    assert.deepEqual([param, ended], ['messages[0].content[2].image_url.url', ['https://x.example/slow']], message)
  })

  test('are rejected by position if missing, invalid, too many or too large', async () => {
    const fetchPicture: FetchPicture = async (url, { onBytes }) => {
      if (url.endsWith('gone')) throw new ServiceError('invalid_request_error', 'cannot be fetched: its server answered 404.')
      if (url.endsWith('huge')) onBytes(10_000_000)
      if (url.endsWith('large')) return Buffer.concat([picture, Buffer.alloc(1_000_000)])
      return url.endsWith('text') ? Buffer.from('no picture') : picture
    }
    await using service = await startSeeing(fetchPicture)
    const refuse = async (...urls: readonly string[]) => {
      const content = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
      const messages = urls.map((_, index) => ({ role: 'user', content: content.slice(index, index + 1) }))
      const answer = await service.fetch('/v1/chat/completions', { json: { model: model.id, messages } })
      const { code, param, message } = await readError(answer)
      return [answer.status, code, param, message]
    }
    const place = 'messages[0].content[0].image_url.url'
    const fault = ['400', 'invalid_request_error', place]
    assert.deepEqual((await refuse('https://x.example/gone')).map(String), [
      ...fault,
      `\`${place}\` cannot be fetched: its server answered 404.`,
    ])
    assert.deepEqual((await refuse('https://x.example/text')).map(String), [...fault, `\`${place}\` is not a PNG, JPEG, WebP or GIF file.`])
    assert.deepEqual((await refuse('https://x.example/huge')).slice(0, 2), [413, 'payload_too_large'])
    const repeated = await refuse(...Array.from({ length: 20 }, () => 'https://x.example/large'))
    assert.deepEqual(repeated.slice(0, 2), [413, 'payload_too_large'], 'each place counts, as in a body that holds the pictures')
    const many = await refuse(...Array.from({ length: 33 }, (_, index) => `https://x.example/${index}`))
    assert.match(String(many[3]), /^`messages\[32\]\.content\[0\]\.image_url\.url` is one image too many/)
    assert.equal(service.requests.length, 0)
  })
})
