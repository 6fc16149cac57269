import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createCohere } from '@ai-sdk/cohere'
import { createOpenAI } from '@ai-sdk/openai'
import { OpenAIEmbeddings } from '@langchain/openai'
import { APICallError, cosineSimilarity, embedMany, rerank } from 'ai'
import OpenAI from 'openai'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const model = 'all-minilm-l6-v2'
const query = 'Which animal hunts mice?'
const documents = ['The cargo ship left the harbour.', 'A cat catches mice at night.', 'Interest rates rose again.']
const mostSimilar = 1

suite('the built-in embedding model through published clients', () => {
  const stack = new AsyncDisposableStack()
  let target = { url: '', token: '' }
  before(async () => {
    const folder = stack.use(await createTemporaryFolder())
    const { url, greeting } = stack.use(await startService(folder.path))
    target = { url, token: /TOKEN=(sepia_\w+)/.exec(greeting)?.[1] ?? '' }
  })
  after(() => stack.disposeAsync())

  /** The place of the document whose vector is nearest to that of the query. */
  function nearest([requested = [], ...vectors]: readonly number[][]): number {
    for (const vector of [requested, ...vectors]) assert.equal(vector.length, 384)
    const scores = vectors.map((vector) => cosineSimilarity(requested, vector))
    return scores.indexOf(Math.max(...scores))
  }

  test('openai', async () => {
    const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: target.token, maxRetries: 0 })
    const { data } = await client.embeddings.create({ model, input: [query, ...documents] })
    assert.equal(nearest(data.map(({ embedding }) => embedding)), mostSimilar)
  })

  test('LangChain', async () => {
    const embeddings = new OpenAIEmbeddings({ model, apiKey: target.token, configuration: { baseURL: `${target.url}/v1` }, maxRetries: 0 })
    assert.equal(nearest([await embeddings.embedQuery(query), ...(await embeddings.embedDocuments(documents))]), mostSimilar)
  })

  test('the ai SDK, over OpenAI’s interface', async () => {
    const openAi = createOpenAI({ baseURL: `${target.url}/v1`, apiKey: target.token })
    const { embeddings } = await embedMany({ model: openAi.embedding(model), values: [query, ...documents], maxRetries: 0 })
    assert.equal(nearest(embeddings), mostSimilar)
  })

  test("the ai SDK, over Cohere's interface, gets an error for reranking", async () => {
    const cohere = createCohere({ baseURL: `${target.url}/v2`, apiKey: target.token })
    await assert.rejects(rerank({ model: cohere.reranking(model), query, documents, maxRetries: 0 }), (error: unknown) => {
      assert.ok(APICallError.isInstance(error))
      assert.equal(error.statusCode, 400)
      assert.match(String(error.responseBody), /cannot rank texts; use a reranker/)
      return true
    })
  })
})
