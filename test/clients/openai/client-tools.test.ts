import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { type HttpService, startHttpService } from '../../support/http-service.ts'

const model = 'fake-chat'
const ask = (text: string): OpenAI.ChatCompletionMessageParam => ({ role: 'user', content: text })
const look = { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } }
const patch: OpenAI.ChatCompletionCustomTool = { type: 'custom', custom: { name: 'patch', description: 'Applies a patch' } }

suite('tools other than functions in a chat', () => {
  let service: HttpService
  let client: OpenAI
  before(async () => {
    service = await startHttpService()
    client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  })
  after(() => service[Symbol.asyncDispose]())

  test('a custom tool is called with a text, whole and streamed, and its call is accepted as history', async () => {
    const messages = [ask('[call patch {"input": "*** Begin \\"x\\""}]')]
    const body = { model, tools: [patch] }
    const { message, finish_reason } = (await client.chat.completions.create({ ...body, messages })).choices[0] ?? assert.fail()
    const call = message.tool_calls?.[0]
    assert.deepEqual(
      [finish_reason, call?.type, call?.type === 'custom' && call.custom],
      ['tool_calls', 'custom', { name: 'patch', input: '*** Begin "x"' }],
    )
    const pieces: { readonly type?: string; readonly custom?: { readonly name?: string; readonly input?: string } }[] = []
    for await (const { choices } of await client.chat.completions.create({ ...body, messages, stream: true }))
      pieces.push(...((choices[0]?.delta.tool_calls ?? []) as (typeof pieces)[number][]))
    assert.equal(pieces[0]?.type, 'custom')
    assert.deepEqual(
      pieces.map(({ custom }) => [custom?.name, custom?.input]),
      [
        ['patch', ''],
        [undefined, '*** Begin "x"'],
      ],
    )
    const next = await client.chat.completions.create({
      ...body,
      messages: [...messages, message, { role: 'tool', tool_call_id: call?.id ?? '', content: 'Done' }, ask('[say fine]')],
    })
    assert.equal(next.choices[0]?.message.content, 'fine')
  })

  test('legacy functions get one call, which is accepted as history', async () => {
    const messages = [ask('[call look {"at": "me"}]')]
    const body = { model, functions: [look], function_call: 'auto' as const }
    const { message, finish_reason } = (await client.chat.completions.create({ ...body, messages })).choices[0] ?? assert.fail()
    assert.deepEqual([finish_reason, message.tool_calls, message.function_call?.name], ['function_call', undefined, 'look'])
    assert.deepEqual(JSON.parse(message.function_call?.arguments ?? ''), { at: 'me' })
    let [written, end]: [string, string | null] = ['', null]
    for await (const { choices } of await client.chat.completions.create({ ...body, messages, stream: true })) {
      written += choices[0]?.delta.function_call?.arguments ?? ''
      end = choices[0]?.finish_reason ?? end
      assert.equal(choices[0]?.delta.tool_calls, undefined)
    }
    assert.deepEqual([JSON.parse(written), end], [{ at: 'me' }, 'function_call'])
    const history = [...messages, message, { role: 'function', name: 'look', content: 'seen' } as const, ask('[say fine]')]
    const next = await client.chat.completions.create({ ...body, messages: history })
    assert.equal(next.choices[0]?.message.content, 'fine')
  })

  test('only allowed tools are offered, and must be called if required', async () => {
    const tools: OpenAI.ChatCompletionFunctionTool[] = ['look', 'hear'].map((name) => ({ type: 'function', function: { name } }))
    const tool_choice: OpenAI.ChatCompletionAllowedToolChoice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'hear' } }] },
    }
    const { choices } = await client.chat.completions.create({ model, messages: [ask('[call hear {}]')], tools, tool_choice })
    const call = choices[0]?.message.tool_calls?.[0]
    assert.equal(call?.type === 'function' && call.function.name, 'hear')
  })

  for (const [what, body, param] of [
    ['functions beside tools', { functions: [look], tools: [patch] }, 'functions'],
    ['a call of a function that is not there', { functions: [look], function_call: { name: 'hear' } }, 'function_call'],
    ['a name that comes twice', { tools: [patch, { type: 'function', function: { name: 'patch' } }] }, 'tools[1].function.name'],
    [
      'an allowed tool that is not there',
      {
        tools: [patch],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: look }] } },
      },
      'tool_choice',
    ],
    [
      'a custom call without its input',
      { messages: [ask('a'), { role: 'assistant', tool_calls: [{ id: 'a', type: 'custom' }] }] },
      'messages[1].tool_calls[0].custom',
    ],
  ] as const)
    test(`${what} is rejected with the field ${param}`, async () => {
      const response = await service.fetch('/v1/chat/completions', { method: 'POST', json: { model, messages: [ask('a')], ...body } })
      assert.equal(response.status, 400)
      assert.ok(JSON.stringify(await response.json()).includes(param))
    })
})
