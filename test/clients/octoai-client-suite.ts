import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client, OctoAIClientError, type TEXT_MODELS } from '@octoai/client'
import type { ClientTarget } from './client-target.ts'
import { isEncodedImage } from './encoded-image.ts'

/** The published @octoai/client, unmodified, through every call of its that this service answers. */
export function testOctoaiClient(name: string, start: () => Promise<ClientTarget>): void {
  suite(`@octoai/client against ${name}`, () => {
    let target: ClientTarget
    let client: Client
    before(async () => {
      target = await start()
      client = new Client(target.token)
    })
    after(() => target[Symbol.asyncDispose]())

    const chat = () => ({
      // The client's types know the original service's models only.
      model: target.chatModel as (typeof TEXT_MODELS)[number],
      messages: [{ role: 'user' as const, content: target.question }],
      temperature: 0,
      max_tokens: 24,
    })
    const chatUrl = () => `${target.url}/v1/chat/completions`

    test('infer draws an image', async () => {
      const answer: unknown = await client.infer(`${target.url}/generate/sdxl`, { prompt: 'a tiger', seed: 1, steps: 4 })
      assertImages(answer, [1])
    })

    test('inferAsync, isFutureReady and getFutureResult return the same answer later', async () => {
      const future = await client.inferAsync(`${target.url}/generate/sdxl`, { prompt: 'a tiger', seed: [7, 3], num_images: 2, steps: 4 })
      assert.deepEqual(Object.keys(future).sort(), ['poll_url', 'response_id'])
      await fetch(`${future.poll_url}?wait=60`, { headers: { authorization: `Bearer ${target.token}` } })
      assert.equal(await client.isFutureReady(future), true)
      const answer: unknown = await client.getFutureResult(future)
      assertImages(answer, [7, 3])
      assert.deepEqual(await client.getFutureResult(future), answer)
    })

    test('healthCheck of the health address returns 200', async () => {
      assert.equal(await client.healthCheck(`${target.url}/healthz`), 200)
    })

    test('a chat completion has the fields of the contract', async () => {
      const answer = await client.chat.completions.create(chat(), chatUrl())
      assert.equal(answer.object, 'chat.completion')
      const [choice] = answer.choices
      assert.equal(choice?.message.role, 'assistant')
      assert.ok((choice?.message.content ?? '').length > 0)
      assert.ok(answer.usage !== undefined && answer.usage.total_tokens === answer.usage.prompt_tokens + answer.usage.completion_tokens)
    })

    test('a streamed chat completion has the same content and ends by itself', async () => {
      const whole = await client.chat.completions.create(chat(), chatUrl())
      const stream = await client.chat.completions.create({ ...chat(), stream: true }, chatUrl())
      let text = ''
      let reason: string | null | undefined
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? ''
        reason = choices[0]?.finish_reason
      }
      assert.equal(text, whole.choices[0]?.message.content)
      assert.equal(reason, whole.choices[0]?.finish_reason)
    })

    test('a plain completion continues a prompt', async () => {
      const answer = await client.completions.create(
        { model: target.chatModel, prompt: 'Once upon a time', max_tokens: 8 },
        `${target.url}/v1/completions`,
      )
      assert.equal(typeof answer.choices[0]?.text, 'string')
    })

    test('errors have the status, the message and the request id', async () => {
      await assert.rejects(client.infer(`${target.url}/generate/sdxl`, { prompt: 'a tiger', steps: 0 }), (error: unknown) => {
        assert.ok(error instanceof OctoAIClientError)
        assert.match(error.message, /^Error: 422 .*`steps` must be an integer from 1 to 200.*\(request_id: [\w-]+\)$/)
        return true
      })
      await assert.rejects(new Client('wrong').chat.completions.create(chat(), chatUrl()), /^OctoAIClientError: Error: 401 .*invalid_token/)
      await assert.rejects(client.chat.completions.create({ ...chat(), model: 'llama-2-13b-chat' }, chatUrl()), /404 .*model_not_found/)
    })
  })
}

function assertImages(answer: unknown, seeds: readonly number[]): void {
  assert.ok(typeof answer === 'object' && answer !== null && 'images' in answer && Array.isArray(answer.images))
  assert.deepEqual(
    answer.images.map((image: { seed: unknown }) => image.seed),
    seeds,
  )
  for (const image of answer.images) assert.ok(isEncodedImage(image.image_b64))
}
