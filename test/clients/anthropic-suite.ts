import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import type { ClientTarget } from './client-target.ts'

/** The published @anthropic-ai/sdk, unmodified: messages, streams, tools, counts and errors. */
export function testAnthropic(name: string, start: () => Promise<ClientTarget>): void {
  suite(`@anthropic-ai/sdk against ${name}`, () => {
    let target: ClientTarget
    let client: Anthropic
    before(async () => {
      target = await start()
      client = new Anthropic({ baseURL: target.url, apiKey: target.token, maxRetries: 0 })
    })
    after(() => target[Symbol.asyncDispose]())

    const question = () => ({
      model: target.chatModel,
      max_tokens: 24,
      temperature: 0,
      messages: [{ role: 'user' as const, content: target.question }],
    })
    const tool = {
      name: 'look_up',
      description: 'Looks something up',
      input_schema: { type: 'object' as const, properties: {}, additionalProperties: false },
    }

    test('a message is answered, with its request id', async () => {
      const message = await client.messages.create(question())
      assert.match(message.id, /^msg_/)
      const [block] = message.content
      assert.ok(block?.type === 'text' && block.text.length > 0)
      assert.ok(message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0) > 0)
      assert.match(message._request_id ?? '', /^[\w-]+$/)
    })

    test('a stream adds up to the same message', async () => {
      const whole = await client.messages.create(question())
      const events: string[] = []
      const stream = client.messages.stream(question()).on('streamEvent', ({ type }) => events.push(type))
      const final = await stream.finalMessage()
      assert.deepEqual(final.content, whole.content)
      assert.equal(final.stop_reason, whole.stop_reason)
      assert.equal(await stream.finalText(), whole.content.map((block) => (block.type === 'text' ? block.text : '')).join(' '))
      assert.equal(final.usage.output_tokens, whole.usage.output_tokens)
      assert.deepEqual([events[0], events.at(-2), events.at(-1)], ['message_start', 'message_delta', 'message_stop'])
    })

    test('the client stays usable after leaving a stream early', async () => {
      const stream = client.messages.stream(question())
      for await (const _ of stream) break
      assert.equal((await client.messages.create(question())).role, 'assistant')
    })

    test('a tool call arrives in fragments, and its result is accepted', async () => {
      const requested = { ...question(), max_tokens: 200, tools: [tool], tool_choice: { type: 'any' as const } }
      const final = await client.messages.stream(requested).finalMessage()
      assert.equal(final.stop_reason, 'tool_use')
      const call = final.content.find((block) => block.type === 'tool_use')
      assert.ok(call !== undefined && call.name === 'look_up' && typeof call.input === 'object')
      const answer = await client.messages.create({
        ...requested,
        tool_choice: { type: 'none' },
        messages: [
          ...requested.messages,
          { role: 'assistant', content: final.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Nothing found' }] },
        ],
      })
      assert.equal(answer.type, 'message')
    })

    test('the beta part of the client works as well', async () => {
      const message = await client.beta.messages.create({ ...question(), betas: ['context-management-2025-06-27'] })
      assert.equal(message.type, 'message')
    })

    test('a started answer is continued', async () => {
      const messages = [...question().messages, { role: 'assistant' as const, content: 'The capital' }]
      const { content } = await client.messages.create({ ...question(), messages })
      assert.ok(content.every((block) => block.type !== 'text' || !block.text.startsWith('The capital')))
    })

    test('tokens are counted', async () => {
      const { model, messages } = question()
      const { input_tokens } = await client.messages.countTokens({ model, messages })
      const { usage } = await client.messages.create(question())
      assert.equal(input_tokens, usage.input_tokens + (usage.cache_read_input_tokens ?? 0))
    })

    test('errors become the classes of their status', async () => {
      const hot = Object.assign(question(), { temperature: 3 })
      await assert.rejects(client.messages.create(hot), (error: unknown) => {
        assert.ok(error instanceof Anthropic.BadRequestError)
        assert.equal(error.type, 'invalid_request_error')
        assert.match(error.message, /`temperature` must be a number from 0 to 1/)
        assert.match(error.requestID ?? '', /^[\w-]+$/)
        return true
      })
      await assert.rejects(client.messages.create({ ...question(), model: 'nobody' }), Anthropic.NotFoundError)
      const stranger = new Anthropic({ baseURL: target.url, apiKey: 'wrong', maxRetries: 0 })
      await assert.rejects(stranger.messages.create(question()), Anthropic.AuthenticationError)
      const bearer = new Anthropic({ baseURL: target.url, apiKey: null, authToken: target.token, maxRetries: 0 })
      assert.equal((await bearer.messages.create(question())).type, 'message')
    })
  })
}
