import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const chatModel = 'smollm2-135m-instruct'
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 30 } },
      required: ['city'],
      additionalProperties: false,
    },
  },
}

suite('built-in models', { timeout: 300_000 }, () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let service: ServiceProcess
  let token = ''

  before(async () => {
    folder = await createTemporaryFolder()
    service = await startService(folder.path)
    token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
  })
  after(async () => {
    await service.stop()
    await folder[Symbol.asyncDispose]()
  })

  const send = (path: string, body?: object) =>
    fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const ask = async (content: string, fields: object = {}) => {
    const answer = await send('/v1/chat/completions', {
      model: chatModel,
      messages: [{ role: 'user', content }],
      temperature: 0,
      max_tokens: 24,
      ...fields,
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text).choices[0]
  }

  test('are listed, except a replaced one, which still answers to its name', async () => {
    const { data } = JSON.parse(await (await send('/v1/models')).text())
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      ['all-minilm-l6-v2', 'sepia-mini-image', chatModel],
    )
    assert.equal((await send('/v1/models/sepia-mini-chat')).status, 200)
    const { message } = await ask('What is the capital of France?', { model: 'sepia-mini-chat' })
    assert.match(message.content, /Paris/)
    const unknown = JSON.parse(await (await send('/v1/chat/completions', { model: 'gpt-4o', messages: [] })).text())
    assert.doesNotMatch(unknown.error.message, /sepia-mini-chat/)
  })

  test('chat with the chat template up to its stop token, also streamed', async () => {
    const { message, finish_reason } = await ask('What is the capital of Japan?')
    assert.deepEqual([message.content, finish_reason], ['The capital of Japan is Tokyo.', 'stop'])
    const streamed = await send('/v1/chat/completions', {
      model: chatModel,
      messages: [{ role: 'user', content: 'What is the capital of Japan?' }],
      temperature: 0,
      stream: true,
    })
    const pieces = (await streamed.text()).split('\n').filter((line) => line.startsWith('data: {'))
    const text = pieces.map((piece) => JSON.parse(piece.slice(6)).choices[0]?.delta?.content ?? '').join('')
    assert.equal(text, message.content)
  })

  test('follow a schema and call a tool', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', maxLength: 20 }, age: { type: 'integer', minimum: 0, maximum: 120 } },
      required: ['name', 'age'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } }
    const { message } = await ask('Ada is 36 years old. Who is it?', { response_format: format, max_tokens: 48 })
    const { name, age } = JSON.parse(message.content)
    assert.deepEqual([typeof name, Number.isInteger(age)], ['string', true])

    const called = await ask('What is the weather in Paris?', {
      tools: [weather],
      tool_choice: 'required',
      parallel_tool_calls: false,
      max_tokens: 48,
    })
    const [call] = called.message.tool_calls
    assert.equal(called.finish_reason, 'tool_calls')
    assert.equal(call.function.name, 'get_weather')
    assert.equal(typeof JSON.parse(call.function.arguments).city, 'string')
  })

  test('accept a prompt longer than a batch', async () => {
    const filler = 'The sun rose over the quiet harbour and the boats went out to sea. '.repeat(40)
    const answer = await send('/v1/chat/completions', {
      model: chatModel,
      messages: [{ role: 'user', content: `${filler}\nRepeat the last word of the text.` }],
      max_tokens: 1,
    })
    const { usage } = JSON.parse(await answer.text())
    assert.ok(usage.prompt_tokens > 600 && usage.prompt_tokens < 800, String(usage.prompt_tokens))
  })

  test('return the embeddings of sentence-transformers', async () => {
    const golden = new URL('../fixtures/golden/all-minilm-l6-v2.json', import.meta.url)
    const { vectors }: { vectors: { text: string; vector: string }[] } = JSON.parse(await readFile(golden, 'utf8'))
    const answer = await send('/v1/embeddings', { model: 'all-minilm-l6-v2', input: vectors.map(({ text }) => text) })
    const { data }: { data: { embedding: number[] }[] } = JSON.parse(await answer.text())
    for (const [index, { text, vector }] of vectors.entries()) {
      const bytes = Buffer.from(vector, 'base64')
      const wanted = Array.from({ length: 384 }, (_, place) => bytes.readFloatLE(place * 4))
      const given = data[index]?.embedding ?? []
      const cosine = dot(given, wanted) / Math.sqrt(dot(given, given) * dot(wanted, wanted))
      assert.ok(cosine >= 0.999, `${cosine} of ${JSON.stringify(text)}`)
    }
  })

  test("draw over A1111's interface a file with its parameters", async () => {
    const body = {
      prompt: 'a glossy tiger',
      negative_prompt: 'pizza',
      width: 256,
      height: 256,
      steps: 4,
      seed: 7,
      sampler_name: 'DPM++ 2M Karras',
    }
    const { images, info } = JSON.parse(await (await send('/sdapi/v1/txt2img', body)).text())
    const { width, height, format } = await sharp(Buffer.from(images[0], 'base64')).metadata()
    assert.deepEqual([images.length, width, height, format], [1, 256, 256, 'png'])
    const { infotexts, seed, sampler_name: sampler } = JSON.parse(info)
    assert.deepEqual([seed, sampler], [7, 'DPM++ 2M'])
    const read = JSON.parse(await (await send('/sdapi/v1/png-info', { image: images[0] })).text())
    assert.deepEqual([read.info], infotexts)
    assert.deepEqual(
      [read.parameters.Prompt, read.parameters['Negative prompt'], read.parameters.Steps, read.parameters.Seed, read.parameters['Size-1']],
      ['a glossy tiger', 'pizza', '4', '7', '256'],
    )
    const white = await sharp({ create: { width: 256, height: 256, channels: 3, background: '#fff' } })
      .png()
      .toBuffer()
    const redraw = { ...body, init_images: images, mask: white.toString('base64'), override_settings: { samples_format: 'webp' } }
    const redrawn = JSON.parse(await (await send('/sdapi/v1/img2img', redraw)).text())
    assert.equal((await sharp(Buffer.from(redrawn.images[0], 'base64')).metadata()).format, 'webp')
  })
})

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0)
}
