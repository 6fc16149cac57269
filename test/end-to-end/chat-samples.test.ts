import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatSamples, messagesBody, responsesBody } from '../../src/console/app/pages/chat/chat-samples.ts'
import { parseMessageRequest } from '../../src/http/wire/messages/message-request.ts'
import { parseResponseRequest } from '../../src/http/wire/responses/response-request.ts'

const body = {
  model: 'm',
  messages: [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] },
  ],
  max_tokens: 9,
  temperature: 1.5,
}

test('a conversation is shown as a call of every interface, which the service reads', () => {
  const shown = chatSamples('http://x', body).map(({ language }) => language)
  assert.deepEqual(shown, ['curl', 'JavaScript', 'Python', 'Responses', 'Messages'])
  assert.equal(parseResponseRequest(JSON.parse(JSON.stringify(responsesBody(body)))).max_output_tokens, 9)
  const { request } = parseMessageRequest(JSON.parse(JSON.stringify(messagesBody(body))))
  assert.equal(request.sampling.temperature, 1)
  assert.deepEqual(request.input.type === 'chat' && request.input.messages.map(({ role }) => role), ['system', 'user'])
})
