import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceError } from '../../../core/error.ts'
import { createChatRequestParser } from '../chat/chat-request.ts'
import { publishedBodies } from '../chat/sampling-fields.ts'
import { encodePieces, encodeTokens } from './token-answers.ts'
import { parseDetokenizeRequest, parseTokenizeRequest } from './tokenize-request.ts'

const parseChat = createChatRequestParser(publishedBodies)
const parse = (body: unknown) => parseTokenizeRequest(body, { choose: (model) => model ?? 'only', parseChat })

describe('the body of a tokenize request', () => {
  for (const [what, body, input, spelled, answer] of [
    ["a text in llama.cpp's words", { content: 'a' }, { type: 'text', text: 'a', framed: false, special: true }, false, 'llama.cpp'],
    ["a text in vLLM's words", { prompt: 'a' }, { type: 'text', text: 'a', framed: true, special: true }, false, 'vllm'],
    ['an empty text', { content: '' }, { type: 'text', text: '', framed: false, special: true }, false, 'llama.cpp'],
    [
      'every switch of llama.cpp',
      { content: 'a', add_special: true, parse_special: false, with_pieces: true },
      { type: 'text', text: 'a', framed: true, special: false },
      true,
      'llama.cpp',
    ],
    [
      'every switch of vLLM',
      { prompt: 'a', add_special_tokens: false, return_token_strs: true },
      { type: 'text', text: 'a', framed: false, special: true },
      true,
      'vllm',
    ],
  ] as const)
    it(`reads ${what}`, () => assert.deepEqual(parse(body), { model: 'only', input, spelled, answer }))

  it('reads a conversation as a chat completion would', () => {
    const { input, answer } = parse({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
    assert.equal(answer, 'vllm')
    assert.deepEqual(input.type === 'chat' && input.messages, [{ role: 'user', content: 'hi' }])
  })

  for (const body of [
    {},
    { model: 'm' },
    { content: 'a', prompt: 'b' },
    { prompt: 'a', messages: [{ role: 'user', content: 'x' }] },
    { messages: [] },
    { content: 7 },
    { content: 'a', add_special: 'yes' },
    { content: 'a', sneaky: 1 },
    { model: '', content: 'a' },
    null,
    [],
    'text',
  ])
    it(`refuses ${JSON.stringify(body)}`, () => assert.throws(() => parse(body), ServiceError))
})

describe('the body of a detokenize request', () => {
  it('accepts token ids, also an empty list', () => {
    assert.deepEqual(parseDetokenizeRequest({ tokens: [0, 2 ** 31 - 1] }), { model: undefined, tokens: [0, 2 ** 31 - 1] })
    assert.deepEqual(parseDetokenizeRequest({ model: 'm', tokens: [] }), { model: 'm', tokens: [] })
  })

  for (const body of [
    {},
    { tokens: 'a' },
    { tokens: [-1] },
    { tokens: [1.5] },
    { tokens: [2 ** 31] },
    { tokens: [[1]] },
    { tokens: ['1'] },
    { tokens: [1], x: 1 },
    null,
  ])
    it(`refuses ${JSON.stringify(body)}`, () => assert.throws(() => parseDetokenizeRequest(body), ServiceError))
})

describe('tokens in answers', () => {
  const half = new Uint8Array([0xc3])
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('decode each distinct token once, even for a megabyte of emoji', () => {
    const [first, second] = Object(encodePieces({ tokens: [6, 6], spellings: [half, new Uint8Array(half)] })).tokens
    assert.equal(first.piece, second.piece)
  })

  it("have llama.cpp's format, with bytes for tokens that are not text", () => {
    assert.deepEqual(encodePieces({ tokens: [5, 6, 7], spellings: [bytes('é'), half, bytes('')] }), {
      tokens: [
        { id: 5, piece: 'é' },
        { id: 6, piece: [0xc3] },
        { id: 7, piece: '' },
      ],
    })
    assert.deepEqual(encodePieces({ tokens: [5], spellings: null }), { tokens: [5] })
  })

  it('keep a byte order mark, which is part of the text', () => {
    assert.deepEqual(encodePieces({ tokens: [1], spellings: [bytes('\ufeffa')] }), { tokens: [{ id: 1, piece: '\ufeffa' }] })
  })

  it("have vLLM's format, with null for unknown and unrequested fields", () => {
    assert.deepEqual(encodeTokens({ tokens: [5, 6], spellings: null }, undefined), {
      count: 2,
      max_model_len: null,
      tokens: [5, 6],
      token_strs: null,
    })
    assert.deepEqual(encodeTokens({ tokens: [6], spellings: [half] }, 1024), {
      count: 1,
      max_model_len: 1024,
      tokens: [6],
      token_strs: ['\ufffd'],
    })
  })
})
