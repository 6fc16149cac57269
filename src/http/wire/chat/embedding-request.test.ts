import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceError } from '../../../core/error.ts'
import { parseEmbeddingRequest } from './embedding-request.ts'

describe('the body of an embedding request', () => {
  for (const [what, input, inputs] of [
    ['one text', 'hello', ['hello']],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['the tokens of one text', [1, 2, 3], [[1, 2, 3]]],
    ['lists of tokens', [[1], [2, 3]], [[1], [2, 3]]],
    ['one list of one token', [[0]], [[0]]],
    ['texts and lists of tokens side by side', ['a', [1]], ['a', [1]]],
  ] as const)
    it(`reads ${what}`, () => assert.deepEqual(parseEmbeddingRequest({ model: 'm', input }).request.inputs, inputs))

  for (const [what, input] of [
    ['nothing', undefined],
    ['an empty text', ''],
    ['an empty list', []],
    ['an empty text in a list', ['a', '']],
    ['an empty list of tokens', [[1], []]],
    ['texts and tokens mixed', ['a', 1]],
    ['tokens and lists mixed', [1, [2]]],
    ['a negative token', [-1]],
    ['half a token', [1.5]],
    ['a token beyond 31 bits', [2 ** 31]],
    ['a number', 7],
    ['an object', { text: 'a' }],
    ['lists of lists of lists', [[[1]]]],
    ['2049 texts', Array.from({ length: 2049 }, () => 'a')],
    ['8193 tokens', Array.from({ length: 8193 }, () => 1)],
  ] as const)
    it(`refuses ${what}, and names \`input\``, () => {
      assert.throws(
        () => parseEmbeddingRequest({ model: 'm', ...(input !== undefined && { input }) }),
        (error: unknown) => error instanceof ServiceError && /input/.test(error.message) && String(error.param).startsWith('input'),
      )
    })

  it('accepts 2048 texts, and 8192 tokens in one text', () => {
    assert.equal(parseEmbeddingRequest({ model: 'm', input: Array.from({ length: 2048 }, () => 'a') }).request.inputs.length, 2048)
    assert.deepEqual(parseEmbeddingRequest({ model: 'm', input: Array.from({ length: 8192 }, () => 1) }).request.inputs.length, 1)
  })

  it('returns numbers unless base64 is requested, and complete vectors by default', () => {
    const { request, encoding } = parseEmbeddingRequest({ model: 'm', input: 'a', user: 'ada' })
    assert.deepEqual([encoding, 'dimensions' in request], ['float', false])
    const other = parseEmbeddingRequest({ model: 'm', input: 'a', encoding_format: 'base64', dimensions: 8 })
    assert.deepEqual([other.encoding, other.request.dimensions], ['base64', 8])
  })

  for (const body of [{ dimensions: 0 }, { dimensions: 1.5 }, { encoding_format: 'int8' }, { user: 7 }, { model: '' }, { sneaky: 1 }])
    it(`refuses ${JSON.stringify(body)} by name`, () => {
      const [field = ''] = Object.keys(body)
      assert.throws(() => parseEmbeddingRequest({ model: 'm', input: 'a', ...body }), new RegExp(field))
    })

  for (const body of [null, [], 'a', 7, true])
    it(`refuses ${JSON.stringify(body)} as a body`, () => assert.throws(() => parseEmbeddingRequest(body), ServiceError))
})
