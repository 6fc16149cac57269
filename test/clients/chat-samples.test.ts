import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { chatSamples, messagesBody, responsesBody } from '../../src/console/app/pages/chat/chat-samples.ts'
import { parseMessageRequest } from '../../src/http/wire/messages/message-request.ts'
import { parseResponseRequest } from '../../src/http/wire/responses/response-request.ts'
import { startHttpService } from '../support/http-service.ts'

const run = promisify(execFile)

const body = {
  model: 'm',
  messages: [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] },
  ],
  max_tokens: 9,
  temperature: 1.5,
}

test('a conversation is shown as a request of every interface, which the service accepts', () => {
  const shown = chatSamples('http://x', body).map(({ language }) => language)
  const original = ['@octoai/client', '@octoai/sdk']
  assert.deepEqual(shown, ['curl', 'JavaScript', 'Python', 'Responses', 'Messages', 'AI SDK', 'LangChain', 'LlamaIndex', ...original])
  const seen = { role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }] }
  const withPicture = chatSamples('http://x', { ...body, messages: [seen] }).map(({ language }) => language)
  assert.deepEqual(withPicture, shown.slice(0, -2))
  assert.equal(parseResponseRequest(JSON.parse(JSON.stringify(responsesBody(body)))).max_output_tokens, 9)
  const { request } = parseMessageRequest(JSON.parse(JSON.stringify(messagesBody(body))))
  assert.equal(request.sampling.temperature, 1)
  assert.deepEqual(request.input.type === 'chat' && request.input.messages.map(({ role }) => role), ['system', 'user'])
})

test('each code sample for Node and for the shell runs as shown', async () => {
  await using service = await startHttpService()
  const requested = {
    ...body,
    model: 'fake-chat',
    messages: [
      { role: 'system' as const, content: "Don't waver." },
      { role: 'user' as const, content: "[say It's four]" },
    ],
  }
  for (const { language, code } of chatSamples(service.url, requested).filter(({ language }) => language !== 'Python')) {
    const [command, ...flags] = language === 'curl' ? ['sh', '-c', code] : [process.execPath, '--input-type=module', '--eval', code]
    const { stdout } = await run(command ?? '', flags, { env: { PATH: process.env.PATH, TOKEN: service.token }, cwd: 'test' })
    assert.match(stdout, /It's four/, `${language}: ${stdout}`)
  }
})
