import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const documents = ['a ship at sea', 'the fox runs', 'a fox']
const requested = { model: 'fake-chat', query: 'a fox', documents }
const names = ['/v1/rerank', '/rerank', '/v1/reranking', '/reranking', '/v2/rerank']

suite('reranking', () => {
  test('documents are sorted by score, under every name of the route, and recorded', async () => {
    await using service = await startHttpService()
    for (const path of names) {
      const answer = await readJson(await service.fetch(path, { json: requested }))
      assert.match(String(answer.id), /^rerank-[0-9a-f]{32}$/)
      assert.deepEqual(
        { ...answer, id: '' },
        {
          id: '',
          object: 'list',
          model: 'fake-chat',
          results: [
            { index: 2, relevance_score: 1 },
            { index: 0, relevance_score: 0.5 },
            { index: 1, relevance_score: 0.5 },
          ],
          usage: { prompt_tokens: 15, total_tokens: 15 },
          meta: { tokens: { input_tokens: 15 } },
        },
      )
    }
    await service.inBooks(names.length)
    for (const entry of service.booked)
      assert.deepEqual([entry.kind, entry.outcome, entry.promptTokens, entry.completionTokens], ['rerank', 'succeeded', 15, 0])
  })

  test('accepts a number of results, a request for texts, and objects instead of texts', async () => {
    await using service = await startHttpService()
    const { results } = await readJson(
      await service.fetch('/v1/rerank', {
        json: { ...requested, documents: documents.map((text) => ({ text })), top_n: 2, return_documents: true },
      }),
    )
    assert.deepEqual(results, [
      { index: 2, relevance_score: 1, document: { text: 'a fox' } },
      { index: 0, relevance_score: 0.5, document: { text: 'a ship at sea' } },
    ])
    const many = await readJson(await service.fetch('/v1/rerank', { json: { ...requested, top_n: 99 } }))
    assert.equal(Array.isArray(many.results) && many.results.length, 3)
  })

  test("`texts` are answered in TEI's format", async () => {
    await using service = await startHttpService()
    const texts = (json: object) => service.fetch('/rerank', { json: { query: 'a fox', texts: documents, ...json } }).then(readJson)
    assert.deepEqual(await texts({ top_n: 1 }), [{ index: 2, score: 1 }])
    assert.deepEqual(await texts({ top_n: 1, return_text: true }), [{ index: 2, score: 1, text: 'a fox' }])
  })

  test('the model is optional if one reranker is installed, and must be a reranker', async () => {
    await using service = await startHttpService()
    const { model: _, ...nameless } = requested
    assert.equal((await readJson(await service.fetch('/v1/rerank', { json: nameless }))).model, 'fake-chat')
    const chat = describeFakeText({ id: 'chat', ranks: false })
    const rankers = ['a', 'b'].map((id) => describeFakeText({ id, generates: false, embeddings: false }))
    await using several = await startHttpService({ catalog: createFakeCatalog([chat, ...rankers]) })
    const choose = (json: object) => several.fetch('/v1/rerank', { json: { ...nameless, ...json } })
    for (const [json, status, code, words] of [
      [{}, 400, 'invalid_request_error', /use one of: a, b\./],
      [{ model: 'chat' }, 400, 'unsupported_parameter', /"chat" cannot rank texts/],
      [{ model: 'c' }, 404, 'model_not_found', /use one of: a, b\./],
    ] as const) {
      const answer = await choose(json)
      const error = await readError(answer)
      assert.deepEqual([answer.status, error.code, error.param], [status, code, 'model'])
      assert.match(error.message, words)
    }
    const generate = await several.fetch('/v1/chat/completions', { json: { model: 'a', messages: [{ role: 'user', content: 'Hi' }] } })
    assert.match((await readError(generate)).message, /does not generate text, only embeddings or scores/)
    await using none = await startHttpService({ catalog: createFakeCatalog([chat]) })
    assert.equal((await none.fetch('/v1/rerank', { json: nameless })).status, 404)
    const listed = await readJson(await several.fetch('/v1/models/a'))
    assert.deepEqual(listed.capabilities, ['rerank'])
  })

  test('invalid requests are rejected by name', async () => {
    await using service = await startHttpService()
    for (const [json, param] of [
      [{ documents: [] }, 'documents'],
      [{ documents: null }, 'documents'],
      [{ documents: 123 }, 'documents'],
      [{ documents: [1, 2, 3] }, 'documents'],
      [{ documents: [''] }, 'documents'],
      [{ documents: [{ text: 'a', title: 'b' }] }, 'documents'],
      [{ documents: Array.from({ length: 2049 }, () => 'a') }, 'documents'],
      [{ query: '' }, 'query'],
      [{ query: ['a'] }, 'query'],
      [{ top_n: 0 }, 'top_n'],
      [{ top_n: 1.5 }, 'top_n'],
      [{ texts: ['a'] }, 'texts'],
      [{ return_text: true }, 'return_text'],
      [{ documents: null, texts: ['a'], return_documents: true }, 'return_documents'],
      [{ rank_fields: ['a'] }, 'rank_fields'],
    ] as const) {
      const answer = await service.fetch('/v1/rerank', { json: { ...requested, ...json } })
      const { param: named } = await readError(answer)
      assert.ok(answer.status === 400 && named?.startsWith(param), `${JSON.stringify(json).slice(0, 80)}: ${answer.status} ${named}`)
    }
    const image = await service.makeToken(['image'])
    assert.equal((await service.fetch('/v1/rerank', { json: requested, token: image })).status, 403)
    assert.equal((await service.fetch('/v1/rerank', { json: requested, token: null })).status, 401)
  })
})
