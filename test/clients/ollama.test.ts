import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama'
import { generateText, streamText } from 'ai'
import { Ollama } from 'ollama'
import { createOllama } from 'ollama-ai-provider-v2'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const model = 'smollm2-135m-instruct'
const prompt = 'What is the capital of Japan?'
const answer = 'The capital of Japan is Tokyo.'
const messages = [{ role: 'user', content: prompt }]
const options = { temperature: 0, num_predict: 20 }

suite("the built-in models through Ollama's published clients", () => {
  const stack = new AsyncDisposableStack()
  let url = ''
  let headers: Record<string, string> = {}
  let client = new Ollama()
  before(async () => {
    const folder = stack.use(await createTemporaryFolder())
    const service = stack.use(await startService(folder.path))
    url = service.url
    headers = { Authorization: `Bearer ${/TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1]}` }
    client = new Ollama({ host: url, headers })
  })
  after(() => stack.disposeAsync())

  test('ollama: chats, whole and streamed, and prompts', async () => {
    const whole = await client.chat({ model, messages, options })
    assert.deepEqual([whole.message.content, whole.done_reason], [answer, 'stop'])
    assert.ok(whole.eval_count > 0 && whole.total_duration > 0)
    let text = ''
    for await (const part of await client.chat({ model, messages, options, stream: true })) text += part.message.content
    assert.equal(text, answer)
    assert.equal((await client.generate({ model, prompt, options, stream: false })).response, answer)
  })

  test('ollama: answers that follow a schema, and names with tags', async () => {
    const format = { type: 'object', properties: { age: { type: 'integer', minimum: 0, maximum: 20 } }, required: ['age'] }
    const { message } = await client.chat({ model: 'smollm2:135m-instruct', messages, options: { temperature: 0 }, format })
    assert.deepEqual(Object.keys(JSON.parse(message.content)), ['age'])
  })

  test('ollama: vectors, lists and errors', async () => {
    const { embeddings } = await client.embed({ model: 'all-minilm-l6-v2', input: ['a', 'b'] })
    assert.deepEqual(
      embeddings.map((vector) => vector.length),
      [384, 384],
    )
    assert.deepEqual((await client.list()).models.map(({ name }) => name).toSorted(), ['all-minilm-l6-v2', model])
    assert.ok((await client.ps()).models.some(({ name }) => name === 'all-minilm-l6-v2'))
    assert.equal((await client.show({ model })).details.quantization_level, 'Q4_1')
    await assert.rejects(client.chat({ model: 'nothing', messages }), /There is no text model named "nothing"/)
    await assert.rejects(client.pull({ model: 'llama3.2' }), /hf\.co/)
  })

  test('LangChain', async () => {
    const chat = new ChatOllama({ baseUrl: url, headers, model, temperature: 0, numPredict: 20 })
    assert.equal((await chat.invoke(prompt)).content, answer)
    const embeddings = new OllamaEmbeddings({ baseUrl: url, headers, model: 'all-minilm-l6-v2' })
    assert.equal((await embeddings.embedQuery('a cat')).length, 384)
  })

  test('the ai SDK', async () => {
    const ollama = createOllama({ baseURL: `${url}/api`, headers })
    const request = { model: ollama(model), prompt, temperature: 0, maxOutputTokens: 20, maxRetries: 0 }
    assert.equal((await generateText(request)).text, answer)
    let text = ''
    for await (const part of streamText(request).textStream) text += part
    assert.equal(text, answer)
  })
})
