import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { asSent } from '../../../../test/support/wire/as-sent.ts'
import { assertRefused } from '../../../../test/support/wire/assert-refused.ts'
import { encodeRanking, rerankSchema, textRankSchema } from './rerank-answers.ts'
import { parseRerankRequest } from './rerank-request.ts'

const base = { query: 'q', documents: ['a', { text: 'b' }, 'c'] }

suite('reranking', () => {
  test('documents are read in every format, and the number of results is at most the number of documents', () => {
    assert.deepEqual(parseRerankRequest(base), {
      model: undefined,
      query: 'q',
      documents: ['a', 'b', 'c'],
      most: 3,
      withTexts: false,
      words: 'jina',
    })
    const tei = parseRerankRequest({ model: 'm', query: 'q', texts: ['a'], return_text: true, top_n: 9 })
    assert.deepEqual(tei, { model: 'm', query: 'q', documents: ['a'], most: 1, withTexts: true, words: 'tei' })
    assert.equal(parseRerankRequest({ ...base, top_n: 2 }).most, 2)
  })

  for (const [fields, param] of [
    [{ query: '' }, 'query'],
    [{ query: undefined }, 'query'],
    [{ documents: undefined }, 'documents'],
    [{ documents: [] }, 'documents'],
    [{ documents: ['a', ''] }, 'documents[1]'],
    [{ documents: ['a', { text: 5 }] }, 'documents[1].text'],
    [{ documents: Array(2049).fill('a') }, 'documents'],
    [{ texts: ['a'] }, 'texts'],
    [{ return_text: true }, 'return_text'],
    [{ documents: undefined, texts: ['a'], return_documents: true }, 'return_documents'],
    [{ top_n: 0 }, 'top_n'],
  ] as const)
    test(`${JSON.stringify(fields).slice(0, 60)} is refused for ${param}`, () =>
      assertRefused(() => parseRerankRequest({ ...base, ...fields }), { param }))

  const scores = { scores: [0.1, 0.9, 0.1], promptTokens: 12 }

  test('results are sorted by score, then by position, with their texts if requested', () => {
    const ranked = encodeRanking('m', parseRerankRequest({ ...base, return_documents: true }), scores)
    assert.deepEqual(Compile(rerankSchema).Errors(ranked), [])
    assert.deepEqual(Object(ranked).results, [
      { index: 1, relevance_score: 0.9, document: { text: 'b' } },
      { index: 0, relevance_score: 0.1, document: { text: 'a' } },
      { index: 2, relevance_score: 0.1, document: { text: 'c' } },
    ])
    assert.deepEqual(
      [Object(ranked).usage, Object(ranked).meta],
      [{ prompt_tokens: 12, total_tokens: 12 }, { tokens: { input_tokens: 12 } }],
    )
    assert.match(Object(ranked).id, /^rerank-[0-9a-f]{32}$/)
  })

  test('TEI clients get a list', () => {
    const ranked = encodeRanking('m', parseRerankRequest({ query: 'q', texts: ['a', 'b', 'c'], top_n: 2 }), scores)
    assert.deepEqual(Compile(textRankSchema).Errors(ranked), [])
    assert.deepEqual(asSent(ranked), [
      { index: 1, score: 0.9 },
      { index: 0, score: 0.1 },
    ])
  })

  test('scores of any sign and size are sorted, and none is lost', () => {
    const many = Array.from({ length: 200 }, (_, index) => Math.sin(index * 12.9898) * 10 ** ((index % 7) - 3))
    const ranked = encodeRanking(
      'm',
      { ...parseRerankRequest(base), documents: many.map(String), most: 200 },
      { scores: many, promptTokens: 0 },
    )
    const results: readonly { index: number; relevance_score: number }[] = Object(ranked).results
    assert.deepEqual(
      results.map(({ index }) => index).toSorted((a, b) => a - b),
      many.map((_, index) => index),
    )
    for (const [at, { index, relevance_score }] of results.entries()) {
      assert.equal(relevance_score, many[index])
      assert.ok(at === 0 || relevance_score <= (results[at - 1]?.relevance_score ?? Number.NaN))
    }
  })
})
