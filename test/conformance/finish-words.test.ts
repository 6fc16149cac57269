import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { finishWords, readFinishWord } from '../../src/core/text/finish-words.ts'
import type { TextPart } from '../../src/core/text-generation.ts'
import { encodeChatCompletion } from '../../src/http/wire/chat/chat-completion.ts'
import { encodeChatStream } from '../../src/http/wire/chat/chat-stream.ts'
import { encodeCompletion, encodeCompletionStream } from '../../src/http/wire/chat/completion.ts'
import { encodeMessage, startMessage } from '../../src/http/wire/messages/message.ts'
import { encodeMessageStream } from '../../src/http/wire/messages/message-stream.ts'
import { encodeFinished, startResponse } from '../../src/http/wire/responses/response.ts'
import { parseResponseRequest } from '../../src/http/wire/responses/response-request.ts'
import { encodeResponseStream } from '../../src/http/wire/responses/response-stream.ts'
import { collectText } from '../../src/operations/collect-text.ts'
import { MessageDecoder } from '../../src/runtimes/upstream/anthropic/message-decoder.ts'
import { ChunkDecoder } from '../../src/runtimes/upstream/chunk-decoder.ts'
import { streamedParts } from '../support/engines/streamed-parts.ts'
import { makeTextRequest } from '../support/text-request.ts'
import { partsOf, readParts } from '../support/wire/text-parts.ts'

const request = makeTextRequest('hello')
const head = { id: 'cmpl-1', created: 12, model: 'm' }
const delivery = { stream: true, includeUsage: false }
const body = parseResponseRequest({ model: 'm', input: 'a' })
const response = startResponse({ now: () => 12_345_678, steadyNow: () => 0, wait: () => new Promise(() => {}) })

type Call = 'with a call' | 'without'
const usage = { prompt_tokens: 1, completion_tokens: 1 }

/** The answer of a server of either interface that ends with a finish reason. */
function answerOf(server: 'OpenAI' | 'Anthropic', word: string, call: Call): AsyncGenerator<TextPart, void, undefined> {
  if (server === 'OpenAI') {
    const called = { tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{}' } }] }
    const delta = call === 'with a call' ? called : { content: 'well' }
    const events = [{ choices: [{ delta }] }, { choices: [{ delta: {}, finish_reason: word }] }, { choices: [], usage }, '[DONE]']
    return streamedParts(new ChunkDecoder(1), events)
  }
  const block = call === 'with a call' ? { type: 'tool_use', id: 'c1', name: 'look', input: {} } : { type: 'text', text: 'well' }
  return streamedParts(new MessageDecoder(), [
    { type: 'message', content: [block], stop_reason: word, usage: { input_tokens: 1, output_tokens: 1 } },
  ])
}

/** The word that each interface ends with, of a whole answer and of its stream. */
async function wordsOf(parts: readonly TextPart[]): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const result = await collectText(partsOf(parts))
  const last = async (events: AsyncIterable<string>, pick: (data: ReturnType<typeof JSON.parse>) => unknown) =>
    (await readParts(events)).events.map(({ data }) => pick(data)).findLast((word) => word !== undefined && word !== null)
  const finish = (data: ReturnType<typeof JSON.parse>) => data.choices?.[0]?.finish_reason
  const incomplete = (data: ReturnType<typeof JSON.parse>) =>
    data.response?.incomplete_details?.reason ?? (data.type === 'response.completed' ? 'completed' : undefined)
  return {
    chat: [
      encodeChatCompletion(head, request, result).choices[0]?.finish_reason,
      await last(encodeChatStream(head, request, partsOf(parts), delivery), finish),
    ],
    completions: [
      encodeCompletion(head, request, result).choices[0]?.finish_reason,
      await last(encodeCompletionStream(head, partsOf(parts), delivery), finish),
    ],
    messages: [
      encodeMessage(startMessage('m'), result, { thoughts: true }).stop_reason,
      await last(encodeMessageStream(startMessage('m'), partsOf(parts), { thoughts: true }), (data) => data.delta?.stop_reason),
    ],
    responses: [
      incomplete({ response: encodeFinished(response, body, result) }) ?? 'completed',
      await last(
        encodeResponseStream(response, body, partsOf(parts), async (finished) => finished),
        incomplete,
      ),
    ],
  }
}

/** A server's words, whether its answer calls a tool, and what the four interfaces say. */
const ends: readonly [words: readonly string[], call: Call, chat: string, messages: string, responses: string][] = [
  [
    ['stop', 'eos_token', 'STOP', 'COMPLETE', 'end_turn', 'stop_sequence', 'a word of tomorrow'],
    'without',
    'stop',
    'end_turn',
    'completed',
  ],
  [
    ['stop', 'eos_token', 'end_turn', 'tool_calls', 'tool_use', 'function_call', 'TOOL_CALL'],
    'with a call',
    'tool_calls',
    'tool_use',
    'completed',
  ],
  [['tool_calls', 'tool_use', 'function_call'], 'without', 'stop', 'end_turn', 'completed'],
  [
    ['length', 'model_length', 'max_tokens', 'MAX_TOKENS', 'model_context_window_exceeded', 'max_output_tokens', 'limit'],
    'without',
    'length',
    'max_tokens',
    'max_output_tokens',
  ],
  [['length', 'max_tokens', 'MAX_TOKENS'], 'with a call', 'length', 'max_tokens', 'max_output_tokens'],
  [
    ['content_filter', 'refusal', 'SAFETY', 'RECITATION', 'content_filtered', 'guardrail_intervened', 'sensitive'],
    'without',
    'content_filter',
    'refusal',
    'content_filter',
  ],
  [['content_filter', 'refusal'], 'with a call', 'content_filter', 'refusal', 'content_filter'],
  [['pause_turn'], 'without', 'length', 'pause_turn', 'max_output_tokens'],
]

suite('finish reasons of proxied answers', () => {
  for (const server of ['OpenAI', 'Anthropic'] as const)
    for (const [words, call, chat, messages, responses] of ends)
      for (const word of words)
        test(`${word} of a server with ${server}’s interface, ${call}, is ${chat}, ${messages} and ${responses}`, async () => {
          const received = await wordsOf(await Array.fromAsync(answerOf(server, word, call)))
          assert.deepEqual(received, {
            chat: [chat, chat],
            completions: [chat, chat],
            messages: [messages, messages],
            responses: [responses, responses],
          })
        })

  for (const server of ['OpenAI', 'Anthropic'] as const)
    for (const word of ['abort', 'error', 'cancelled', 'insufficient_system_resource'])
      test(`${word} of a server with ${server}’s interface is a failure`, async () => {
        await assert.rejects(Array.fromAsync(answerOf(server, word, 'without')), { code: 'inference_failed' })
      })

  test('finish reasons of each interface are parsed back to the same value', () => {
    for (const [reason, { openAi, anthropic }] of Object.entries(finishWords)) {
      const parsed = reason === 'tool_calls' ? 'stop' : reason
      assert.equal(readFinishWord(anthropic), parsed)
      assert.equal(readFinishWord(openAi), parsed === 'pause' ? 'length' : parsed)
    }
  })
})
