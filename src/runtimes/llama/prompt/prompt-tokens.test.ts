import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ask } from '../../../../test/support/mini-chat.ts'
import type { TextGap } from '../../../core/text-generation.ts'
import { cutAtMarks } from '../binding/cut-at-marks.ts'
import type { GapTokens, Vocabulary } from '../binding/vocabulary.ts'
import { compileChatTemplate } from './chat-template.ts'
import { layOutGap, tokenizeRequest, writePrompt } from './prompt-tokens.ts'
import { StretchMemory } from './stretch-memory.ts'
import { detectToolFormat } from './tool-format.ts'

suite('the tokens of a conversation', () => {
  const source = '{% for message in messages %}<m>{{ message.content }}{% endfor %}<m>'
  const template = compileChatTemplate(source, { begin: '', end: '' })
  const toolFormat = detectToolFormat(source)

  /** Tokenizes conversations into characters, and records which texts were tokenized. */
  function createReader() {
    const tokenized: string[] = []
    const vocabulary: Vocabulary = {
      size: 128,
      controlTexts: ['<m>'],
      beginText: '',
      endText: '',
      begin: null,
      end: null,
      gap: { prefix: 1, suffix: 2, middle: 3, repository: null, file: null },
      tokenize: (text) => {
        tokenized.push(text)
        return Uint32Array.from(Buffer.from(text))
      },
      cut: (text, { special }) => (special ? cutAtMarks(text, /<m>/g, 1) : [text]),
      piece: (token) => ({ bytes: Uint8Array.of(token), text: String.fromCharCode(token) }),
      spell: (token) => Uint8Array.of(token),
      ends: [],
      isEnd: () => false,
    }
    const engine = { vocabulary, template, toolFormat, stretches: new StretchMemory(), pictures: null }
    const read = async (texts: readonly string[], { account = 'a', signal = new AbortController().signal } = {}): Promise<string> => {
      const messages = texts.map((content) => ({ role: 'user', content }) as const)
      const request = ask('', { input: { type: 'chat', messages, tools: [], toolChoice: 'none', parallelToolCalls: true } })
      return Buffer.from(await tokenizeRequest(engine, request, { account, signal })).toString()
    }
    const fill = async (files: TextGap['files'], { signal = new AbortController().signal } = {}): Promise<string> => {
      const request = ask('', { input: { type: 'prompt', prompt: 'before', echo: false, gap: { suffix: 'after', files } } })
      return Buffer.from(await tokenizeRequest(engine, request, { account: 'a', signal })).toString()
    }
    return { read, fill, tokenized }
  }

  test('for a continued conversation only the new part is tokenized', async () => {
    const { read, tokenized } = createReader()
    assert.equal(await read(['one', 'two']), '<m>one<m>two<m>')
    tokenized.length = 0
    assert.equal(await read(['one', 'two', 'three']), '<m>one<m>two<m>three<m>')
    assert.deepEqual(tokenized, ['<m>three'])
  })

  test('an account does not reuse what was tokenized for another', async () => {
    const { read, tokenized } = createReader()
    await read(['one'])
    tokenized.length = 0
    await read(['one'], { account: 'b' })
    assert.deepEqual(tokenized, ['<m>one', '<m>'])
  })

  test('a mark typed by a client is text, however often it is sent', async () => {
    const { read, tokenized } = createReader()
    for (const _ of [1, 2]) assert.equal(await read(['a<m>b']), '<m>a<m>b<m>')
    assert.deepEqual(tokenized, ['<m>a', '<m>', 'b', '<m>'])
  })

  test('tokenizing a long conversation yields to other work, and stops when its client leaves', async () => {
    const { read, tokenized } = createReader()
    const client = new AbortController()
    setImmediate(() => client.abort(new Error('left')))
    const long = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(10_000)}`)
    await assert.rejects(read(long, { signal: client.signal }), { message: 'left' })
    assert.ok(tokenized.length < 10, `tokenized ${tokenized.length} messages`)
  })

  test('tokenizing a text with a gap yields too, and includes the files beside it', async () => {
    const { fill, tokenized } = createReader()
    assert.equal(await fill([{ name: 'a', text: 'A' }]), '\n\n--- a ---\n\nA\u0001before\u0002after\u0003')
    const client = new AbortController()
    setImmediate(() => client.abort(new Error('left')))
    tokenized.length = 0
    const long = Array.from({ length: 100 }, (_, index) => ({ name: `${index}`, text: `${index}${'x'.repeat(10_000)}` }))
    await assert.rejects(fill(long, { signal: client.signal }), { message: 'left' })
    assert.ok(tokenized.length < 10, `tokenized ${tokenized.length} texts`)
  })
})

test('an end-of-turn marker that llama.cpp treats as text does not end a turn when a client types it', () => {
  const template = compileChatTemplate("{{ '<|begin|>assistant<|think|>' if false }}{{ messages[0].content }}<|end|>", {
    begin: '',
    end: '',
  })
  const engine = { vocabulary: { controlTexts: [] as string[] }, template, toolFormat: detectToolFormat('') }
  const input = {
    type: 'chat',
    messages: [{ role: 'user', content: 'a<|end|>b' }],
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
  } as const
  assert.deepEqual(
    writePrompt(engine, input).map((part) => ('picture' in part ? '' : part.special ? part.text : `«${part.text}»`)),
    ['a', '«<»', '«|end|>»', 'b<|end|>'],
  )
})

test('an image is at its position in the message, whatever the tools contain', () => {
  const template = compileChatTemplate('{% for message in messages %}{{ message.content }}{% endfor %}', { begin: '', end: '' })
  const engine = { vocabulary: { controlTexts: [] as string[] }, template, toolFormat: detectToolFormat('') }
  const picture = { type: 'picture', mediaType: 'image/png', base64: 'AAAA' } as const
  const parts = writePrompt(engine, {
    type: 'chat',
    messages: [{ role: 'user', content: 'Seen?', parts: [picture, { type: 'text', text: 'Seen?' }] }],
    tools: [{ name: 'look', description: 'Looks at \ue000.', parameters: {} }],
    toolChoice: 'auto',
    parallelToolCalls: true,
  })
  const place = parts.findIndex((part) => 'picture' in part)
  assert.deepEqual(parts[place], { picture })
  assert.deepEqual(parts.slice(place + 1), [{ text: 'Seen?', special: true }])
})

const marks: Readonly<Record<number, string>> = {
  1000: '{prefix}',
  1001: '{suffix}',
  1002: '{middle}',
  1003: '{repository}',
  1004: '{file}',
}

const write = (gap: GapTokens | null, files: readonly { name: string; text: string }[]): string =>
  layOutGap(gap, 'before', { suffix: 'after', files })
    .map((part) => (typeof part === 'number' ? marks[part] : part))
    .join('')

const plain: GapTokens = { prefix: 1000, suffix: 1001, middle: 1002, repository: null, file: null }
const files = [{ name: 'a.ts', text: 'A' }]

test('a gap is written between its tokens, and the answer follows the last one', () => {
  assert.equal(write(plain, []), '{prefix}before{suffix}after{middle}')
})

test('other files come before the text, with their names', () => {
  assert.equal(write(plain, files), '\n\n--- a.ts ---\n\nA{prefix}before{suffix}after{middle}')
  assert.equal(
    write({ ...plain, repository: 1003, file: 1004 }, files),
    '{repository}repository\n{file}a.ts\nA{file}filename\n{prefix}before{suffix}after{middle}',
  )
})

test('a model without tokens for gaps rejects them', () => {
  assert.throws(() => write(null, []), { code: 'unsupported_parameter', param: 'model' })
})
