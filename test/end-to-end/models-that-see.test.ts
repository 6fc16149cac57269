import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { TextModelDescriptor } from '../../src/core/model.ts'
import type { VisionTower } from '../../src/core/ports/vision-tower.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { unusableModel } from '../../src/runtimes/diffusion/onnx/model-file.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type LlamaModel, loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { openThreadedTower as openTower } from '../../src/runtimes/vision/threaded-tower.ts'
import { finish, submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { ggufValue } from '../support/model-files/gguf-file.ts'
import { writeMmproj } from '../support/model-files/mmproj-file.ts'
import { describeSeeing, families, paintPicture, questions, seeingChat, writeSeeingFiles } from '../support/model-files/seeing-models.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const clock = createSystemClock()
const answers = JSON.parse(await readFile(new URL('../fixtures/vision/answers.json', import.meta.url), 'utf8'))

interface Completion {
  readonly choices: readonly [{ readonly message: { readonly content: string } }]
  readonly usage: { readonly prompt_tokens: number; readonly prompt_tokens_details: { readonly cached_tokens: number } }
}

const readCompletion = async (answer: Response): Promise<Completion> => JSON.parse(await answer.text())

interface Seeing extends AsyncDisposable {
  readonly service: HttpService
}

/** A service with a miniature of every family, in this process. */
async function startSeeing(): Promise<Seeing> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createTemporaryFolder())
  const models: [string, LlamaModel][] = []
  const descriptors = []
  for (const family of families) {
    const descriptor = describeSeeing(family, await writeSeeingFiles(folder.path, family))
    descriptors.push(descriptor)
    models.push([family, opened.use(await loadLlamaModel(descriptor, { threads: 1, slots: 2, openTower, signal }))])
  }
  const pool = createFixedModelPool({ text: Object.fromEntries(models) })
  const service = opened.use(await startHttpService({ catalog: createFakeCatalog(descriptors), pool, worker: true }))
  const kept = opened.move()
  return { service, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

suite('a vision model', () => {
  let seeing: Seeing
  before(async () => {
    seeing = await startSeeing()
  })
  after(() => seeing[Symbol.asyncDispose]())
  const chat = (json: object) => seeing.service.fetch('/v1/chat/completions', { json })

  for (const family of families)
    test(`describes pictures as llama-server does: ${family}`, async () => {
      const said = []
      for (const question of questions) {
        const { choices, usage } = await readCompletion(await chat({ model: family, ...(await seeingChat(question)) }))
        said.push({ text: choices[0].message.content, promptTokens: usage.prompt_tokens })
      }
      assert.deepEqual(said, answers[family])
    })

  for (const model of ['gemma3', 'qwen2.5vl_merger', 'qwen3vl_merger'])
    test(`caches pictures like text, separately for each account: ${model}`, async () => {
      const [question] = questions
      const body = { model, ...(await seeingChat(question)) }
      const unread = async (token = seeing.service.token): Promise<number> => {
        const { usage } = await readCompletion(await seeing.service.fetch('/v1/chat/completions', { json: body, token }))
        return usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens
      }
      const whole = answers[model][0].promptTokens
      await unread()
      assert.equal(await unread(), 1)
      const other = await createAccount({ ...seeing.service.store, clock }, { name: 'Grace', role: 'member' }, { signal })
      assert.equal(await unread(await seeing.service.makeToken(['text'], { accountId: other.id })), whole)
    })

  for (const model of ['gemma3', 'qwen2.5vl_merger', 'qwen3vl_merger'])
    test(`continues a conversation with a picture, and reads a second one: ${model}`, async () => {
      const [first, second] = await Promise.all([paintPicture({ width: 80, height: 80 }), paintPicture({ width: 60, height: 90 })])
      const show = (file: Buffer) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${file.toString('base64')}` } })
      const ask = async (...pictures: readonly Buffer[]) => {
        const messages = pictures.flatMap((file, index) => [
          ...(index === 0 ? [] : [{ role: 'assistant', content: 'A cat.' }]),
          { role: 'user', content: [{ type: 'text', text: 'What is this?' }, show(file)] },
        ])
        const { choices, usage } = await readCompletion(await chat({ model, messages, temperature: 0, max_tokens: 8 }))
        return { text: choices[0].message.content, cached: usage.prompt_tokens_details.cached_tokens }
      }
      const one = await ask(first)
      const two = await ask(first, second)
      assert.ok(two.cached >= 15, `of the first turn ${two.cached} tokens were kept`)
      assert.notEqual((await ask(first, first)).text, two.text)
      assert.equal((await ask(first)).text, one.text)
    })

  test('streams its answer, and works asynchronously', async () => {
    const [question] = questions
    const body = { model: 'mlp', ...(await seeingChat(question)) }
    const streamed = await (await chat({ ...body, stream: true })).text()
    const pieces = streamed.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)
    assert.equal([...pieces].map(([, piece]) => piece).join(''), answers.mlp[0].text)
    const { id } = await submit(seeing.service, body, { 'x-octoai-async': '1' }, '/v1/chat/completions')
    await finish(seeing.service, id)
    const { choices } = await readCompletion(await seeing.service.fetch(`/v1/responses/${id}`))
    assert.equal(choices[0].message.content, answers.mlp[0].text)
  })

  test("works in Responses, Messages and Ollama's chat, with the same number of prompt tokens", async () => {
    const [{ width, height, before }] = questions
    const data = (await paintPicture({ width, height })).toString('base64')
    const expected = answers.mlp[0]
    const post = async (path: string, json: object) => readJson(await seeing.service.fetch(path, { json: { model: 'mlp', ...json } }))
    const shown = { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' }
    const input = [{ role: 'user', content: [{ type: 'input_text', text: before }, shown] }]
    const response = await post('/v1/responses', { input, temperature: 0, max_output_tokens: 24 })
    assert.ok(JSON.stringify(response.output).includes(expected.text), JSON.stringify(response))
    assert.equal(Object(response.usage).input_tokens, expected.promptTokens)
    assert.equal((await post('/v1/responses/input_tokens', { input })).input_tokens, expected.promptTokens)
    const next = { previous_response_id: response.id, input: 'And now?', temperature: 0, max_output_tokens: 4 }
    const cached = Object(Object((await post('/v1/responses', next)).usage).input_tokens_details).cached_tokens
    assert.ok(cached >= expected.promptTokens, `${cached} tokens of the first response were kept`)

    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: before }, image] }]
    const message = await post('/v1/messages', { messages, temperature: 0, max_tokens: 24 })
    assert.deepEqual(Object(message.content)[0].text, expected.text)
    assert.equal((await post('/v1/messages/count_tokens', { messages })).input_tokens, expected.promptTokens)

    const turn = { role: 'user', content: before, images: [data] }
    const chatted = await post('/api/chat', { messages: [turn], stream: false, options: { temperature: 0, num_predict: 24 } })
    assert.ok(Number(chatted.prompt_eval_count) > 16, JSON.stringify(chatted))
  })

  test('rejects by name invalid, damaged and very narrow pictures', async () => {
    const refuse = async (file: Buffer) => {
      const url = `data:image/png;base64,${file.toString('base64')}`
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
      const { code, param, message } = await readError(await chat({ model: 'mlp', messages }))
      return [code, param, message.split(':')[0]]
    }
    const picture = await paintPicture({ width: 64, height: 64 })
    assert.deepEqual(await refuse(Buffer.from('no picture')), ['validation_error', 'messages', 'The image cannot be read'])
    assert.deepEqual(await refuse(picture.subarray(0, picture.length - 40)), ['validation_error', 'messages', 'The image is damaged'])
    assert.deepEqual(await refuse(await paintPicture({ width: 1300, height: 2 })), [
      'validation_error',
      'messages',
      'An image of 1300 × 2 pixels is more than 200 times as long as wide',
    ])
  })

  test('counts picture rows as prompt tokens', async () => {
    const [question] = questions
    const { messages } = await seeingChat(question)
    const { tokens, count } = await readJson(await seeing.service.fetch('/tokenize', { json: { model: 'mlp', messages } }))
    assert.equal(count, answers.mlp[0].promptTokens)
    assert.ok(Array.isArray(tokens))
    assert.equal(tokens.filter((token) => token === -1).length, 16)
  })
})

test('other texts are generated while a picture is encoded', async () => {
  await using folder = await createTemporaryFolder()
  const descriptor = describeSeeing('qwen2.5vl_merger', await writeSeeingFiles(folder.path, 'qwen2.5vl_merger'))
  const began = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const openHeld = async (path: string, options: { readonly threads: number }): Promise<VisionTower> => {
    const tower = await openTower(path, options)
    const look: VisionTower['look'] = async (picture, options) => {
      began.resolve()
      await answered.promise
      return tower.look(picture, options)
    }
    const layOut: VisionTower['layOut'] = (picture, options) => tower.layOut(picture, options)
    const { width, seesAround, makesGrids } = tower
    return { width, seesAround, makesGrids, layOut, look, [Symbol.asyncDispose]: () => tower[Symbol.asyncDispose]() }
  }
  await using model = await loadLlamaModel(descriptor, { threads: 1, slots: 2, openTower: openHeld, signal })
  const pool = createFixedModelPool({ text: { [descriptor.id]: model } })
  await using service = await startHttpService({ catalog: createFakeCatalog([descriptor]), pool })
  const ask = async (content: unknown): Promise<number> => {
    const json = { model: descriptor.id, messages: [{ role: 'user', content }], max_tokens: 2 }
    return (await service.fetch('/v1/chat/completions', { json, signal: AbortSignal.timeout(300_000) })).status
  }
  const url = `data:image/png;base64,${(await paintPicture({ width: 90, height: 90 })).toString('base64')}`
  const picture = ask([{ type: 'image_url', image_url: { url } }])
  await Promise.race([began.promise, picture])
  try {
    assert.equal(await ask('Hi'), 200)
  } finally {
    answered.resolve()
  }
  assert.equal(await picture, 200)
})

test('a model with an unusable projector answers texts, and rejects pictures with the name of the file and the fix', async () => {
  await using folder = await createTemporaryFolder()
  const files = await writeSeeingFiles(folder.path, 'mlp')
  const descriptor = describeSeeing('mlp', files)
  const url = `data:image/png;base64,${(await paintPicture({ width: 90, height: 90 })).toString('base64')}`
  const foreign = writeMmproj('mlp', 256, [['clip.vision.projector_type', ggufValue('pixtral')]])
  for (const [projector, message] of [
    [writeMmproj('mlp', 128), /mmproj-mlp\.gguf is the projector of another model: its vectors have 128 numbers.*; replace it/],
    [writeMmproj('qwen2.5vl_merger', 256), /mmproj-mlp\.gguf is the projector of another model: .* in a grid.*; replace it/],
    [foreign.subarray(0, -1), /mmproj-mlp\.gguf is cut short/],
  ] as const) {
    await writeFile(files.projector, projector)
    const openCounted: typeof openTower = (...file) => {
      openings += 1
      return openTower(...file)
    }
    let openings = 0
    await using model = await loadLlamaModel(descriptor, { threads: 1, slots: 1, openTower: openCounted, signal })
    await using service = await serve(descriptor, model)
    const ask = (content: unknown) => askFor(service, descriptor.id, content)
    assert.equal((await ask('Hi')).status, 200)
    const answer = await ask([{ type: 'image_url', image_url: { url } }])
    assert.equal(answer.status, 500)
    assert.match((await readError(answer)).message, message)
    assert.equal((await ask('Hi')).status, 200)
    assert.equal((await ask([{ type: 'image_url', image_url: { url } }])).status, 500)
    assert.equal(openings, 1)
  }
})

test('a projector that could not be opened for a passing reason is opened for the next picture', async () => {
  await using folder = await createTemporaryFolder()
  const descriptor = describeSeeing('mlp', await writeSeeingFiles(folder.path, 'mlp'))
  const failures = [
    unusableModel('mmproj-mlp.gguf', 'is missing or cannot be read', Object.assign(new Error('Too many files'), { code: 'EMFILE' })),
    unusableModel('mmproj-mlp.gguf', 'does not load', new Error('std::bad_alloc')),
    new Error('The system has no thread left.'),
  ]
  const openSometimes: typeof openTower = async (...file) => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    return openTower(...file)
  }
  await using model = await loadLlamaModel(descriptor, { threads: 1, slots: 1, openTower: openSometimes, signal })
  await using service = await serve(descriptor, model)
  const url = `data:image/png;base64,${(await paintPicture({ width: 90, height: 90 })).toString('base64')}`
  const statuses: number[] = []
  for (const content of ['Hi', ...Array(3).fill([{ type: 'image_url', image_url: { url } }])])
    statuses.push((await askFor(service, descriptor.id, content)).status)
  assert.deepEqual(statuses, [200, 500, 500, 200])
})

function serve(descriptor: TextModelDescriptor, model: LlamaModel): Promise<HttpService> {
  return startHttpService({ catalog: createFakeCatalog([descriptor]), pool: createFixedModelPool({ text: { [descriptor.id]: model } }) })
}

function askFor(service: HttpService, model: string, content: unknown): Promise<Response> {
  return service.fetch('/v1/chat/completions', { json: { model, messages: [{ role: 'user', content }], max_tokens: 2 } })
}
