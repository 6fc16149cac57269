import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { ask, miniChat, textOf } from '../../../test/support/mini-chat.ts'
import { makeAdapter, mergeAdapters, writeAdapter } from '../../../test/support/model-files/lora-gguf.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { AdapterUse, TextPart } from '../../core/text-generation.ts'
import { AdapterShelf } from './adapter-shelf.ts'
import { type LlamaModel, loadLlamaModel } from './load-llama-model.ts'

const signal = new AbortController().signal
/** Bans both tokens that end an answer. */
const endless = {
  logitBias: new Map([
    [2, -100],
    [0, -100],
  ]),
}

suite('LoRA adapters of a language model', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let base: Buffer
  let model: LlamaModel
  let files: readonly AssetDescriptor[]
  const seeds = { one: 1, two: 2 } as const
  const write = async (name: string, content: Buffer): Promise<string> => {
    await writeFile(join(folder.path, `${name}.gguf`), content)
    return join(folder.path, `${name}.gguf`)
  }
  const describe = async (name: string, content: Buffer): Promise<AssetDescriptor> => {
    const file = await write(name, content)
    return { kind: 'adapter', name, file, family: null, architecture: 'llama', bytes: content.length, created: (await stat(file)).mtimeMs }
  }
  before(async () => {
    folder = await createTemporaryFolder()
    base = mergeAdapters(await readFile(miniChat.file), [])
    files = await Promise.all(Object.entries(seeds).map(([name, seed]) => describe(name, writeAdapter(makeAdapter(base, seed)))))
    model = await loadLlamaModel({ ...miniChat, file: await write('base', base) }, { threads: 1, slots: 4, signal })
  })
  after(async () => {
    await model[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('that make the model compute NaN are reported by name, and other answers are unaffected', async () => {
    const weights = makeAdapter(base, 3)
    const broken = weights.map((change) => ({ ...change, b: change.b.map(() => Number.NaN) }))
    const huge = weights.map((change) => ({ ...change, a: change.a.map(() => 3e38), b: change.b.map(() => 3e38) }))
    const more = [await describe('broken', writeAdapter(broken)), await describe('huge', writeAdapter(huge))]
    const from = (name: string | null) =>
      Array.fromAsync(
        model.generate(
          { ...ask(question, { maxTokens: 24, sampling: endless }), ...(name !== null && { adapters: [{ name, scale: 1 }] }) },
          { signal, account: name ?? 'a', adapters: [...files, ...more] },
        ),
      )
    const alone = textOf(await from(null))
    const [first, second, beside] = await Promise.allSettled([from('broken'), from('huge'), from(null)])
    for (const [name, { reason }] of [
      ['broken', Object(first)],
      ['huge', Object(second)],
    ] as const) {
      assert.equal(reason?.code, 'unsupported_parameter')
      assert.match(String(reason?.message), new RegExp(`^\`lora\` names ${name}, with which the model produced NaN`))
    }
    assert.equal(textOf(beside.status === 'fulfilled' ? beside.value : []), alone)
  })

  const question = 'What is the capital of France?'
  const answer = async (adapters: readonly AdapterUse[], { from = model, text = question } = {}): Promise<readonly TextPart[]> =>
    Array.fromAsync(
      from.generate({ ...ask(text, { maxTokens: 24, sampling: endless }), adapters }, { signal, account: 'a', adapters: files }),
    )
  const sets: readonly (readonly AdapterUse[])[] = [
    [],
    [{ name: 'one', scale: 1 }],
    [{ name: 'two', scale: 0.5 }],
    [
      { name: 'two', scale: -1 },
      { name: 'one', scale: 0.75 },
    ],
  ]

  test('change the answer exactly like merged weights', async () => {
    const texts = new Set<string>()
    for (const [index, set] of sets.entries()) {
      const adapters = set.map(({ name, scale }) => ({ changes: makeAdapter(base, seeds[name === 'one' ? 'one' : 'two']), scale }))
      const file = await write(`merged-${index}`, mergeAdapters(await readFile(miniChat.file), adapters))
      await using merged = await loadLlamaModel({ ...miniChat, file }, { threads: 1, slots: 1, signal })
      const text = textOf(await answer(set))
      assert.equal(text, textOf(await answer([], { from: merged })))
      texts.add(text)
    }
    assert.equal(texts.size, sets.length)
  })

  test('give the same answers in one batch as one after another', async () => {
    const alone: string[] = []
    for (const set of sets) alone.push(textOf(await answer(set)))
    const together = await Promise.all(sets.map((set) => answer(set)))
    assert.deepEqual(
      together.map((parts) => textOf(parts)),
      alone,
    )
  })

  test('share a cached prompt only with the same set, in any order', async () => {
    const text = 'Name three rivers of Europe, please, and a town at each of them.'
    const cached = async (set: readonly AdapterUse[]) => {
      const parts = await answer(set, { text })
      const prompt = parts.find((part) => part.type === 'prompt')
      return prompt?.type === 'prompt' ? prompt.usage.cachedTokens > 10 : null
    }
    const both = sets[3] ?? []
    assert.deepEqual([await cached([]), await cached(both), await cached(both.toReversed()), await cached([])], [false, false, true, true])
  })

  test('are rejected by name if they are missing or do not fit', async () => {
    await assert.rejects(answer([{ name: 'gone', scale: 1 }]), {
      code: 'unsupported_parameter',
      param: 'lora',
      message: /names gone, which is not installed/,
    })
    const [first, ...others] = makeAdapter(base, 3)
    assert.ok(first)
    const [columns, rows] = first.shape
    const other = await describe(
      'other',
      writeAdapter([{ ...first, shape: [columns, rows / 2], b: first.b.slice(first.b.length / 2) }, ...others]),
    )
    const foreign = await describe('foreign', writeAdapter([{ ...first, name: 'blk.77.attn_q.weight' }]))
    for (const [file, reason] of [
      [other, /names other, which does not fit sepia-mini-chat \(its blk.0.attn_q.weight has another shape\)/],
      [foreign, /it changes blk.77.attn_q.weight, which the model does not have/],
    ] as const) {
      const request = { ...ask(question), adapters: [{ name: file.name, scale: 1 }] }
      const parts = model.generate(request, { signal, account: 'a', adapters: [file] })
      await assert.rejects(Array.fromAsync(parts), { code: 'unsupported_parameter', param: 'lora', message: reason })
    }
    assert.notEqual(textOf(await answer(sets[1] ?? [])), '')
  })

  test('are read to the end before the model is freed', async () => {
    const read = Promise.withResolvers<bigint>()
    const native = { readAdapter: () => read.promise, freeAdapter: () => {} }
    const loop = { between: async <Result>(compute: () => Promise<Result>) => compute(), dropAdapters: () => {} }
    const shelf = new AdapterShelf({ model: 'm', native, loop })
    const leased = shelf.lease([{ name: 'one', scale: 1 }], files)
    const events: string[] = []
    const disposed = shelf[Symbol.asyncDispose]().then(() => events.push('disposed'))
    await assert.rejects(shelf.lease([{ name: 'two', scale: 1 }], files), { code: 'shutting_down' })
    events.push('read')
    read.resolve(1n)
    await Promise.all([leased, disposed])
    assert.deepEqual(events, ['read', 'disposed'])
  })

  test('are freed after others have been used, and loaded again when needed', async () => {
    const expected = textOf(await answer(sets[1] ?? []))
    for (let seed = 10; seed < 20; seed++) {
      const file = await describe(`many-${seed}`, writeAdapter(makeAdapter(base, seed)))
      const request = { ...ask(question, { maxTokens: 2 }), adapters: [{ name: file.name, scale: 1 }] }
      await Array.fromAsync(model.generate(request, { signal, account: 'a', adapters: [file] }))
    }
    assert.equal(textOf(await answer(sets[1] ?? [])), expected)
  })
})
