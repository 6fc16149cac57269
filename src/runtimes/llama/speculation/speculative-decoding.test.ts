import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ask, miniChat, textOf } from '../../../../test/support/mini-chat.ts'
import { openScriptedModel } from '../../../../test/support/model-files/scripted-model.ts'
import { mistralNemo } from '../../../../test/support/model-files/tool-family.ts'
import type { TextModel } from '../../../core/ports/text-model.ts'
import type { ChatMessage, TextPart, TextRequest } from '../../../core/text-generation.ts'
import { loadLlamaModel } from '../load-llama-model.ts'

const signal = new AbortController().signal
type Loaded = TextModel & AsyncDisposable

/** A clock on which every batch takes a second, whatever its size, so that guessing is always worth it; it is read twice per batch. */
let seconds = 0

const open = (speculative: (typeof miniChat)['speculative']): Promise<Loaded> =>
  loadLlamaModel({ ...miniChat, speculative }, { threads: 1, slots: 3, now: () => 1000 * seconds++, signal })

const say = (role: 'user' | 'assistant', content: string): ChatMessage =>
  role === 'user' ? { role, content } : { role, content, toolCalls: [] }

/** A question that was answered before: its answer is entirely a quotation. */
const again = (changes: Parameters<typeof ask>[1] = {}): TextRequest => {
  const question = say('user', 'Who are you?')
  const answer = say('assistant', 'I am Sepia Mini, a very small language model that runs on your own machine.')
  return ask('', {
    ...changes,
    input: { type: 'chat', messages: [question, answer, question], tools: [], toolChoice: 'auto', parallelToolCalls: true },
  })
}

const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string', maxLength: 8 } }, required: ['a', 'b'] }

const requests: Readonly<Record<string, TextRequest>> = {
  'a quotation': again(),
  'a story': ask('Tell me a short story about a fox.', { maxTokens: 120 }),
  'a seeded story': ask('Tell me a short story about a fox.', { maxTokens: 120, sampling: { temperature: 1, topP: 0.9, seed: 3 } }),
  'an endless text': ask('Tell me a story.', { maxTokens: 200, sampling: { logitBias: new Map([0, 2].map((token) => [token, -100])) } }),
  'penalised repetition': again({ sampling: { frequencyPenalty: 1, repetitionPenalty: 1.2 } }),
  JSON: ask('Say something.', { maxTokens: 60, responseFormat: { type: 'json_schema', schema } }),
  'a stop string': again({ stop: ['language model'] }),
  'log probabilities': again({ topLogprobs: 2 }),
  'three choices': ask('Tell me a rhyme.', { choices: 3, sampling: { temperature: 1, seed: 4 } }),
}

for (const [name, speculative] of [
  ['prompt look-up', { method: 'prompt-lookup' }],
  ['a draft model', { method: 'draft-model', file: miniChat.file }],
] as const)
  suite(`with ${name}`, () => {
    let [plain, guessing]: [Loaded | null, Loaded | null] = [null, null]
    before(async () => {
      plain = await open(null)
      guessing = await open(speculative)
    })
    after(async () => {
      await plain?.[Symbol.asyncDispose]()
      await guessing?.[Symbol.asyncDispose]()
    })
    const run = (model: Loaded | null, request: TextRequest): Promise<TextPart[]> =>
      Array.fromAsync(model?.generate(request, { signal, account: 'a' }) ?? [])

    for (const [kind, request] of Object.entries(requests))
      test(`${kind} is the same as without speculation, every time`, async () => {
        const expected = byChoice(await run(plain, request))
        for (let time = 0; time < 2; time++) assert.deepEqual(byChoice(await run(guessing, request)), expected)
      })

    test('several texts at once are the same as alone', async () => {
      const together = [again(), again(), ask('Tell me a short story about a fox.')]
      const expected = await Promise.all(together.map(async (request) => textOf(await run(plain, request))))
      const answers = await Promise.all(together.map(async (request) => textOf(await run(guessing, request))))
      assert.deepEqual(answers, expected)
    })

    test('a quotation takes fewer batches than tokens', async () => {
      await run(guessing, again())
      const before = seconds
      const parts = await run(guessing, again())
      const finish = parts.at(-1)
      assert.ok(finish?.type === 'finish')
      assert.ok((seconds - before) / 2 < 0.6 * finish.usage.completionTokens)
    })

    test('the number of guesses, accepted guesses and the cache usage are reported while a text is generated', async () => {
      const before = guessing?.figures?.()
      let fullest = 0
      for await (const _ of guessing?.generate(again(), { signal, account: 'a' }) ?? [])
        fullest = Math.max(fullest, guessing?.figures?.()?.cacheUse ?? 0)
      const after = guessing?.figures?.()
      assert.ok(before && after)
      const made = after.guessedTokens - before.guessedTokens
      const right = after.rightTokens - before.rightTokens
      assert.ok(after.guesses > before.guesses && right > 0 && right <= made, JSON.stringify(after))
      assert.ok(fullest > 0 && fullest <= 1 / 3, `${fullest}`)
      assert.equal(after.cacheUse, 0)
      const { guesses, guessedTokens } = plain?.figures?.() ?? {}
      assert.deepEqual([guesses, guessedTokens], [0, 0])
    })
  })

/** The parts of every choice, without the number of cached prompt tokens. */
function byChoice(parts: readonly TextPart[]): unknown {
  const finish = parts.at(-1)
  assert.ok(finish?.type === 'finish')
  return [finish.usage.completionTokens, ...[0, 1, 2].map((choice) => parts.filter((part) => 'choice' in part && part.choice === choice))]
}

test('a draft model that cannot be read is reported by name', async () => {
  await assert.rejects(open({ method: 'draft-model', file: `${miniChat.folder}model.json` }), /model\.json/)
})

test('a draft model of another family is rejected, with the first token that differs', async () => {
  await using other = await openScriptedModel(mistralNemo)
  await assert.rejects(open({ method: 'draft-model', file: other.descriptor.file }), /its token \d+ is .+ instead of/)
})
