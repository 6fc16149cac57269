import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ask, miniChat, textOf } from '../../../test/support/mini-chat.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { ChatMessage, EndingRules, ResponseFormat, TextPart, TextRequest } from '../../core/text-generation.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const { signal } = new AbortController()
const question = 'What is the capital of France?'
const plain: EndingRules = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: false }

suite('llama.cpp and vLLM extensions of the built-in model', () => {
  let model: TextModel & AsyncDisposable
  before(async () => {
    model = await loadLlamaModel(miniChat, { threads: 1, slots: 4, signal })
  })
  after(() => model[Symbol.asyncDispose]())

  const run = (request: TextRequest): Promise<TextPart[]> => Array.fromAsync(model.generate(request, { signal, account: 'a' }))
  const tokensOf = (parts: readonly TextPart[]): number =>
    parts.flatMap((part) => (part.type === 'finish' ? [part.usage.completionTokens] : []))[0] ?? 0
  const reasonOf = (parts: readonly TextPart[]) => parts.find((part) => part.type === 'choice-finish')?.reason

  test('an answer with ignore_eos continues to its limit', async () => {
    const parts = await run(ask(question, { maxTokens: 40, ending: { ...plain, ignoreEnd: true } }))
    assert.equal(tokensOf(parts), 40)
    assert.equal(reasonOf(parts), 'length')
    assert.match(textOf(parts), /^The capital of France is Paris\./)
  })

  test('an answer has at least min_tokens tokens, and stop strings are ignored until then', async () => {
    const alone = tokensOf(await run(ask(question)))
    const parts = await run(ask(question, { stop: ['France'], ending: { ...plain, minTokens: alone + 5 } }))
    assert.ok(tokensOf(parts) >= alone + 5, String(tokensOf(parts)))
    assert.match(textOf(parts), /^The capital of France is Paris\./)
  })

  test('the stop string is included in the answer on request', async () => {
    const parts = await run(ask(question, { stop: ['of Fr'], ending: { ...plain, includeStop: true } }))
    assert.equal(textOf(parts), 'The capital of Fr')
    assert.equal(reasonOf(parts), 'stop')
  })

  test('a stop token ends the answer and is not part of it', async () => {
    const logprobs = (await run(ask(question, { topLogprobs: 0 }))).flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))
    const text = { type: 'text', text: ' Paris', framed: false, special: false } as const
    const paris = (await model.tokenize?.({ model: miniChat.id, input: text, spelled: false }, { signal, account: 'a' }))?.tokens.at(-1)
    assert.ok(paris !== undefined && logprobs.some(({ token }) => token === ' Paris'))
    const parts = await run(ask(question, { ending: { ...plain, stopTokens: [paris] } }))
    assert.equal(textOf(parts), 'The capital of France is')
    assert.equal(reasonOf(parts), 'stop')
  })

  test('a stop token that does not exist is rejected by name', async () => {
    await assert.rejects(run(ask(question, { ending: { ...plain, stopTokens: [999_999] } })), { param: 'stop_token_ids' })
  })

  const formats: readonly (readonly [what: string, format: ResponseFormat, valid: RegExp])[] = [
    [
      'a grammar',
      { type: 'grammar', grammar: 'root ::= word (" " word){2} "."\nword ::= [a-z]{2,6}', field: 'grammar' },
      /^[a-z]{2,6}( [a-z]{2,6}){2}\.$/,
    ],
    ['a regular expression', { type: 'regex', pattern: '(\\d{3}-){2}\\d{4}', field: 'guided_regex' }, /^(\d{3}-){2}\d{4}$/],
    [
      'a choice',
      { type: 'choice', options: ['Berlin', 'Paris', 'Par "quoted" \\'], field: 'guided_choice' },
      /^(Berlin|Paris|Par "quoted" \\)$/,
    ],
  ]
  for (const [what, responseFormat, valid] of formats)
    test(`every answer follows ${what}`, async () => {
      const requests = Array.from({ length: 6 }, (_, seed) => ask(question, { responseFormat, sampling: { temperature: 1, seed } }))
      for (const parts of await Promise.all(requests.map(run))) assert.match(textOf(parts), valid)
    })

  const faulty: readonly (readonly [what: string, format: ResponseFormat, message: RegExp])[] = [
    ['a grammar', { type: 'grammar', grammar: 'root ::= nothing', field: 'grammar' }, /"nothing" is not defined/],
    ['a regular expression', { type: 'regex', pattern: '(?=a)', field: 'guided_regex' }, /lookaround/],
    ['a schema', { type: 'json_schema', schema: { not: {} }, field: 'guided_json' }, /"not" at #/],
  ]
  for (const [what, responseFormat, message] of faulty)
    test(`${what} that cannot be followed is rejected by the name of its field`, async () => {
      const param = 'field' in responseFormat ? responseFormat.field : undefined
      await assert.rejects(run(ask(question, { responseFormat })), { code: 'unsupported_parameter', param, message })
    })

  const chat = (messages: readonly ChatMessage[], opening: 'last-message' | 'bare'): TextRequest =>
    ask('', { input: { type: 'chat', messages, tools: [], toolChoice: 'none', parallelToolCalls: true, opening } })

  test('a conversation that may be truncated keeps its instructions and its end', async () => {
    const turns = Array.from({ length: 40 }, (_, index): readonly ChatMessage[] => [
      { role: 'user', content: `Question ${index}: ${'some words to fill the context with '.repeat(8)}` },
      { role: 'assistant', content: 'Yes.' },
    ]).flat()
    const last: ChatMessage = { role: 'user', content: 'What is the capital of France?' }
    const talk = (messages: readonly ChatMessage[], dropsOldest: boolean): TextRequest => ({
      ...chat(messages, 'bare'),
      input: { type: 'chat', messages, tools: [], toolChoice: 'none', parallelToolCalls: true, dropsOldest },
      maxTokens: 8,
    })
    const long: readonly ChatMessage[] = [{ role: 'system', content: 'You are brief.' }, ...turns, last]
    await assert.rejects(run(talk(long, false)), { code: 'context_length_exceeded' })
    const usage = (parts: readonly TextPart[]) => parts.flatMap((part) => (part.type === 'finish' ? [part.usage.promptTokens] : []))[0] ?? 0
    const tokens = usage(await run(talk(long, true)))
    assert.ok(tokens > 800 && tokens < 1024, String(tokens))
    await assert.rejects(run(talk([{ role: 'user', content: 'word '.repeat(3000) }], true)), { code: 'context_length_exceeded' })
  })

  test('texts are tokenized and tokens are detokenized', async () => {
    const tokenize = async (text: string, special: boolean) => {
      const input = { type: 'text', text, framed: false, special } as const
      const { tokens = [], spellings } =
        (await model.tokenize?.({ model: miniChat.id, input, spelled: true }, { signal, account: 'a' })) ?? {}
      assert.equal(Buffer.concat(spellings ?? []).toString(), text)
      return tokens
    }
    const text = 'Ärger <|im_end|> €'
    const [plainText, controlled] = [await tokenize(text, false), await tokenize(text, true)]
    assert.ok(plainText.length > controlled.length)
    for (const tokens of [plainText, controlled])
      assert.deepEqual(await model.detokenize?.({ model: miniChat.id, tokens }, { signal }), { text })
    await assert.rejects(async () => model.detokenize?.({ model: miniChat.id, tokens: [999_999] }, { signal }), { param: 'tokens' })
  })

  test('the token count of a conversation equals the prompt tokens of its answer, and one that is far too long is rejected', async () => {
    const { input } = ask(question)
    const { tokens = [] } =
      (input.type === 'chat' && (await model.tokenize?.({ model: miniChat.id, input, spelled: false }, { signal, account: 'a' }))) || {}
    const finish = (await run(ask(question))).at(-1)
    assert.ok(finish?.type === 'finish' && finish.usage.promptTokens === tokens.length)
    const endless = { type: 'text', text: 'x'.repeat(2_000_000), framed: false, special: false } as const
    await assert.rejects(async () => model.tokenize?.({ model: miniChat.id, input: endless, spelled: false }, { signal, account: 'a' }), {
      code: 'context_length_exceeded',
    })
  })

  test('a partial answer is continued', async () => {
    const begun: readonly ChatMessage[] = [
      { role: 'user', content: question },
      { role: 'assistant', content: 'The capital of' },
    ]
    assert.equal(textOf(await run(chat(begun, 'last-message'))), ' France is Paris.')
  })

  test('a partial answer that contains a control token is continued as text', async () => {
    const begun: readonly ChatMessage[] = [
      { role: 'user', content: question },
      { role: 'assistant', content: 'The <|im_end|>' },
    ]
    const typed = (await run(chat(begun, 'last-message'))).at(-1)
    const lastPart = (await run(ask(`${question}The <|im_end|>`))).at(-1)
    assert.ok(typed?.type === 'finish' && lastPart?.type === 'finish' && typed.usage.promptTokens === lastPart.usage.promptTokens)
  })
})
