import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import type { TextPart, TokenLogprob } from '../../core/text-generation.ts'
import { StopCut } from './stop-cut.ts'

const usage = { promptTokens: 1, completionTokens: 9, cachedTokens: 0 }
const finish = { type: 'finish', usage } as const
const text = (written: string, choice = 0): TextPart => ({ type: 'text', choice, text: written })
const end = (choice = 0): TextPart => ({ type: 'choice-finish', choice, reason: 'stop' })

/** The parts that pass, up to the finish, after which nothing more is read. */
function cut(parts: readonly TextPart[], overrides: Parameters<typeof makeTextRequest>[1]): TextPart[] {
  const stops = new StopCut(makeTextRequest('hello', { maxTokens: 50, ...overrides }))
  const passed = parts.flatMap((part) => stops.pass(part))
  const last = passed.findIndex(({ type }) => type === 'finish')
  return passed.slice(0, last === -1 ? undefined : last + 1)
}

/** The visible text of a choice, and how it ended. */
function seen(parts: readonly TextPart[], choice = 0): readonly unknown[] {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.choice === choice ? [part.text] : []))
  const ended = parts.find((part) => part.type === 'choice-finish' && part.choice === choice)
  return [texts.join(''), ended?.type === 'choice-finish' ? [ended.reason, ended.stop] : null]
}

for (const [title, pieces] of [
  ['in one piece', ['one END two']],
  ['over several pieces', ['one ', 'E', 'N', 'D two', ' three']],
  ['at the end of a piece', ['one ', 'END', ' two']],
] as const)
  test(`text ends before a stop string ${title}, and the answer with it`, () => {
    const parts = cut([...pieces.map((piece) => text(piece)), end(), finish], { stop: ['###', 'END'] })
    assert.deepEqual(seen(parts), ['one ', ['stop', 'END']])
    const last = parts.at(-1)
    assert.ok(last?.type === 'finish' && last.usage.completionTokens >= 1 && last.usage.completionTokens < 9)
  })

test('text that only begins like a stop string arrives in full', () => {
  const parts = [text('a E'), text('N'), text('Dx E')]
  assert.deepEqual(seen(cut([...parts, end(), finish], { stop: ['ENDE'] })), ['a ENDx E', ['stop', undefined]])
})

test('a choice that reached its stop string ends, and the others continue', () => {
  const parts = cut([text('a#b'), text('c', 1), text('d'), end(), text('e', 1), end(1), finish], { stop: ['#'], choices: 2 })
  assert.deepEqual([seen(parts), seen(parts, 1), parts.at(-1)], [['a', ['stop', '#']], ['ce', ['stop', undefined]], finish])
})

test('the stop string is shown if the request includes it, and not looked for before the minimum of tokens', () => {
  const ending = { includeStop: true, stopTokens: [], minTokens: 2, ignoreEnd: false }
  assert.deepEqual(seen(cut([text('a#'), text('b#c'), finish], { stop: ['#'], ending })), ['a#b#', ['stop', '#']])
})

test('a server that ends at the stop string itself reports its own counts', () => {
  for (const includeStop of [true, false]) {
    const ending = { includeStop, stopTokens: [], minTokens: 0, ignoreEnd: false }
    for (const pieces of [['a#'], ['a', '#']]) {
      const parts = cut([...pieces.map((piece) => text(piece)), end(), finish], { stop: ['#'], ending })
      assert.deepEqual([seen(parts), parts.at(-1)], [[includeStop ? 'a#' : 'a', ['stop', '#']], finish])
      assert.equal(parts.filter(({ type }) => type === 'choice-finish').length, 1)
    }
  }
})

test('nothing follows the stop string of a text that is also longer than the limit', () => {
  const parts = cut([text(`a#${'b'.repeat(5000)}`), text('c', 1), end(1), finish], { stop: ['#'], choices: 2 })
  assert.deepEqual([seen(parts), seen(parts, 1), parts.length], [['a', ['stop', '#']], ['c', ['stop', undefined]], 5])
})

test('text before reasoning stays before it', () => {
  const thought: TextPart = { type: 'thoughts', choice: 0, text: 'so' }
  const parts = cut([text('a E'), thought, text('x'), end(), finish], { stop: ['END'] })
  assert.deepEqual(
    parts.flatMap((part) => ('text' in part ? [part.text] : [])),
    ['a ', 'E', 'so', 'x'],
  )
})

test('reasoning and tool calls are not searched, and a call follows the text before it', () => {
  const call: TextPart[] = [
    { type: 'tool-call', choice: 0, index: 0, id: 'c', name: 'f' },
    { type: 'tool-arguments', choice: 0, index: 0, fragment: '{"a":"END"}' },
    { type: 'choice-finish', choice: 0, reason: 'tool_calls' },
    finish,
  ]
  const thought: TextPart = { type: 'thoughts', choice: 0, text: 'END' }
  assert.deepEqual(cut([thought, text('EN'), ...call], { stop: ['END'] }), [thought, text('EN'), ...call])
})

test('an echoed prompt is not searched, in any pieces, but the answer after it is', () => {
  const input = { type: 'prompt', prompt: 'a#b', echo: true } as const
  for (const pieces of [['a#bc#d'], ['a', '#', 'b', 'c#d'], ['a#b', 'c', '#']])
    assert.deepEqual(
      seen(
        cut(
          pieces.map((piece) => text(piece)),
          { input, stop: ['#'] },
        ),
      ),
      ['a#bc', ['stop', '#']],
    )
  assert.deepEqual(seen(cut([text('c#d')], { input, stop: ['#'] })), ['c', ['stop', '#']])
})

test('an echoed prompt does not count towards the minimum of tokens', () => {
  const input = { type: 'prompt', prompt: 'a#b', echo: true } as const
  const ending = { includeStop: false, stopTokens: [], minTokens: 2, ignoreEnd: false }
  const parts = cut([text('a'), text('#b'), text('c#d'), text('e#f')], { input, stop: ['#'], ending })
  assert.deepEqual(seen(parts), ['a#bc#de', ['stop', '#']])
})

test('log probabilities stay with the tokens that are shown', () => {
  const scored = (token: string): TokenLogprob => ({ token, bytes: [...Buffer.from(token)], logprob: -1, top: [] })
  const piece = (...tokens: string[]): TextPart => ({ type: 'text', choice: 0, text: tokens.join(''), logprobs: tokens.map(scored) })
  const shownTokens = (parts: readonly TextPart[]) =>
    parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []).map(({ token }) => token) : []))
  for (const pieces of [[piece('one', ' two', ' EN', 'D', '!')], [piece('one'), piece(' two'), piece(' EN'), piece('D'), piece('!')]]) {
    const parts = cut([...pieces, end(), finish], { stop: ['END'], topLogprobs: 0 })
    assert.deepEqual([seen(parts)[0], shownTokens(parts)], ['one two ', ['one', ' two']])
  }
  assert.deepEqual(shownTokens(cut([piece('one'), piece(' E'), piece('x'), end(), finish], { stop: ['END'], topLogprobs: 0 })), [
    'one',
    ' E',
    'x',
  ])
})

test('an answer ends once its choices have, although the server continues one that was cut', () => {
  const parts = cut([text('a#b'), text('c', 1), end(1), text('more'), text('more')], { stop: ['#'], choices: 2 })
  assert.deepEqual(
    parts.slice(-2).map(({ type }) => type),
    ['choice-finish', 'finish'],
  )
})
