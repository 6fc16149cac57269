import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type GgufEntry, ggufFloats, ggufValue, readTexts } from '../../../../test/support/model-files/gguf-file.ts'
import { writeScriptedGguf } from '../../../../test/support/model-files/scripted-gguf.ts'
import { describeTokenizer, llama31, mistralNemo, qwen3, taught } from '../../../../test/support/model-files/tool-family.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { joinTokens } from './cut-at-marks.ts'
import { cutText } from './cut-text.ts'
import type { NativeModel } from './native-model.ts'
import { type ModelFile, openModelFile } from './open-model-file.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'

const { signal } = new AbortController()

interface Tokenizer {
  readonly entries: readonly GgufEntry[]
  readonly size: number
  readonly end: number
}

/** SentencePiece adds a space before a text, and before the text after a control token. */
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

/** Gemma 4's kind: byte pairs spelled like SentencePiece, and merged across lines. */
function describeGemma(): Tokenizer {
  const { entries, size, end } = describeSentencePiece()
  const stated = entries.filter(([key]) => key !== 'tokenizer.ggml.model' && key !== 'tokenizer.ggml.scores')
  const merges = ['▁ a', 'a b', '▁ ab']
  return { entries: [...stated, ['tokenizer.ggml.model', ggufValue('gemma4')], ['tokenizer.ggml.merges', ggufValue(merges)]], size, end }
}

/** The same tokenizer with one entry changed. */
function change(tokenizer: Tokenizer, key: string, to: (value: Buffer) => Buffer): Tokenizer {
  return { ...tokenizer, entries: tokenizer.entries.map(([name, value]) => [name, name === key ? to(value) : value]) }
}

/** PLaMo-2's kind, which does not escape spaces and ▁. */
const plamo = change(describeSentencePiece(), 'tokenizer.ggml.model', () => ggufValue('plamo2'))

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

/** Random words, the same in every run. */
function writeWords(words: readonly string[], count: number, random: Iterator<number, never>): string {
  return Array.from({ length: count }, () => words[Math.floor(random.next().value * words.length)] ?? '').join('')
}

async function openVocabulary(
  tokenizer: Tokenizer,
): Promise<{ readonly vocabulary: Vocabulary } & Pick<ModelFile, 'native' | 'cuts'> & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createTemporaryFolder())
  const path = join(folder.path, 'model.gguf')
  await writeFile(path, writeScriptedGguf(tokenizer).bytes)
  const file = opened.use(await openModelFile(path, { signal }))
  const kept = opened.move()
  return { vocabulary: readVocabulary(file, []), native: file.native, cuts: file.cuts, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Splits a text, and checks that the tokens of its pieces equal those of the text. */
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

function detokenize({ library, pointer }: NativeModel, tokens: readonly number[]): string {
  const { llama_detokenize, llama_model_get_vocab } = library.functions
  const text = Buffer.alloc(4096)
  const bytes = llama_detokenize(llama_model_get_vocab(pointer), Int32Array.from(tokens), tokens.length, text, text.length, false, false)
  return text.toString('utf8', 0, bytes)
}

const families = [taught, qwen3, llama31, mistralNemo].map((family) => [family.name, describeTokenizer(family)] as const)

for (const [name, tokenizer] of [
  ...families,
  ['sentence-piece', describeSentencePiece()] as const,
  ['gemma-4', describeGemma()] as const,
  ['plamo-2', plamo] as const,
])
  test(`every token decodes as in llama.cpp: ${name}`, async () => {
    await using opened = await openVocabulary(tokenizer)
    const [first = 0] = opened.vocabulary.tokenize('a', { special: false }).slice(-1)
    for (let token = 0; token < opened.vocabulary.size; token++) {
      const { text } = opened.vocabulary.piece(token)
      if (text !== null) assert.equal(text, detokenize(opened.native, [first, token]).slice(1), `token ${token}`)
    }
  })

test('a file whose vocabulary would abort the process is rejected', async () => {
  const twice = change(describeSentencePiece(), 'tokenizer.ggml.tokens', (tokens) => ggufValue(readTexts(tokens).with(-1, 'a')))
  await assert.rejects(openVocabulary(twice), { code: 'inference_failed', message: /has two tokens "a"/ })
})

test('a file without begin and end tokens is read', async () => {
  const { entries, ...rest } = describeTokenizer(qwen3)
  await using opened = await openVocabulary({ ...rest, entries: entries.filter(([key]) => !/(?:bos|eos)_token_id$/.test(key)) })
  const { begin, beginText, end, endText } = opened.vocabulary
  assert.deepEqual({ begin, beginText, end, endText }, { begin: null, beginText: '', end: null, endText: '' })
})

suite('the tokens of the pieces equal those of the text', () => {
  const words = ['user', '\n', ' ', '  ', 'a', 'ab', ' ab', '<', '|', '[', ']', '<|', '|>', 'é', '€', '🦊', '123', "'s", '\r\n', '\t']

  for (const [name, tokenizer] of [...families, ['sentence-piece', describeSentencePiece()] as const])
    test(`split at marks: ${name}`, async () => {
      await using opened = await openVocabulary(tokenizer)
      const marks = opened.vocabulary.controlTexts
      const random = chances()
      let cuts = 0
      for (let round = 0; round < 150; round++)
        cuts += cut(opened, writeWords([...words, ...marks, ...marks, ...marks], 1 + (round % 30), random), true).length - 1
      assert.ok(cuts > 150, `cut ${cuts} times`)
    })

  // White space that is one token or several, depending on where the text ends.
  const plain = describeTokenizer(taught)
  const known = readTexts(Object.fromEntries(plain.entries)['tokenizer.ggml.tokens'] ?? Buffer.alloc(0))
  const joined = ['ĊĊ', 'ĠĊ', 'ĠĠ', '.Ċ', '!Ċ', 'čĊ', 'Ċĉ'].filter((token) => !known.includes(token))
  const withTokens = change(plain, 'tokenizer.ggml.tokens', () => ggufValue([...known.slice(0, -joined.length), ...joined]))
  const merges = joined.map((token) => `${token[0]} ${token[1]}`)
  const withWhiteSpace = change(withTokens, 'tokenizer.ggml.merges', (others) => ggufValue([...merges, ...readTexts(others)]))
  for (const pattern of patterns)
    test(`split at words and lines: ${pattern}`, async () => {
      const split = change(withWhiteSpace, 'tokenizer.ggml.pre', () => ggufValue(pattern))
      await using opened = await openVocabulary(pattern === 'gemma4' ? describeGemma() : split)
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
        const text = writeWords(lines, 400, random)
        assert.ok(cut(opened, text, false, cutText(text, opened.cuts, 1)).length > 5)
      }
      assert.ok(cut(opened, writeWords(lines, 3000, random), true).length > 1)
    })

  for (const addsSpace of [true, false])
    test(`split at words: SentencePiece that adds ${addsSpace ? 'a' : 'no'} space before a text`, async () => {
      const { entries, ...rest } = describeSentencePiece()
      const stated = { ...rest, entries: [...entries, ['tokenizer.ggml.add_space_prefix', ggufValue(addsSpace)] as const] }
      await using opened = await openVocabulary(stated)
      const random = chances()
      for (let round = 0; round < 10; round++) {
        const text = writeWords([...words, ' a', ' ab', ' user', '[INST]', '</s>', '▁'], 500, random)
        for (const special of [false, true]) assert.ok(cut(opened, text, special, cutText(text, opened.cuts, 1)).length > 5)
      }
      assert.ok(cut(opened, writeWords([...words, ' ab', ' user'], 3000, random), false).length > 1)
    })

  for (const [what, token, text] of [
    ['two lines', 'aĊb', 'ab\n'.repeat(2000)],
    ['two words', 'aĠ', 'ab ab'.repeat(1500)],
  ] as const)
    test(`text is not split where a token spans ${what}`, async () => {
      const span = (tokens: Buffer): Buffer => ggufValue([...readTexts(tokens).slice(0, -1), token])
      await using opened = await openVocabulary(change(describeTokenizer(taught), 'tokenizer.ggml.tokens', span))
      assert.equal(cut(opened, text, false).length, 1)
    })

  for (const pattern of ['deepseek-llm', 'deepseek-v3', 'falcon', 'bloom', 'tekken', 'gpt-4o'])
    test(`a word that would crash std::regex is split: ${pattern}`, async () => {
      await using opened = await openVocabulary(change(plain, 'tokenizer.ggml.pre', () => ggufValue(pattern)))
      const { vocabulary } = opened
      for (const word of ['a', ' ', '!', '\n', '漢', '\u0301', 'aGVsbG8gd29ybGQ9']) {
        const text = word.repeat(Math.ceil(40_000 / word.length))
        const spelled = Buffer.concat([...vocabulary.tokenize(text, { special: false })].map((token) => vocabulary.spell(token)))
        assert.ok(spelled.toString() === text, `${word.codePointAt(0)?.toString(16)} is spelled again`)
      }
    })

  for (const addsSpace of [true, false])
    test(`a word that would take minutes to tokenize is split: SentencePiece that adds ${addsSpace ? 'a' : 'no'} space before a text`, async () => {
      const { entries, ...rest } = describeSentencePiece()
      const stated = { ...rest, entries: [...entries, ['tokenizer.ggml.add_space_prefix', ggufValue(addsSpace)] as const] }
      await using opened = await openVocabulary(stated)
      const { vocabulary, cuts } = opened
      for (const word of ['a', '漢', ' ', ' 1', '\n', 'aGVsbG8gd29ybGQ9', '漢字。']) {
        const text = word.repeat(Math.ceil(10_000 / word.length))
        for (const special of [false, true]) {
          const stretches = vocabulary.cut(text, { special })
          assert.ok(stretches.every(({ length }) => length <= cuts.longest))
          const tokens = stretches.flatMap((stretch) => [...vocabulary.tokenize(stretch, { special })])
          const spelled = Buffer.concat(tokens.map((token) => vocabulary.spell(token))).toString()
          assert.ok(spelled === (addsSpace ? ` ${text}` : text), `${word.codePointAt(0)?.toString(16)} is spelled again`)
          assert.deepEqual([...vocabulary.tokenize(text, { special })], tokens)
        }
      }
    })

  for (const [pattern, run] of [
    ['deepseek-llm', `${' '.repeat(20_000)}漢`],
    ['superbpe', '1'.repeat(20_000)],
  ] as const)
    test(`a run that would take seconds to tokenize is split: ${pattern}`, async () => {
      await using opened = await openVocabulary(change(plain, 'tokenizer.ggml.pre', () => ggufValue(pattern)))
      const { vocabulary, cuts } = opened
      const stretches = vocabulary.cut(`The fox${run}jumps over 1234567 dogs.`, { special: false })
      assert.ok(stretches.length > 75 && stretches.every(({ length }) => length <= 2 * cuts.longestRun))
      const spelled = stretches.flatMap((stretch) => [...vocabulary.tokenize(stretch, { special: false })]).map(vocabulary.spell)
      assert.equal(Buffer.concat(spelled).toString(), `The fox${run}jumps over 1234567 dogs.`)
    })
})
