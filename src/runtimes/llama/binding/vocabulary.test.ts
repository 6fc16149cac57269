import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type GgufEntry, ggufFloats, ggufValue } from '../../../../test/support/model-files/gguf-file.ts'
import { writeScriptedGguf } from '../../../../test/support/model-files/scripted-gguf.ts'
import { describeTokenizer, llama31, mistralNemo, qwen3, taught } from '../../../../test/support/model-files/tool-family.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openModelFile } from './open-model-file.ts'
import { joinTokens } from './tokenize-stretches.ts'
import { readVocabulary } from './vocabulary.ts'

const { signal } = new AbortController()

interface Tokenizer {
  readonly entries: readonly GgufEntry[]
  readonly size: number
  readonly end: number
}

/** SentencePiece puts a space before a text, and before what follows a control token. */
function describeSentencePiece(): Tokenizer {
  const [normal, unknown, control, byte] = [1, 2, 3, 6]
  const bytes = Array.from({ length: 256 }, (_, value) => `<0x${value.toString(16).toUpperCase().padStart(2, '0')}>`)
  const words = ['▁', 'a', 'b', '▁a', 'ab', '▁ab', '<', '>', '|', '[', ']', '\n', 'user', '▁user']
  const tokens = ['<unk>', '<s>', '</s>', '[INST]', '[/INST]', ...bytes, ...words]
  const types = [unknown, control, control, control, control, ...bytes.map(() => byte), ...words.map(() => normal)]
  const entries: readonly GgufEntry[] = [
    ['tokenizer.ggml.model', ggufValue('llama')],
    ['tokenizer.ggml.tokens', ggufValue(tokens)],
    ['tokenizer.ggml.scores', ggufFloats(tokens.map((text) => text.length))],
    ['tokenizer.ggml.token_type', ggufValue(types)],
    ['tokenizer.ggml.bos_token_id', ggufValue(1)],
    ['tokenizer.ggml.eos_token_id', ggufValue(2)],
    ['tokenizer.ggml.unknown_token_id', ggufValue(0)],
  ]
  return { entries, size: tokens.length, end: 2 }
}

/** Numbers below 1, the same in every run (a linear congruential generator). */
function* chances(): Generator<number, never> {
  for (let state = 7; ; state = (state * 48_271) % 0x7fffffff) yield state / 0x7fffffff
}

const words = ['user', '\n', ' ', '  ', 'a', 'ab', ' ab', '<', '|', '[', ']', '<|', '|>', 'é', '€', '🦊', '123', "'s", '\r\n', '\t']

const tokenizers: Readonly<Record<string, Tokenizer>> = {
  ...Object.fromEntries([taught, qwen3, llama31, mistralNemo].map((family) => [family.name, describeTokenizer(family)])),
  'sentence-piece': describeSentencePiece(),
}

for (const [name, { entries, size, end }] of Object.entries(tokenizers))
  test(`the tokens of a text's stretches are those of the text: ${name}`, async () => {
    await using folder = await createTemporaryFolder()
    const path = join(folder.path, 'model.gguf')
    await writeFile(path, writeScriptedGguf(entries, size, { promptTokens: 0, tokens: [], end }))
    await using file = await openModelFile(path, { threads: 1, signal })
    const vocabulary = readVocabulary(file.native, file.vocabularySize, [])
    const parts = [...words, ...vocabulary.controlTexts, ...vocabulary.controlTexts, ...vocabulary.controlTexts]
    const random = chances()
    const pick = (): string => parts[Math.floor(random.next().value * parts.length)] ?? ''
    let cuts = 0
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 1 + (round % 30) }, pick).join('')
      const stretches = vocabulary.cut(text)
      cuts += stretches.length - 1
      const joined = joinTokens(stretches.map((stretch) => vocabulary.tokenize(stretch, { special: true })))
      assert.deepEqual([...joined], [...file.native.tokenize(text, true)], JSON.stringify(text))
    }
    assert.ok(cuts > 300, `cut ${cuts} times`)
  })
