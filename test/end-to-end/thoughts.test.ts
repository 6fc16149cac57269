import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ScriptedService, startScriptedService } from '../support/engines/scripted-service.ts'
import type { HttpService } from '../support/http-service.ts'
import type { ScriptedModel } from '../support/model-files/scripted-model.ts'
import { alwaysThinking, qwen3, qwen25 } from '../support/model-files/tool-family.ts'
import { readError, readJson } from '../support/read-json.ts'
import { collectThoughts, type ReceivedThoughts } from '../support/received-answer.ts'

const question = { role: 'user', content: 'Two and two?' }
const thinking = '<think>\nIs it </five>?\nSTOP\n</think>\n\n'
const call = '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>'
const tools = [{ type: 'function', function: { name: 'add' } }]

suite('thoughts of a reasoning model', () => {
  let opened: ScriptedService<'model' | 'plain' | 'always'>
  let model: ScriptedModel
  let always: ScriptedModel
  let service: HttpService
  before(async () => {
    opened = await startScriptedService({ model: qwen3, plain: qwen25, always: alwaysThinking }, { worker: true })
    service = opened.service
    ;({ model, always } = opened.models)
  })
  after(() => opened[Symbol.asyncDispose]())

  const ask = (fields: object) =>
    service.fetch('/v1/chat/completions', { json: { model: qwen3.name, messages: [question], temperature: 0, max_tokens: 300, ...fields } })

  const collect = (output: string, fields: object = {}, from = model): Promise<ReceivedThoughts> =>
    collectThoughts(from, output, (more) => ask({ ...fields, ...more }))

  test('are separate from the answer', async () => {
    assert.deepEqual(await collect(`${thinking}Four.`), { thoughts: 'Is it </five>?\nSTOP', text: 'Four.', calls: 0 })
  })

  test('can be missing', async () => {
    assert.deepEqual(await collect('Four.'), { thoughts: '', text: 'Four.', calls: 0 })
  })

  test('are not searched for stop strings and calls', async () => {
    assert.deepEqual(await collect(`${thinking}Four. STOP Five.`, { stop: ['STOP'] }), {
      thoughts: 'Is it </five>?\nSTOP',
      text: 'Four. ',
      calls: 0,
    })
    const mused = `<think>${call}</think>${call}`
    assert.deepEqual(await collect(mused, { tools }), { thoughts: call, text: '', calls: 1 })
  })

  test('stay thoughts when cut off', async () => {
    assert.deepEqual(await collect('<think>Is it'), { thoughts: 'Is it', text: '', calls: 0 })
  })

  test('are left out if no effort is requested, which models without the setting reject', async () => {
    model.say('Four.')
    assert.equal((await ask({ reasoning_effort: 'none' })).status, 200)
    const refused = await readError(await ask({ model: qwen25.name, reasoning_effort: 'low' }))
    assert.deepEqual([refused.code, refused.param], ['unsupported_parameter', 'reasoning_effort'])
    assert.equal((await readError(await ask({ reasoning_effort: 'enormous' }))).param, 'reasoning_effort')
    const response = { model: qwen25.name, input: 'Two and two?', reasoning: { effort: 'high' } }
    const { param, message } = await readError(await service.fetch('/v1/responses', { json: response }))
    assert.deepEqual([param, /`reasoning\.effort`/.test(message)], ['reasoning.effort', true], message)
  })
  /** Eight tokens. A scripted model goes on with what stands at its place, whatever it was made to say before. */
  const musing = 'abcdefghijkl'
  const answerOf = async (output: string, fields: object, from = model) => {
    const received = await collect(output, fields, from)
    from.say(output)
    const { usage } = await readJson(await ask(fields))
    return { ...received, counted: Object(usage).completion_tokens_details?.reasoning_tokens ?? 0 }
  }

  for (const [who, opening] of [
    ['begins its thoughts itself', '<think>'],
    ['finds them begun', ''],
  ] as const)
    test(`are closed at their budget, and the answer starts, in a model that ${who}`, async () => {
      const from = opening === '' ? always : model
      const output = `${opening}${musing}</think>Four.`
      const limited = (thinking_budget: number) => answerOf(output, { model: from.descriptor.id, thinking_budget }, from)
      assert.deepEqual(await limited(0), { thoughts: '', text: 'ghijkl</think>Four.', calls: 0, counted: 0 })
      assert.deepEqual(await limited(1), { thoughts: 'ab', text: 'ijkl</think>Four.', calls: 0, counted: 1 })
      assert.deepEqual(await limited(3), { thoughts: 'abcde', text: 'l</think>Four.', calls: 0, counted: 3 })
      for (const enough of [9, 2 ** 31 - 1])
        assert.deepEqual(await limited(enough), { thoughts: musing, text: 'Four.', calls: 0, counted: 8 })
    })

  test('have a budget under the names of other servers, and by the effort if a model can only switch thinking on or off', async () => {
    const output = `<think>${musing}</think>Four.`
    for (const fields of [{ thinking_budget_tokens: 1 }, { thinking_token_budget: 1 }, { reasoning_effort: 'minimal', max_tokens: 13 }])
      assert.equal((await answerOf(output, fields)).counted, 1, JSON.stringify(fields))
    assert.equal((await answerOf(output, { reasoning_effort: 'high' })).counted, 8)
    const id = always.descriptor.id
    const bare = `${musing}</think>Four.`
    for (const fields of [{ reasoning_effort: 'none' }, { enable_thinking: false }, { chat_template_kwargs: { enable_thinking: false } }])
      assert.equal((await answerOf(bare, { model: id, ...fields }, always)).counted, 0, JSON.stringify(fields))
  })

  test("accept Anthropic's budget", async () => {
    always.say(`${musing}</think>Four.`)
    const thinking = { type: 'enabled', budget_tokens: 1 }
    const json = { model: always.descriptor.id, messages: [question], temperature: 0, max_tokens: 300, thinking }
    const { content } = await readJson(await service.fetch('/v1/messages', { json }))
    assert.deepEqual(Array.isArray(content) && content.map(({ thinking, text }) => thinking ?? text), ['ab', 'ijkl</think>Four.'])
  })

  test('precede an answer that follows a schema', async () => {
    const fields = { model: always.descriptor.id, response_format: { type: 'json_object' }, max_tokens: 60 }
    for (const limits of [{}, { thinking_budget: 2 }]) {
      const { text, thoughts } = await collect(`${musing}</think>Four. {"a": 1}`, { ...fields, ...limits }, always)
      assert.ok(musing.startsWith(thoughts) && thoughts !== '')
      assert.equal(typeof JSON.parse(text), 'object', text)
    }
  })

  test('are counted for asynchronous requests', async () => {
    model.say(`<think>${musing}</think>Four.`)
    const requested = await readJson(
      await service.fetch('/v1/responses', { json: { model: qwen3.name, input: 'Two and two?', background: true } }),
    )
    let usage: unknown = null
    while (usage === null) ({ usage } = await readJson(await service.fetch(`/v1/responses/${requested.id}`)))
    assert.deepEqual(Object(usage).output_tokens_details, { reasoning_tokens: 8 })
  })

  test('are rejected by name if their settings contradict each other', async () => {
    for (const [fields, param] of [
      [{ thinking_budget: -1 }, 'thinking_budget'],
      [{ thinking_budget: 1.5 }, 'thinking_budget'],
      [{ thinking_budget: 1, thinking_budget_tokens: 2 }, 'thinking_budget_tokens'],
      [{ enable_thinking: true, reasoning_effort: 'none' }, 'reasoning_effort'],
      [{ enable_thinking: true, chat_template_kwargs: { thinking: false } }, 'chat_template_kwargs.thinking'],
      [{ chat_template_kwargs: { reasoning_effort: 'low' }, reasoning_effort: 'high' }, 'chat_template_kwargs.reasoning_effort'],
      [{ chat_template_kwargs: { documents: [] } }, 'chat_template_kwargs.documents'],
    ] as const)
      assert.deepEqual((await readError(await ask(fields))).param, param)
  })
})
