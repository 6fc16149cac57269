import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GgufValue } from '../../../core/gguf/gguf-header.ts'
import { findVocabularyFault } from './vocabulary-fault.ts'

const bytes = Array.from({ length: 256 }, (_, value) => `<0x${value.toString(16).toUpperCase().padStart(2, '0')}>`)

/** A vocabulary as a file describes it. */
function faultOf(model: string, tokens: readonly string[], more: Readonly<Record<string, GgufValue>> = {}): string | null {
  const values = { model, tokens, ...more }
  return findVocabularyFault({ values: new Map(Object.entries(values).map(([key, value]) => [`tokenizer.ggml.${key}`, value])) })
}

test('vocabularies supported by llama.cpp have no fault', () => {
  assert.equal(faultOf('gpt2', ['a', '', '', 'b']), null)
  assert.equal(faultOf('llama', ['<unk>', ...bytes, 'é']), null)
  assert.equal(faultOf('llama', [...bytes.with(0x0a, '\n').with(0xe9, '\u00e9')]), null, 'a byte may be its own spelling')
  assert.equal(faultOf('bert', ['[UNK]'], { unknown_token_id: 0 }), null)
  assert.equal(faultOf('t5', ['<pad>', '</s>', '<unk>']), null)
})

test('faults that would make llama.cpp abort are reported', () => {
  const table: readonly (readonly [fault: RegExp, ...Parameters<typeof faultOf>])[] = [
    [/^has two tokens "a"/, 'gpt2', ['a', 'b', 'a']],
    [/^has two tokens "\[EMPTY_1\]"/, 'gpt2', ['[EMPTY_1]', '']],
    [/^has no token <0x41> for a byte/, 'llama', bytes.with(0x41, 'x')],
    [/^has no token <0x00> for a byte/, 'llama', ['a', 'b']],
    [/^has no token for unknown text/, 'bert', ['[UNK]']],
    [/^has no token for unknown text/, 't5', ['a', 'b'], { unknown_token_id: 9 }],
    [/single bytes/, 'bert', ['[UNK]', '<0x00>'], { unknown_token_id: 0, token_type: [2, 6] }],
    [/more than 1024 bytes/, 't5', ['<pad>', '</s>', '<unk>', 'x'.repeat(1025)]],
    [/\(whitespace\)/, 'gpt2', ['a'], { pre: 'whitespace' }],
    ...['none', 'no_vocab', 'test', 'rwkv'].map((model) => [new RegExp(`\\(${model}\\)$`), model, []] as const),
  ]
  for (const [fault, ...vocabulary] of table) assert.match(faultOf(...vocabulary) ?? 'none', fault)
})
