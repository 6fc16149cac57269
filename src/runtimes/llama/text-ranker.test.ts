import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { miniChat } from '../../../test/support/mini-chat.ts'
import { begin, createReranker, end } from '../../../test/support/model-files/encoder-gguf.ts'
import { type GgufEntry, ggufValue } from '../../../test/support/model-files/gguf-file.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const { signal } = new AbortController()
/** Token ids of the miniature model's words. */
const [fox, dog, runs, far, the] = [5, 6, 7, 8, 9]
const query = 'the fox runs'
const documents = ['far', 'the dog runs far', 'fox', 'dog the the']
const asTokens = [[far], [the, dog, runs, far], [fox], [dog, the, the]] as const

interface Loaded extends AsyncDisposable {
  readonly model: TextModel
  readonly read: (tokens: readonly number[]) => number
}

async function load(...more: readonly GgufEntry[]): Promise<Loaded> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'reranker-')))
  const file = join(folder.path, 'model.gguf')
  const reranker = createReranker(more)
  await writeFile(file, reranker.file)
  const descriptor = { ...miniChat, id: 'reranker', folder: folder.path, file, generates: false, ranks: true, contextLength: null }
  const model = opened.use(await loadLlamaModel(descriptor, { threads: 1, slots: 1, signal }))
  const kept = opened.move()
  return { model, read: reranker.read, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function assertScores(actual: readonly number[] | undefined, logits: readonly number[]): void {
  const shares = logits.map((logit) => 1 / (1 + Math.exp(-logit)))
  const most = Math.max(...shares.map((share, index) => Math.abs(share - (actual?.[index] ?? Number.NaN))))
  assert.ok(most < 1e-3, `differs by ${most}`)
  assert.ok(Math.max(...shares) - Math.min(...shares) > 0.02, 'documents are distinguished')
}

suite('reranking', () => {
  test('scores documents as its reference formulas do, each after the query and a separator', async () => {
    await using loaded = await load()
    const pairs = asTokens.map((tokens) => [begin, the, fox, runs, end, ...tokens])
    const result = await loaded.model.rank?.({ model: 'reranker', query, documents }, { signal })
    assertScores(
      result?.scores,
      pairs.map((pair) => loaded.read(pair)),
    )
    assert.equal(result?.promptTokens, pairs.flat().length)
  })

  test('adds end tokens and the separator as its file specifies', async () => {
    await using loaded = await load(['tokenizer.ggml.add_eos_token', ggufValue(true)], ['tokenizer.ggml.add_sep_token', ggufValue(false)])
    const result = await loaded.model.rank?.({ model: 'reranker', query, documents }, { signal })
    assertScores(
      result?.scores,
      asTokens.map((tokens) => loaded.read([begin, the, fox, runs, end, ...tokens, end])),
    )
  })

  test('formats pairs with the template of its file', async () => {
    await using loaded = await load(['tokenizer.chat_template.rerank', ggufValue('[CLS]{document}[SEP][MASK]{query}')])
    const result = await loaded.model.rank?.({ model: 'reranker', query, documents }, { signal })
    assertScores(
      result?.scores,
      asTokens.map((tokens) => loaded.read([begin, ...tokens, end, 4, the, fox, runs])),
    )
  })

  test('treats control tokens in a text as plain text, and rejects a text that is too long before computing', async () => {
    await using loaded = await load()
    const hostile = await loaded.model.rank?.({ model: 'reranker', query: '[SEP]', documents: ['[CLS]'] }, { signal })
    assert.ok((hostile?.promptTokens ?? 0) >= 5)
    for (const [long, where] of [
      [{ query, documents: ['fox', 'fox '.repeat(80)] }, 'pair'],
      [{ query: 'fox '.repeat(1_000_000), documents }, 'query'],
      [{ query, documents: ['fox '.repeat(1_000_000)] }, 'document'],
    ] as const)
      await assert.rejects(
        async () => loaded.model.rank?.({ model: 'reranker', ...long }, { signal }),
        { code: 'context_length_exceeded', message: /^The query and a document have (?:at least )?\d+ tokens .* shorten them\.$/ },
        where,
      )
  })

  test('continues with the others when one waiting request leaves', async () => {
    await using loaded = await load()
    const leaving = new AbortController()
    const many = Array.from({ length: 50 }, () => 'the dog runs far')
    const left = assert.rejects(async () => loaded.model.rank?.({ model: 'reranker', query, documents: many }, { signal: leaving.signal }))
    const kept = loaded.model.rank?.({ model: 'reranker', query, documents }, { signal })
    leaving.abort()
    await left
    assert.equal((await kept)?.scores.length, documents.length)
  })
})
