import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import sharp from 'sharp'
import type { ClientTarget } from './client-target.ts'
import { isEncodedImage } from './encoded-image.ts'

/** The published openai client, unmodified: chat, streams, models, images and errors. */
export function testOpenAi(name: string, start: () => Promise<ClientTarget>): void {
  suite(`openai against ${name}`, () => {
    let target: ClientTarget
    let client: OpenAI
    before(async () => {
      target = await start()
      client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: target.token, maxRetries: 0 })
    })
    after(() => target[Symbol.asyncDispose]())

    const chat = () => ({
      model: target.chatModel,
      messages: [{ role: 'user' as const, content: target.question }],
      temperature: 0,
      seed: 1,
      max_completion_tokens: 24,
    })

    test('a chat completion is returned', async () => {
      const answer = await client.chat.completions.create(chat())
      assert.match(answer.id, /^cmpl-[0-9a-f]{32}$/)
      assert.ok((answer.choices[0]?.message.content ?? '').length > 0)
      assert.equal(answer.usage?.prompt_tokens_details?.cached_tokens !== undefined, true)
    })

    test('a streamed chat completion has the same content', async () => {
      const whole = await client.chat.completions.create(chat())
      const stream = client.chat.completions.stream({ ...chat(), stream_options: { include_usage: true } })
      const final = await stream.finalChatCompletion()
      assert.equal(final.choices[0]?.message.content, whole.choices[0]?.message.content)
      assert.equal(final.choices[0]?.message.role, 'assistant')
      assert.equal((await stream.totalUsage()).total_tokens, whole.usage?.total_tokens)
    })

    test('an answer can be sent back as part of the conversation', async () => {
      const { choices } = await client.chat.completions.create(chat())
      const [first] = choices
      assert.ok(first !== undefined)
      const messages = [...chat().messages, first.message, { role: 'user' as const, content: 'And then?' }]
      assert.ok((await client.chat.completions.create({ ...chat(), messages })).choices.length === 1)
    })

    test('the client stays usable after leaving a stream early', async () => {
      const stream = await client.chat.completions.create({ ...chat(), stream: true })
      for await (const _ of stream) break
      assert.equal((await client.chat.completions.create(chat())).choices.length, 1)
    })

    test('a tool call is assembled from a stream of fragments', async () => {
      const tools = [{ type: 'function' as const, function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }]
      const stream = client.chat.completions.stream({ ...chat(), max_completion_tokens: 200, tools, tool_choice: 'required' })
      const [call] = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? []
      assert.ok(call?.type === 'function')
      assert.equal(call.function.name, 'look_up')
      assert.equal(typeof JSON.parse(call.function.arguments), 'object')
    })

    test('a plain completion is streamed', async () => {
      const body = { model: target.chatModel, prompt: 'Once upon a time', max_tokens: 6, temperature: 0, seed: 1 }
      const whole = await client.completions.create(body)
      let text = ''
      for await (const { choices } of await client.completions.create({ ...body, stream: true })) text += choices[0]?.text ?? ''
      assert.equal(text, whole.choices[0]?.text)
    })

    test('embeddings are numbers of unit length', async () => {
      const { data, usage } = await client.embeddings.create({ model: target.chatModel, input: ['one', 'two'] })
      assert.equal(data.length, 2)
      for (const { embedding } of data) assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-3)
      assert.ok(usage.prompt_tokens > 0)
    })

    test('the client has the request id', async () => {
      const { request_id } = await client.models.list().withResponse()
      assert.match(request_id ?? '', /^[\w-]+$/)
    })

    test('models are listed and found by name', async () => {
      const ids = (await client.models.list()).data.map((model) => model.id)
      assert.ok(ids.includes(target.chatModel) && ids.includes(target.imageModel))
      assert.equal((await client.models.retrieve(target.imageModel)).id, target.imageModel)
    })

    test('images are generated in base64', async () => {
      const answer = await client.images.generate({ model: target.imageModel, prompt: 'a tiger', n: 2 })
      assert.equal(answer.data?.length, 2)
      for (const image of answer.data ?? []) assert.ok(isEncodedImage(image.b64_json))
    })

    test('a picture is edited under a mask, varied, and drawn as a stream', async () => {
      const model = target.imageModel
      const picture = await sharp({ create: { width: 64, height: 64, channels: 4, background: '#336699ff' } })
        .png()
        .toBuffer()
      const half = await sharp(picture)
        .extract({ left: 0, top: 0, width: 32, height: 64 })
        .extend({ right: 32, background: '#00000000' })
        .png()
        .toBuffer()
      const file = (bytes: Buffer, name: string) => toFile(bytes, name, { type: 'image/png' })
      const edited = await client.images.edit({
        model,
        prompt: 'a tiger',
        image: await file(picture, 'a.png'),
        mask: await file(half, 'mask.png'),
        n: 2,
      })
      assert.equal(edited.data?.length, 2)
      for (const image of edited.data ?? []) assert.ok(isEncodedImage(image.b64_json))
      const varied = await client.images.createVariation({ model, image: await file(picture, 'a.png') })
      assert.ok(isEncodedImage(varied.data?.[0]?.b64_json))
      const kinds: string[] = []
      for await (const event of await client.images.generate({ model, prompt: 'a tiger', stream: true, partial_images: 2 })) {
        kinds.push(event.type)
        assert.ok(isEncodedImage(event.b64_json))
      }
      assert.equal(kinds.at(-1), 'image_generation.completed')
      assert.ok(kinds.includes('image_generation.partial_image'))
      for await (const event of await client.images.edit({ model, prompt: 'a tiger', image: [await file(picture, 'a.png')], stream: true }))
        assert.equal(event.type, 'image_edit.completed')
      const linked = await client.images.generate({ model, prompt: 'a tiger', response_format: 'url' })
      const shown = await fetch(linked.data?.[0]?.url ?? '')
      assert.ok(isEncodedImage(Buffer.from(await shown.arrayBuffer()).toString('base64')))
      const several = [await file(picture, 'a.png'), await file(picture, 'b.png')]
      await assert.rejects(client.images.edit({ model, prompt: 'a tiger', image: several }), OpenAI.UnprocessableEntityError)
    })

    test('errors become the classes of their status', async () => {
      const refused = { ...chat(), temperature: 3 }
      await assert.rejects(client.chat.completions.create(refused), (error: unknown) => {
        assert.ok(error instanceof OpenAI.BadRequestError)
        assert.equal(error.code, 'invalid_request_error')
        assert.equal(error.param, 'temperature')
        assert.match(error.requestID ?? '', /^[\w-]+$/)
        return true
      })
      await assert.rejects(client.chat.completions.create({ ...chat(), model: 'nobody' }), OpenAI.NotFoundError)
      const stranger = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: 'wrong', maxRetries: 0 })
      await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError)
      await assert.rejects(client.images.generate({ prompt: 'a tiger', n: 17 }), OpenAI.UnprocessableEntityError)
    })
  })
}
