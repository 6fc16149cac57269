import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { assertRejected } from '../../../test/support/wire/assert-refused.ts'
import { createOpenAiProtocol } from './openai-protocol.ts'
import { UpstreamConnection } from './upstream-connection.ts'

const options = { signal: new AbortController().signal }

/** A server that always sends this response, or the one that a function finds, and the requests it received. */
async function openServer<Body>(answers: unknown | ((body: Body) => { readonly status: number; readonly answer: unknown })) {
  const requested: { readonly path: string | undefined; readonly body: unknown }[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString('utf8'))
    requested.push({ path: request.url, body })
    const { status, answer } = typeof answers === 'function' ? answers(body) : { status: 200, answer: answers }
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connection = await UpstreamConnection.open({ url: `http://127.0.0.1:${port}/v1`, keyFile: null })
  return {
    requested,
    connection,
    async [Symbol.asyncDispose]() {
      connection[Symbol.dispose]()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const protocol = createOpenAiProtocol('theirs')

suite('vectors and scores of servers with OpenAI’s API', () => {
  test('vectors are assigned to their inputs, in any order', async () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ]
    await using server = await openServer({ data, usage: { prompt_tokens: 4 } })
    const found = await protocol.embed(server.connection, { model: 'm', inputs: ['a', [1, 2]], dimensions: 2 }, options)
    assert.deepEqual(found, {
      vectors: [
        [1, 0],
        [0, 1],
      ],
      promptTokens: 4,
    })
    assert.deepEqual(server.requested, [
      { path: '/v1/embeddings', body: { model: 'theirs', input: ['a', [1, 2]], encoding_format: 'float', dimensions: 2 } },
    ])
  })

  for (const [usage, promptTokens] of [
    [{ prompt_tokens: 5, total_tokens: 6 }, 5],
    [{ total_tokens: 6 }, 6],
    [undefined, 6],
    [{ prompt_tokens: -5 }, 6],
    [{ prompt_tokens: '4' }, 4],
  ] as const)
    test(`scores are assigned to their documents, and ${JSON.stringify(usage)} counts ${promptTokens}`, async () => {
      const results = [
        { index: 2, relevance_score: 0.1 },
        { index: 0, relevance_score: 0.9 },
        { index: 1, relevance_score: 0 },
      ]
      await using server = await openServer({ results, usage })
      const found = await protocol.rank?.(server.connection, { model: 'm', query: 'q', documents: ['a', 'b', 'c'] }, options)
      assert.deepEqual(found, { scores: [0.9, 0, 0.1], promptTokens })
      assert.deepEqual(server.requested, [{ path: '/v1/rerank', body: { model: 'theirs', query: 'q', documents: ['a', 'b', 'c'] } }])
    })

  test("scores in SGLang's format are read", async () => {
    await using server = await openServer([
      { score: 0.9, document: 'b', index: 1, meta_info: { prompt_tokens: 4 } },
      { score: -2, document: 'a', index: 0, meta_info: { prompt_tokens: 3 } },
    ])
    const found = await protocol.rank?.(server.connection, { model: 'm', query: 'q', documents: ['a', 'b'] }, options)
    assert.deepEqual(found, { scores: [-2, 0.9], promptTokens: 7 })
  })

  test("scores in Voyage's format are read, and so are positions given as text", async () => {
    const data = [
      { index: '1', relevance_score: 0.9 },
      { index: '0', relevance_score: 0.1 },
    ]
    await using server = await openServer({ object: 'list', data, usage: { total_tokens: 7 } })
    const found = await protocol.rank?.(server.connection, { model: 'm', query: 'q', documents: ['a', 'b'] }, options)
    assert.deepEqual(found, { scores: [0.1, 0.9], promptTokens: 7 })
  })

  test('vectors of different lengths, and bytes that are not floats, are the server’s fault', async () => {
    for (const embeddings of [
      [[1, 0], [1]],
      [[1, 0], 'AAAAAAAAgD8A'],
      ['AAA=', 'AAA='],
    ]) {
      await using server = await openServer({ data: embeddings.map((embedding, index) => ({ index, embedding })) })
      await assertRejected(protocol.embed(server.connection, { model: 'm', inputs: ['a', 'b'] }, options), { code: 'inference_failed' })
    }
  })

  test('vectors of another length than requested are rejected by name', async () => {
    await using server = await openServer({ data: [{ index: 0, embedding: [1, 0] }], usage: { prompt_tokens: 1 } })
    await assertRejected(protocol.embed(server.connection, { model: 'm', inputs: ['a'], dimensions: 1 }, options), {
      code: 'unsupported_parameter',
      param: 'dimensions',
    })
  })

  test('vectors without indexes or counts, or in base64, are read', async () => {
    let uncounted = 0
    const counting = createOpenAiProtocol('theirs', { onUncounted: () => uncounted++ })
    for (const usage of [undefined, null, {}, { prompt_tokens: 1e300 }]) {
      await using server = await openServer({ data: [{ embedding: [1, 0] }, { index: null, embedding: 'AAAAAAAAgD8=' }], usage })
      const found = await counting.embed(server.connection, { model: 'm', inputs: ['eight by', [1, 2]] }, options)
      assert.deepEqual(found, {
        vectors: [
          [1, 0],
          [0, 1],
        ],
        promptTokens: 4,
      })
    }
    assert.equal(uncounted, 4)
  })

  test('vectors are read without a list around them, and from a list of one row', async () => {
    for (const [answer, inputs] of [
      [
        [
          { index: 1, embedding: [[0, 1]] },
          { index: 0, embedding: [[1, 0]] },
        ],
        2,
      ],
      [
        {
          embeddings: [
            [1, 0],
            [0, 1],
          ],
        },
        2,
      ],
      [{ embedding: [1, 0] }, 1],
    ] as const) {
      await using server = await openServer(answer)
      const { vectors } = await protocol.embed(server.connection, { model: 'm', inputs: ['a', 'b'].slice(0, inputs) }, options)
      assert.deepEqual(
        vectors,
        [
          [1, 0],
          [0, 1],
        ].slice(0, inputs),
      )
    }
  })

  const documents = ['a', 'b', 'c']
  const score = (index: unknown, value: unknown, more: object = {}) => ({ index, relevance_score: value, ...more })
  for (const [form, answer] of Object.entries({
    'scores as texts': { results: [score(1, '2e-1'), score(2, '0.1'), score('0', '-3')] },
    'documents as objects, in Cohere’s form': {
      results: [score(1, 0.2, { document: { text: 'b' } }), score(2, 0.1, { document: { text: 'c' } }), score(0, -3, { document: null })],
      meta: { api_version: { version: '2' }, tokens: { input_tokens: 9, output_tokens: 0 } },
    },
    'TEI’s list': [
      { index: 1, score: 0.2, text: 'b' },
      { index: 2, score: 0.1 },
      { index: 0, score: -3 },
    ],
    'vLLM’s form': { id: 'r', model: 'm', usage: { total_tokens: 9 }, results: [score(1, 0.2), score(2, 0.1), score(0, -3)] },
    'llama-server’s form': {
      object: 'list',
      usage: { prompt_tokens: 9, total_tokens: 9 },
      results: [score(0, -3), score(1, 0.2), score(2, 0.1)],
    },
    'scores alone': { scores: [-3, 0.2, 0.1] },
    'the same score twice, and one of no document': { results: [score(1, 0.2), score(1, 0.2), score(2, 0.1), score(0, -3), score(7, 1)] },
  }))
    test(`scores are read from ${form}`, async () => {
      await using server = await openServer(answer)
      const found = await protocol.rank?.(server.connection, { model: 'm', query: 'q', documents }, options)
      assert.deepEqual(found?.scores, [-3, 0.2, 0.1])
      assert.equal(found?.promptTokens, JSON.stringify(answer).includes('_tokens') ? 9 : 6)
      assert.equal(server.requested.length, 1)
    })

  for (const [results, says] of [
    [[score(0, 1), score(1, 1)], /no score for 1 of 3 documents/],
    [[score(1, 1), score(2, 1), score(3, 1)], /no score for 1 of 3 documents/],
    [[score(0, 1), score(1, 1), score(2, 1), score(1, 2)], /two scores for one document/],
    [[score(0, 1), score(1, ''), score(2, 'x')], /no score for 2 of 3 documents/],
  ] as const)
    test(`${JSON.stringify(results)} is an error: ${says.source}`, async () => {
      await using server = await openServer({ results })
      await assert.rejects(
        async () => protocol.rank?.(server.connection, { model: 'm', query: 'q', documents }, options),
        (error: Error) => {
          assert.match(String(error.cause), says)
          return true
        },
      )
    })

  test('a server that refuses `documents` gets TEI’s `texts`, 32 at once, and is remembered', async () => {
    await using server = await openServer(({ texts }: { readonly texts?: readonly string[] }) =>
      texts === undefined || texts.length > 32
        ? { status: 422, answer: 'Failed to deserialize the JSON body: missing field `texts`' }
        : { status: 200, answer: texts.map((text, index) => ({ index, score: Number(text) })).reverse() },
    )
    const many = Array.from({ length: 70 }, (_, index) => `${index}`)
    const rank = () => createTei.rank?.(server.connection, { model: 'm', query: 'q', documents: many }, options)
    const createTei = createOpenAiProtocol('theirs')
    for (const calls of [4, 7]) {
      assert.deepEqual((await rank())?.scores, many.map(Number))
      assert.equal(server.requested.length, calls)
    }
  })

  test('a server that takes `documents` again, such as another one at the same address, fails one request', async () => {
    let field = 'texts'
    await using server = await openServer(({ [field]: sent }: Readonly<Record<string, readonly string[]>>) =>
      sent === undefined ? { status: 422, answer: `missing field ${field}` } : { status: 200, answer: { scores: sent.map(Number) } },
    )
    const changing = createOpenAiProtocol('theirs')
    const rank = async () => changing.rank?.(server.connection, { model: 'm', query: 'q', documents: ['7'] }, options)
    assert.deepEqual((await rank())?.scores, [7])
    field = 'documents'
    await assertRejected(rank(), { code: 'invalid_request_error', says: /missing field documents/ })
    assert.deepEqual((await rank())?.scores, [7])
  })

  test('a server that refuses both forms is quoted with its first reason', async () => {
    await using server = await openServer(({ texts }: { readonly texts?: unknown }) => ({
      status: 400,
      answer: { error: { message: texts === undefined ? 'the query is empty' : 'documents is required' } },
    }))
    const ranked = protocol.rank?.(server.connection, { model: 'm', query: '', documents }, options)
    await assertRejected(ranked ?? Promise.resolve(), { code: 'invalid_request_error', says: /the query is empty/ })
  })

  test('vectors that are all numbered 0 keep their order, and wrong numbers are the server’s fault', async () => {
    const embed = async (...indexes: readonly unknown[]) => {
      const data = indexes.map((index, place) => ({ index, embedding: [place, 1] }))
      await using server = await openServer({ data, usage: { prompt_tokens: 1 } })
      return (await protocol.embed(server.connection, { model: 'm', inputs: documents }, options)).vectors.map(([first]) => first)
    }
    assert.deepEqual(await embed(0, 0, 0), [0, 1, 2])
    assert.deepEqual(await embed('2', '0', '1'), [1, 2, 0])
    for (const indexes of [
      [0, 0, 1],
      [1, 2, 3],
      [0, 1, 'x'],
      [0, 1, 1.5],
    ])
      await assertRejected(embed(...indexes), { code: 'inference_failed' })
  })

  test('an error with status 200 is read as one', async () => {
    await using server = await openServer({ error: { message: 'the input is empty', type: 'invalid_request_error', code: 400 } })
    const expected = { code: 'invalid_request_error', says: /the input is empty/ } as const
    await assertRejected(protocol.embed(server.connection, { model: 'm', inputs: ['a'] }, options), expected)
    const ranked = protocol.rank?.(server.connection, { model: 'm', query: 'q', documents }, options)
    await assertRejected(ranked ?? Promise.resolve(), expected)
  })

  const [vectors, scores] = [[0, 1].map((index) => ({ index, embedding: [1] })), [0, 1].map((index) => ({ index, relevance_score: 1 }))]
  for (const answer of [
    ...['', null, [], ['a'], [null]].map((embedding) => ({
      data: [{ index: 0, embedding }, vectors[1]],
      results: [{ index: 0, relevance_score: embedding }, scores[1]],
      usage: { prompt_tokens: 1 },
    })),
    '{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}],"results":[{"index":0,"relevance_score":1e999},{"index":1,"relevance_score":1}],"usage":{"prompt_tokens":1}}',
    '',
    '<html>',
    'null',
    [],
    {},
    { data: 5, results: 5, usage: { prompt_tokens: 1 } },
    { data: [null], results: [null], usage: { prompt_tokens: 1 } },
    { data: [{ index: 0, embedding: [1] }], results: [{ index: 0, relevance_score: 1 }], usage: { prompt_tokens: 1 } },
    { data: [], results: [{ index: 0, relevance_score: 'x' }, { index: 1 }] },
  ])
    test(`${JSON.stringify(answer)} for two inputs is the server’s fault`, async () => {
      await using server = await openServer(answer)
      await assertRejected(protocol.embed(server.connection, { model: 'm', inputs: ['a', 'b'] }, options), { code: 'inference_failed' })
      const ranked = protocol.rank?.(server.connection, { model: 'm', query: 'q', documents: ['a', 'b'] }, options)
      await assertRejected(ranked ?? Promise.resolve(), { code: 'inference_failed' })
    })
})
