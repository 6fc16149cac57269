import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { OctoAI, OctoAIClient, OctoAIError } from '@octoai/sdk'
import { readGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import type { ClientTarget } from './client-target.ts'
import { isEncodedImage } from './encoded-image.ts'

/** The published @octoai/sdk, unmodified: images, chat, streams and its error classes. */
export function testOctoaiSdk(name: string, start: () => Promise<ClientTarget>): void {
  suite(`@octoai/sdk against ${name}`, () => {
    let target: ClientTarget
    let client: OctoAIClient
    before(async () => {
      target = await start()
      client = connect(target, target.token)
    })
    after(() => target[Symbol.asyncDispose]())

    const chat = () => ({ model: target.chatModel, messages: [{ role: 'user', content: target.question }], temperature: 0, maxTokens: 24 })

    test('generateSdxl accepts every field that the SDK names', async () => {
      const answer = await client.imageGen.generateSdxl({
        prompt: 'a tiger',
        negativePrompt: 'blurry',
        sampler: 'DDIM',
        steps: 4,
        cfgScale: 4.5,
        numImages: 2,
        seed: [5, 6],
        imageEncoding: 'png',
        useRefiner: false,
      })
      assert.deepEqual(
        answer.images.map(({ seed }) => seed),
        [5, 6],
      )
      for (const { imageB64, removedForSafety } of answer.images) {
        assert.ok(isEncodedImage(imageB64))
        assert.equal(removedForSafety, false)
      }
      assert.ok(answer.predictionTimeMs >= 0)
    })

    test('createChatCompletion returns usage', async () => {
      const answer = await client.textGen.createChatCompletion(chat())
      assert.ok(String(answer.choices[0]?.message.content).length > 0)
      assert.equal(answer.usage.totalTokens, answer.usage.promptTokens + answer.usage.completionTokens)
    })

    test('createChatCompletionStream returns the same text and ends with usage', async () => {
      const whole = await client.textGen.createChatCompletion(chat())
      const stream = await client.textGen.createChatCompletionStream({ ...chat(), streamOptions: { includeUsage: true } })
      let text = ''
      let total: number | undefined
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? ''
        total = chunk.usage?.totalTokens
      }
      assert.equal(text, whole.choices[0]?.message.content)
      assert.equal(total, whole.usage.totalTokens)
    })

    test('an invalid image request raises UnprocessableEntityError with the location of the fault', async () => {
      await assert.rejects(client.imageGen.generateSdxl({ prompt: 'a tiger', steps: 0 }), (error: unknown) => {
        assert.ok(error instanceof OctoAI.imageGen.UnprocessableEntityError)
        const msg = '`steps` must be an integer from 1 to 200.'
        assert.deepEqual(Object.entries(Object(error.body)).at(-1), ['detail', [{ loc: ['body', 'steps'], msg, type: 'range' }]])
        return true
      })
    })

    test('assetLibrary creates, uploads, completes, lists, gets and deletes', async () => {
      const file = new Uint8Array((await readGoldenCheckpoints()).get('lora-peft.safetensors') ?? [])
      const data: OctoAI.assetLibrary.Data = { assetType: 'lora', engine: 'image/stable-diffusion-xl-v1-0', triggerWords: ['sks'] }
      const request = { assetType: 'lora', name: 'my-lora', description: 'a look', data } as const
      const { asset, transferApi } = await client.assetLibrary.create({ ...request, transferApiType: 'presigned-url' })
      assert.ok(transferApi.type === 'presigned-url')
      assert.equal((await fetch(transferApi.putUrl, { method: 'PUT', body: file })).status, 200)
      assert.deepEqual(await client.assetLibrary.completeUpload(asset.id), {})
      const listed = await client.assetLibrary.list({ assetType: ['lora', 'vae'], owner: asset.tenantUuid, limit: 5 })
      assert.deepEqual([listed.total, listed.hasMore, listed.data[0]?.name, listed.data[0]?.status], [1, false, 'my-lora', 'ready'])
      for (const name of [asset.id, 'my-lora', `${asset.tenantUuid}/my-lora`])
        assert.deepEqual((await client.assetLibrary.get(name)).asset.data, { ...data, fileFormat: 'safetensors' })
      assert.equal((await client.assetLibrary.delete(asset.id)).id, asset.id)
      await assert.rejects(client.assetLibrary.get(asset.id), hasStatus(404))
      await assert.rejects(client.assetLibrary.create({ ...request, transferApiType: 'sts' }), (error: unknown) => {
        assert.ok(error instanceof OctoAI.assetLibrary.UnprocessableEntityError)
        return true
      })
    })

    test('a wrong token and an unknown model raise OctoAIError with their status', async () => {
      await assert.rejects(connect(target, 'wrong').textGen.createChatCompletion(chat()), hasStatus(401))
      await assert.rejects(client.textGen.createChatCompletion({ ...chat(), model: 'nobody' }), hasStatus(404))
      await assert.rejects(client.textGen.createChatCompletion({ ...chat(), temperature: 3 }), hasStatus(400))
    })
  })
}

function connect({ url }: ClientTarget, apiKey: string): OctoAIClient {
  return new OctoAIClient({ apiKey, environment: { default: url, imageGen: url, textGen: url } })
}

function hasStatus(status: number): (error: unknown) => boolean {
  return (error) => error instanceof OctoAIError && error.statusCode === status
}
