import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ask, miniChat, textOf } from '../../../test/support/mini-chat.ts'
import { ServiceError } from '../../core/error.ts'
import type { TextPart, TextRequest } from '../../core/text-generation.ts'
import { type LlamaModel, loadLlamaModel } from './load-llama-model.ts'

const signal = new AbortController().signal
/** Bans both tokens that end an answer. */
const endless = {
  logitBias: new Map([
    [2, -100],
    [0, -100],
  ]),
}

suite('the built-in language model', () => {
  let model: LlamaModel
  before(async () => {
    model = await loadLlamaModel(miniChat, { threads: 1, slots: 3, signal })
  })
  after(() => model[Symbol.asyncDispose]())

  const run = (request: TextRequest, account = 'a'): Promise<TextPart[]> => Array.fromAsync(model.generate(request, { signal, account }))

  test('knows the capital of France', async () => {
    const parts = await run(ask('What is the capital of France?'))
    assert.equal(textOf(parts), 'The capital of France is Paris.')
    assert.deepEqual(parts.slice(-2), [
      { type: 'choice-finish', choice: 0, reason: 'stop' },
      { type: 'finish', usage: { promptTokens: 15, completionTokens: 7, cachedTokens: 0 } },
    ])
  })

  test('gives the same answer with another number of threads', async () => {
    const question = ask('What is the capital of France?')
    model.useThreads(2)
    assert.equal(textOf(await run(question)), 'The capital of France is Paris.')
    model.useThreads(1)
    assert.equal(textOf(await run(question)), 'The capital of France is Paris.')
  })

  test('reuses the account’s own prompt, never another’s', async () => {
    const question = ask('What is the capital of Norway?')
    await run(question, 'norwegian')
    const again = await run(question, 'norwegian')
    const other = await run(question, 'somebody else')
    assert.equal(usageOf(again).cachedTokens, usageOf(again).promptTokens - 1)
    assert.equal(usageOf(other).cachedTokens, 0)
    assert.equal(textOf(again), textOf(other))
  })

  test('rejects at once what can never fit', async () => {
    const messages = Array.from({ length: 100_000 }, () => ({ role: 'user', content: '' }) as const)
    const endlessTalk = ask('', { input: { type: 'chat', messages, tools: [], toolChoice: 'auto', parallelToolCalls: true } })
    await assert.rejects(run(endlessTalk), { code: 'context_length_exceeded', message: /at least 100000 tokens .* holds 1024/ })
    await assert.rejects(run(ask('word '.repeat(1_000_000))), { code: 'context_length_exceeded', message: /at least \d+ tokens/ })
  })

  test('stops at the token limit and reports it', async () => {
    const parts = await run(ask('Tell me a short story.', { maxTokens: 5 }))
    assert.deepEqual(parts.at(-2), { type: 'choice-finish', choice: 0, reason: 'length' })
    assert.equal(usageOf(parts).completionTokens, 5)
  })

  test('ends before a stop string that spans tokens', async () => {
    const parts = await run(ask('What is the capital of France?', { stop: ['of Fr'] }))
    assert.equal(textOf(parts), 'The capital ')
    assert.deepEqual(parts.at(-2), { type: 'choice-finish', choice: 0, reason: 'stop', stop: 'of Fr' })
  })

  test('generates the same text for the same seed, whatever runs beside it', async () => {
    const story = ask('Tell me a short story.', { sampling: { temperature: 1, seed: 7 } })
    const alone = textOf(await run(story))
    const beside = await Promise.all([
      run(ask('Tell me a joke.', { sampling: { temperature: 1 } }), 'b'),
      run(story),
      run(ask('What is 2 + 3?'), 'c'),
    ])
    assert.equal(textOf(beside[1]), alone)
    const otherSeed = await run(ask('Tell me a short story.', { sampling: { temperature: 1, seed: 8 } }))
    assert.notEqual(textOf(otherSeed), alone)
  })

  test('generates several choices from one prompt', async () => {
    const parts = await run(ask('Tell me a short story.', { choices: 4, maxTokens: 30, sampling: { temperature: 1, seed: 3 } }))
    const texts = [0, 1, 2, 3].map((choice) => textOf(parts, choice))
    assert.equal(new Set(texts).size, 4)
    assert.equal(parts.filter((part) => part.type === 'choice-finish').length, 4)
    assert.equal(parts.filter((part) => part.type === 'finish').length, 1)
    assert.equal(usageOf(parts).completionTokens, 120)
  })

  test('returns log probabilities that cover the text and sum to less than one', async () => {
    const parts = await run(ask('What is the capital of France?', { topLogprobs: 3 }))
    const logprobs = parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))
    assert.equal(logprobs.map((entry) => entry.token).join(''), textOf(parts))
    for (const entry of logprobs) {
      assert.equal(entry.top.length, 3)
      assert.equal(entry.top[0]?.token, entry.token)
      assert.equal(entry.top[0]?.logprob, entry.logprob)
      assert.ok(entry.top.reduce((sum, top) => sum + Math.exp(top.logprob), 0) <= 1.0001)
      assert.equal(Buffer.from(entry.bytes).toString(), entry.token)
    }
  })

  test('bans a token by its bias, and rejects a token that does not exist', async () => {
    const question = 'What is the capital of France?'
    const [first] = (await run(ask(question, { topLogprobs: 0 }))).flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))
    const banned = Array.from({ length: 4096 }, (_, token) => token).filter((token) => token !== 2)
    const silent = await run(ask(question, { sampling: { logitBias: new Map(banned.map((token) => [token, -100])) } }))
    assert.equal(first?.token, 'The')
    assert.equal(textOf(silent), '')
    await assert.rejects(run(ask('Hi', { sampling: { logitBias: new Map([[4096, 1]]) } })), {
      code: 'invalid_request_error',
      param: 'logit_bias',
    })
  })

  test('frequency and presence penalties stop repetition', async () => {
    const endless = {
      maxTokens: 60,
      sampling: {
        logitBias: new Map([
          [2, -100],
          [0, -100],
        ]),
      },
    }
    const count = (parts: readonly TextPart[]): number => new Set(textOf(parts).split(' ')).size
    const plain = await run(ask('Say hello.', endless))
    const penalised = await run(
      ask('Say hello.', { ...endless, sampling: { ...endless.sampling, frequencyPenalty: 1, presencePenalty: 1 } }),
    )
    assert.ok(count(penalised) > count(plain))
  })

  test('echoes a plain prompt on request', async () => {
    const prompt = ask('', { maxTokens: 4, input: { type: 'prompt', prompt: 'The capital of', echo: true } })
    assert.ok(textOf(await run(prompt)).startsWith('The capital of'))
  })

  test('never parses a control token in a user’s text', async () => {
    const plain = usageOf(await run(ask('a <|im_end|> b', { maxTokens: 1 })))
    const control = usageOf(await run(ask('a  b', { maxTokens: 1 })))
    assert.ok(plain.promptTokens > control.promptTokens + 1)
  })

  test('rejects a prompt longer than the context with both numbers', async () => {
    await assert.rejects(
      run(ask('hello '.repeat(2000))),
      (error) => error instanceof ServiceError && error.code === 'context_length_exceeded' && /2009.*1024/.test(error.message),
    )
  })

  test('an abort ends the iteration with the reason and frees the sequence', async () => {
    const cancel = new AbortController()
    const reason = new Error('the client left')
    const endless = ask('Tell me a story.', {
      maxTokens: 900,
      sampling: {
        temperature: 1,
        logitBias: new Map([
          [2, -100],
          [0, -100],
        ]),
      },
    })
    await assert.rejects(async () => {
      for await (const part of model.generate(endless, { signal: cancel.signal, account: 'a' }))
        if (part.type === 'text') cancel.abort(reason)
    }, reason)
    const parts = await Promise.all([1, 2, 3].map(() => run(ask('What is the capital of Spain?'))))
    assert.deepEqual(new Set(parts.map((each) => textOf(each))), new Set(['The capital of Spain is Madrid.']))
  })

  test('more requests than sequences wait their turn', async () => {
    const answers = await Promise.all(
      ['Italy', 'Japan', 'Kenya', 'Peru', 'Chad', 'Oman', 'Cuba'].map((name) => run(ask(`What is the capital of ${name}?`))),
    )
    const capitals = ['Rome', 'Tokyo', 'Nairobi', 'Lima', "N'Djamena", 'Muscat', 'Havana']
    for (const [index, capital] of capitals.entries()) assert.match(textOf(answers[index] ?? []), new RegExp(capital))
  })
})

test('unloading ends running requests and rejects later ones', async () => {
  const model = await loadLlamaModel(miniChat, { threads: 1, slots: 1, signal })
  const parts = model
    .generate(ask('Tell me a story.', { maxTokens: 900, sampling: endless }), { signal, account: 'a' })
    [Symbol.asyncIterator]()
  await parts.next()
  await model[Symbol.asyncDispose]()
  await assert.rejects(
    async () => {
      for (let next = await parts.next(); next.done !== true; next = await parts.next());
    },
    { code: 'shutting_down' },
  )
})

test('a file that is not a model is rejected by name', async () => {
  const broken = { ...miniChat, file: `${miniChat.folder}README.md` }
  await assert.rejects(loadLlamaModel(broken, { threads: 1, slots: 1, signal }), { code: 'inference_failed' })
})

function usageOf(parts: readonly TextPart[]): { promptTokens: number; completionTokens: number; cachedTokens: number } {
  const last = parts.at(-1)
  assert.equal(last?.type, 'finish')
  return last.usage
}
