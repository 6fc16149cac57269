import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextPart } from '../../../core/text-generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import { detectToolFormat } from '../prompt/tool-format.ts'
import { ChoiceOutput } from './choice-output.ts'

const hermes = detectToolFormat('{% if tools %}<tool_call>{% endif %}')

/** A vocabulary whose tokens are characters. */
const vocabulary: Vocabulary = {
  size: 128,
  controlTexts: [],
  beginText: '',
  endText: '',
  begin: null,
  end: null,
  tokenize: (text) => Uint32Array.from(Buffer.from(text)),
  cut: (text) => [text],
  piece: (token) => ({ bytes: Uint8Array.of(token), text: String.fromCharCode(token) }),
  spell: (token) => Uint8Array.of(token),
  gap: null,
  ends: [],
  isEnd: () => false,
}

const ending = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: false }

/** The parts of an answer generated character by character, and whether a stop string ended it. */
function write(answer: string, stop: readonly string[], format: typeof hermes | null): { parts: TextPart[]; stopped: boolean } {
  const parts: TextPart[] = []
  const push = (part: TextPart): unknown => parts.push(part)
  const output = new ChoiceOutput(vocabulary, { choice: 0, stop, ending, format, thoughts: null, callsOnly: false, push })
  const stopped = [...answer].some((letter) => output.add(letter.charCodeAt(0), { logprob: -1, top: [] }).stopped)
  output.end(stopped ? 'stop-string' : 'end-token')
  return { parts, stopped }
}

const textOf = (parts: readonly TextPart[]): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
const scoredOf = (parts: readonly TextPart[]): string =>
  parts
    .flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))
    .map(({ token }) => token)
    .join('')
const argumentsOf = (parts: readonly TextPart[]): string =>
  parts.map((part) => (part.type === 'tool-arguments' ? part.fragment : '')).join('')

const call = '<tool_call>\n{"name": "add", "arguments": {"a": "STOP"}}\n</tool_call>'

test('a stop string in the arguments of a call is part of them', () => {
  const { parts, stopped } = write(`Wait. ${call}`, ['STOP', '}'], hermes)
  assert.ok(!stopped)
  assert.equal(textOf(parts), 'Wait. ')
  assert.equal(argumentsOf(parts), '{"a": "STOP"}')
  assert.deepEqual(parts.at(-1), { type: 'choice-finish', choice: 0, reason: 'tool_calls' })
})

test('a stop string in the text beside calls ends the answer', () => {
  const { parts, stopped } = write(`Please STOP ${call}`, ['STOP'], hermes)
  assert.ok(stopped)
  assert.equal(textOf(parts), 'Please ')
  assert.equal(scoredOf(parts), 'Please ')
})

test('the beginning of a stop string before a call is text', () => {
  const { parts } = write(`Please ST${call}`, ['STOP'], hermes)
  assert.equal(textOf(parts), 'Please ST')
})

test('text that may become a mark or a stop string is emitted with its log probabilities once it cannot', () => {
  for (const format of [hermes, null]) {
    const { parts } = write('a <tool b ST c', ['STOP'], format)
    assert.equal(textOf(parts), 'a <tool b ST c')
    assert.equal(scoredOf(parts), 'a <tool b ST c')
  }
})
