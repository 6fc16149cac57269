import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type GgufEntry, ggufFloats, ggufValue, readTexts } from '../../../../test/support/model-files/gguf-file.ts'
import { writeScriptedGguf } from '../../../../test/support/model-files/scripted-gguf.ts'
import { describeTokenizer, llama31, mistralNemo, qwen3, taught } from '../../../../test/support/model-files/tool-family.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { cutAtLines } from './cut-at-lines.ts'
import { type ModelFile, openModelFile } from './open-model-file.ts'
import { joinTokens } from './tokenize-stretches.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'

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

/** The same tokenizer with one entry changed. */
function change(tokenizer: Tokenizer, key: string, to: (value: Buffer) => Buffer): Tokenizer {
  return { ...tokenizer, entries: tokenizer.entries.map(([name, value]) => [name, name === key ? to(value) : value]) }
}

/** Names of patterns by which llama.cpp splits text for byte-pair tokenizers (`llama-vocab.cpp`), which differ in what they do at the end of a line. */
const patterns = [
  ...[
    'default',
    'llama-bpe',
    'deepseek-llm',
    'deepseek-v3',
    'falcon',
    'gpt-2',
    'qwen2',
    'bloom',
    'tekken',
    'chameleon',
    'gpt-4o',
    'kimi-k2',
  ],
  ...['superbpe', 'youtu', 'grok-2', 'gemma4'],
]

/** Numbers below 1, the same in every run (a linear congruential generator). */
function* chances(): Generator<number, never> {
  for (let state = 7; ; state = (state * 48_271) % 0x7fffffff) yield state / 0x7fffffff
}

/** Words drawn by chance, the same in every run. */
function writeWords(words: readonly string[], count: number, random: Iterator<number, never>): string {
  return Array.from({ length: count }, () => words[Math.floor(random.next().value * words.length)] ?? '').join('')
}

async function openVocabulary({
  entries,
  size,
  end,
}: Tokenizer): Promise<{ readonly vocabulary: Vocabulary } & Pick<ModelFile, 'native'> & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createTemporaryFolder())
  const path = join(folder.path, 'model.gguf')
  await writeFile(path, writeScriptedGguf(entries, size, { promptTokens: 0, tokens: [], end }))
  const file = opened.use(await openModelFile(path, { threads: 1, signal }))
  const kept = opened.move()
  return { vocabulary: readVocabulary(file, []), native: file.native, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Cuts a text, and checks that its stretches' tokens are its own. */
function cut(
  { vocabulary, native }: Awaited<ReturnType<typeof openVocabulary>>,
  text: string,
  special: boolean,
  stretches = vocabulary.cut(text, { special }),
): readonly string[] {
  const joined = joinTokens(stretches.map((stretch) => vocabulary.tokenize(stretch, { special })))
  assert.deepEqual([...joined], [...native.tokenize(text, special)], JSON.stringify(text))
  return stretches
}

const families = [taught, qwen3, llama31, mistralNemo].map((family) => [family.name, describeTokenizer(family)] as const)

suite('the tokens of stretches are those of the text', () => {
  const words = ['user', '\n', ' ', '  ', 'a', 'ab', ' ab', '<', '|', '[', ']', '<|', '|>', 'é', '€', '🦊', '123', "'s", '\r\n', '\t']

  for (const [name, tokenizer] of [...families, ['sentence-piece', describeSentencePiece()] as const])
    test(`cut at marks: ${name}`, async () => {
      await using opened = await openVocabulary(tokenizer)
      const marks = opened.vocabulary.controlTexts
      const random = chances()
      let cuts = 0
      for (let round = 0; round < 300; round++)
        cuts += cut(opened, writeWords([...words, ...marks, ...marks, ...marks], 1 + (round % 30), random), true).length - 1
      assert.ok(cuts > 300, `cut ${cuts} times`)
    })

  // White space that is one token or several, by where the text ends.
  const plain = describeTokenizer(taught)
  const known = readTexts(Object.fromEntries(plain.entries)['tokenizer.ggml.tokens'] ?? Buffer.alloc(0))
  const joined = ['ĊĊ', 'ĠĊ', 'ĠĠ', '.Ċ', '!Ċ', 'čĊ', 'Ċĉ'].filter((token) => !known.includes(token))
  const withTokens = change(plain, 'tokenizer.ggml.tokens', () => ggufValue([...known.slice(0, -joined.length), ...joined]))
  const merges = joined.map((token) => `${token[0]} ${token[1]}`)
  const withWhiteSpace = change(withTokens, 'tokenizer.ggml.merges', (others) => ggufValue([...merges, ...readTexts(others)]))
  for (const pattern of patterns)
    test(`cut at lines: ${pattern}`, async () => {
      await using opened = await openVocabulary(change(withWhiteSpace, 'tokenizer.ggml.pre', () => ggufValue(pattern)))
      const random = chances()
      const lines = [
        ...words,
        'The fox',
        ' jumps',
        '.',
        '. ',
        '!\n',
        '\n',
        '\n',
        '\n\n',
        ' \n',
        '\n ',
        '/',
        '漢字',
        '٣',
        'É',
        "'LL",
        '\u0301',
        '\u0085',
      ]
      for (let round = 0; round < 5; round++) {
        const text = writeWords(lines, 2000, random)
        assert.ok(cut(opened, text, false, cutAtLines(text, 1)).length > 5)
      }
      assert.ok(cut(opened, writeWords(lines, 6000, random), true).length > 3)
    })

  test('text of a SentencePiece model is not cut at lines, which would get a space before them', async () => {
    await using opened = await openVocabulary(describeSentencePiece())
    assert.equal(cut(opened, 'ab\n'.repeat(5000), false).length, 1)
  })

  test('text is not cut at lines where a token spans two', async () => {
    const span = (tokens: Buffer): Buffer => ggufValue([...readTexts(tokens).slice(0, -1), 'aĊb'])
    await using opened = await openVocabulary(change(describeTokenizer(taught), 'tokenizer.ggml.tokens', span))
    assert.equal(cut(opened, 'ab\n'.repeat(5000), false).length, 1)
  })
})
