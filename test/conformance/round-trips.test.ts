import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ChatMessage, TextRequest } from '../../src/core/text-generation.ts'
import { encodeChatCompletion } from '../../src/http/wire/chat/chat-completion.ts'
import { createChatRequestParser } from '../../src/http/wire/chat/chat-request.ts'
import { publishedBodies } from '../../src/http/wire/chat/sampling-fields.ts'
import { encodeMessage, startMessage } from '../../src/http/wire/messages/message.ts'
import { parseMessageRequest } from '../../src/http/wire/messages/message-request.ts'
import { encodeFinished, startResponse } from '../../src/http/wire/responses/response.ts'
import { parseResponseRequest, readResponseRequest } from '../../src/http/wire/responses/response-request.ts'
import { collectText, type TextResult } from '../../src/operations/collect-text.ts'
import { encodeMessagesRequest } from '../../src/runtimes/upstream/anthropic/encode-messages-request.ts'
import { ChunkDecoder } from '../../src/runtimes/upstream/chunk-decoder.ts'
import { encodeTextRequest } from '../../src/runtimes/upstream/encode-text-request.ts'
import { serverQuirks } from '../support/engines/server-quirks.ts'
import { streamedParts } from '../support/engines/streamed-parts.ts'
import { makeTextRequest } from '../support/text-request.ts'

/** A field of JSON that this service wrote itself. */
type Wire = ReturnType<typeof JSON.parse>

const parseChat = createChatRequestParser(publishedBodies)
const question = { role: 'user', content: 'hi' }
const send = (value: unknown): Wire => JSON.parse(JSON.stringify(value))

/** Each interface: how an answer is written, and the request that sends it back with results of its calls. */
const interfaces: Readonly<Record<string, (result: TextResult) => TextRequest>> = {
  chat: (result) => {
    const { message } = send(encodeChatCompletion({ id: 'cmpl-1', created: 1, model: 'm' }, makeTextRequest('hi'), result)).choices[0]
    const results = (message.tool_calls ?? []).map((call: Wire) => ({ role: 'tool', tool_call_id: call.id, content: 'found' }))
    return parseChat({ model: 'm', messages: [question, message, ...results, question] }).request
  },
  // As the published package hands answers over that it has parsed.
  'chat, parsed': (result) => {
    const { message } = send(encodeChatCompletion({ id: 'cmpl-1', created: 1, model: 'm' }, makeTextRequest('hi'), result)).choices[0]
    const calls = message.tool_calls?.map((call: Wire) => ({ ...call, function: { ...call.function, parsed_arguments: { a: 1 } } }))
    const parsed = { ...message, parsed: null, refusal: null, annotations: [], audio: null, ...(calls && { tool_calls: calls }) }
    const results = (calls ?? []).map((call: Wire) => ({ role: 'tool', tool_call_id: call.id, content: 'found' }))
    return parseChat({ model: 'm', messages: [question, parsed, ...results, question] }).request
  },
  messages: (result) => {
    const { content } = send(encodeMessage(startMessage('m'), result, { thoughts: true }))
    const results = content.flatMap((block: Wire) =>
      block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'found' }] : [],
    )
    const messages = [question, { role: 'assistant', content }, { role: 'user', content: [...results, { type: 'text', text: 'hi' }] }]
    return parseMessageRequest({ model: 'm', max_tokens: 8, messages }).request
  },
  responses: (result) => {
    const requested = parseResponseRequest({ model: 'm', input: 'hi' })
    const { output } = send(
      encodeFinished(startResponse({ now: () => 1, steadyNow: () => 0, wait: () => new Promise(() => {}) }), requested, result),
    )
    const results = output.flatMap((item: Wire) =>
      item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: 'found' }] : [],
    )
    const input = [question, ...output, ...results, question]
    return readResponseRequest(parseResponseRequest({ model: 'm', input }), [], { tokens: 8 })
  },
}

/** The two kinds of server that the next turn may go to. */
const encoders: Readonly<Record<string, (request: TextRequest) => object>> = {
  OpenAI: (request) => encodeTextRequest(request, 'm'),
  Anthropic: (request) => encodeMessagesRequest(request, 'm'),
}

function messagesOf({ input }: TextRequest): readonly ChatMessage[] {
  return input.type === 'chat' ? input.messages : []
}

suite('answers sent back in the next turn', () => {
  for (const [quirk, events] of Object.entries(serverQuirks))
    for (const [name, sendBack] of Object.entries(interfaces))
      test(`of a server with ${quirk}, over ${name}`, async () => {
        const result = await collectText(streamedParts(new ChunkDecoder(1), [...events, '[DONE]'], { maxTokens: 1000 }))
        const [choice] = result.choices
        const request = sendBack(result)
        const messages = messagesOf(request)
        const said = messages.filter((message) => message.role === 'assistant')
        assert.equal(said.map(({ content }) => content ?? '').join(''), choice?.text)
        const called = said.flatMap(({ toolCalls }) => toolCalls ?? [])
        // A call that the limit cut in the middle is none in Messages, whose calls are objects.
        const isCut = name === 'messages' && choice?.reason === 'length'
        assert.equal(called.length, isCut ? 0 : choice?.toolCalls.length)
        assert.deepEqual(
          messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
          called.map(({ id }) => id),
        )
        for (const encode of Object.values(encoders)) assert.ok(JSON.stringify(encode(request)).includes('"hi"'))
      })
  test('of Claude with server tools, over messages', () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'news' }, caller: { type: 'direct' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ type: 'web_search_result', title: 'Found', url: 'https://a.b', encrypted_content: 'x', page_age: null }],
      },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'That is new.', citations: [{ type: 'web_search_result_location', url: 'https://a.b' }] },
    ]
    const { request } = parseMessageRequest({ model: 'm', max_tokens: 8, messages: [question, { role: 'assistant', content }, question] })
    for (const encode of Object.values(encoders)) assert.match(JSON.stringify(encode(request)), /news.*Found.*That is new\./)
  })
})
