import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { TokenBound } from './token-bound.ts'

const text = (choice: number, word = 'a'): TextPart => ({ type: 'text', choice, text: word })
const usage = { promptTokens: 1, completionTokens: 2, cachedTokens: 0 }

function bound(parts: readonly TextPart[], overrides: Parameters<typeof makeTextRequest>[1]): TextPart[] {
  const tokens = new TokenBound(makeTextRequest('hello', overrides))
  return parts.flatMap((part) => tokens.pass(part))
}

test('an answer of at most the requested tokens passes unchanged', () => {
  const honest: TextPart[] = [
    text(0),
    text(0, ''),
    text(0),
    { type: 'choice-finish', choice: 0, reason: 'stop' },
    { type: 'finish', usage },
  ]
  assert.deepEqual(bound(honest, { maxTokens: 2 }), honest)
})

test('cached and reasoning tokens are limited to the total', () => {
  const end: TextPart = { type: 'choice-finish', choice: 0, reason: 'stop' }
  const counted = { promptTokens: 3, completionTokens: 2, cachedTokens: 99, thoughtTokens: 99 }
  const [, last] = bound([end, { type: 'finish', usage: counted }], { maxTokens: 2 })
  assert.deepEqual(last, { type: 'finish', usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 3, thoughtTokens: 2 } })
})

test('a choice over the limit ends, and the others continue to their own end', () => {
  const parts: TextPart[] = [text(0), text(1), text(0), text(0), text(1), { type: 'choice-finish', choice: 1, reason: 'stop' }]
  assert.deepEqual(bound([...parts, { type: 'finish', usage }], { maxTokens: 2, choices: 2 }), [
    text(0),
    text(1),
    text(0),
    { type: 'choice-finish', choice: 0, reason: 'length' },
    text(1),
    { type: 'choice-finish', choice: 1, reason: 'stop' },
    { type: 'finish', usage },
  ])
})

test('thoughts and arguments count like text, and a call counts from its first argument', () => {
  const parts: TextPart[] = [
    { type: 'thoughts', choice: 0, text: 'a' },
    { type: 'tool-call', choice: 0, index: 0, id: 'c', name: 'f' },
    { type: 'tool-arguments', choice: 0, index: 0, fragment: '{' },
    { type: 'tool-arguments', choice: 0, index: 0, fragment: '}' },
    { type: 'tool-arguments', choice: 0, index: 0, fragment: '}' },
  ]
  const last = bound(parts, { maxTokens: 3 }).slice(-2)
  assert.deepEqual(last, [
    { type: 'choice-finish', choice: 0, reason: 'length' },
    { type: 'finish', usage: { promptTokens: 2, completionTokens: 3, cachedTokens: 0 } },
  ])
})

test('a piece with more characters than its tokens can have is dropped', () => {
  const piece = 'a'.repeat(4000)
  for (const part of [
    text(0, piece),
    { type: 'thoughts', choice: 0, text: piece },
    { type: 'tool-arguments', choice: 0, index: 0, fragment: piece },
  ] satisfies TextPart[]) {
    const parts = bound([text(0), part, part], { maxTokens: 3 })
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['text', 'choice-finish', 'finish'],
    )
    assert.equal(bound([part, text(0)], { maxTokens: 5 }).length, 2)
  }
})

test('an echoed prompt is not cut', () => {
  const input = { type: 'prompt', prompt: 'ab', echo: true } as const
  const parts: TextPart[] = [
    text(0),
    text(0, 'b'),
    text(0),
    { type: 'choice-finish', choice: 0, reason: 'length' },
    { type: 'finish', usage },
  ]
  assert.deepEqual(bound(parts, { input, maxTokens: 1 }), parts)
})

test('the full text of a server that does not stream is cut if it is longer than the tokens can be', () => {
  const whole = `${'a'.repeat(4095)}😀`
  const parts = bound([text(0, whole), { type: 'choice-finish', choice: 0, reason: 'stop' }], { maxTokens: 100 })
  assert.deepEqual(parts.slice(0, 2), [text(0, 'a'.repeat(4095)), { type: 'choice-finish', choice: 0, reason: 'length' }])
  assert.equal(bound([text(0, 'a'.repeat(6000))], { maxTokens: 200 }).length, 1)
})

test('an estimated prompt includes tools, calls and pictures', () => {
  const picture = { type: 'picture', mediaType: 'image/png', base64: 'A'.repeat(100_000) } as const
  const tools = [{ name: 'look', description: 'x'.repeat(400), parameters: {} }]
  const asked = (more: object): number => {
    const { input } = makeTextRequest('hello')
    const tokens = new TokenBound({ ...makeTextRequest('hello'), input: { ...input, ...more } as typeof input })
    const [end] = tokens.pass({ type: 'finish', usage: undefined })
    return end?.type === 'finish' ? end.usage.promptTokens : 0
  }
  assert.equal(asked({}), 2)
  assert.ok(asked({ tools }) > 100 && asked({ tools }) < 150, String(asked({ tools })))
  const seen = asked({ messages: [{ role: 'user', content: 'hello', parts: [{ type: 'text', text: 'hello' }, picture, picture] }] })
  assert.equal(seen, 2002)
  const called = [{ role: 'assistant', content: null, toolCalls: [{ id: 'a', name: 'look', arguments: 'x'.repeat(400) }] }]
  assert.ok(asked({ messages: called }) > 100)
})

test('counts that a server omits or reports as zero are estimated, and the caller is notified', () => {
  const said: TextPart[] = [text(0, 'Hello to all'), text(0, ' of you')]
  for (const [usage, expected, calls] of [
    [undefined, { promptTokens: 2, completionTokens: 5, cachedTokens: 0 }, 1],
    [{ promptTokens: 9, completionTokens: undefined, cachedTokens: 4 }, { promptTokens: 9, completionTokens: 5, cachedTokens: 4 }, 1],
    [{ promptTokens: 9, completionTokens: 0, cachedTokens: 4 }, { promptTokens: 9, completionTokens: 5, cachedTokens: 4 }, 1],
    [{ promptTokens: undefined, completionTokens: 3, cachedTokens: 0 }, { promptTokens: 2, completionTokens: 3, cachedTokens: 0 }, 1],
    [{ promptTokens: 0, completionTokens: 0, cachedTokens: 0 }, { promptTokens: 2, completionTokens: 5, cachedTokens: 0 }, 1],
    [{ promptTokens: 9, completionTokens: 3, cachedTokens: 0 }, { promptTokens: 9, completionTokens: 3, cachedTokens: 0 }, 0],
  ] as const) {
    let reported = 0
    const tokens = new TokenBound(makeTextRequest('hello', { maxTokens: 50 }), { onUncounted: () => reported++ })
    const parts = [...said, { type: 'finish', usage } as const].flatMap((part) => tokens.pass(part))
    assert.deepEqual([parts.at(-1), reported], [{ type: 'finish', usage: expected }, calls])
  }
})
