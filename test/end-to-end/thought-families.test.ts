import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ScriptedService, startScriptedService } from '../support/engines/scripted-service.ts'
import type { HttpService } from '../support/http-service.ts'
import type { ScriptedModel } from '../support/model-files/scripted-model.ts'
import { harmony, ministral, solar } from '../support/model-files/tool-family.ts'
import { readJson } from '../support/read-json.ts'
import { collectThoughts, type ReceivedThoughts } from '../support/received-answer.ts'

const question = { role: 'user', content: 'Two and two?' }
const tools = [
  { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } } },
]

const analysis = '<|channel|>analysis<|message|>Is it five?\n\nSTOP'
const final = '<|start|>assistant<|channel|>final<|message|>'

suite('thoughts in other notations', () => {
  let opened: ScriptedService<'oss' | 'mistral' | 'open'>
  let oss: ScriptedModel
  let mistral: ScriptedModel
  let open: ScriptedModel
  let service: HttpService
  before(async () => {
    opened = await startScriptedService({ oss: harmony, mistral: ministral, open: solar })
    service = opened.service
    ;({ oss, mistral, open } = opened.models)
  })
  after(() => opened[Symbol.asyncDispose]())

  const request = (model: ScriptedModel, fields: object) => ({
    model: model.descriptor.id,
    messages: [question],
    temperature: 0,
    max_tokens: 300,
    ...fields,
  })
  const ask = (model: ScriptedModel, fields: object) => service.fetch('/v1/chat/completions', { json: request(model, fields) })
  const collect = (model: ScriptedModel, output: string, fields: object = {}): Promise<ReceivedThoughts> =>
    collectThoughts(model, output, (more) => ask(model, { ...fields, ...more }))
  const thought = 'Is it five?\n\nSTOP'

  test('gpt-oss: are separate from the answer, like text before it', async () => {
    assert.deepEqual(await collect(oss, `${analysis}<|end|>${final}Four.`), { thoughts: thought, text: 'Four.', calls: 0 })
    const chatty = `${analysis}<|end|><|start|>assistant<|channel|>commentary<|message|>Wait.<|end|>${final}Four.`
    assert.deepEqual(await collect(oss, chatty), { thoughts: thought, text: 'Wait.\n\nFour.', calls: 0 })
    assert.deepEqual(await collect(oss, '<|channel|>final<|message|>Four.'), { thoughts: '', text: 'Four.', calls: 0 })
  })

  test('gpt-oss: are not searched for stop strings, and stay thoughts when cut off', async () => {
    const stopped = await collect(oss, `${analysis}<|end|>${final}Four. STOP Five.`, { stop: ['STOP'] })
    assert.deepEqual(stopped, { thoughts: thought, text: 'Four. ', calls: 0 })
    assert.deepEqual(await collect(oss, analysis), { thoughts: thought, text: '', calls: 0 })
    assert.deepEqual(await collect(oss, `${analysis}<|end|><|start|>assistant<|chan`), { thoughts: thought, text: '', calls: 0 })
  })

  /** A scripted model goes on with what stands at its place, whatever it was made to say before. */
  test('gpt-oss: are closed at their budget, and the answer starts', async () => {
    const output = `<|channel|>analysis<|message|>abcdefghijklmnopqrstuvwxyz<|end|>${final}Four.`
    const { thoughts, text } = await collect(oss, output, { thinking_budget: 1 })
    assert.equal(thoughts, 'ab')
    assert.match(text, /^[m-z]*z\n\nFour\.$/)
    oss.say(output)
    const { usage } = await readJson(await ask(oss, { thinking_budget: 3 }))
    assert.equal(Object(usage).completion_tokens_details.reasoning_tokens, 3)
  })

  test('gpt-oss: are left out if disabled', async () => {
    const output = `<|channel|>analysis<|message|>abcdefghijklmnopqrstuvwxyz<|end|>${final}Four.`
    for (const fields of [{ thinking_budget: 0 }, { enable_thinking: false }, { reasoning_effort: 'none' }]) {
      const { thoughts, text } = await collect(oss, output, fields)
      assert.equal(thoughts, '')
      assert.ok(text.endsWith('z\n\nFour.'), text)
    }
  })

  test('gpt-oss: precede an answer that follows a schema', async () => {
    const response_format = { type: 'json_object' }
    const { text, thoughts } = await collect(oss, `${analysis}<|end|>${final}Four. {"a": 1}`, { response_format, max_tokens: 60 })
    assert.equal(thoughts, thought)
    assert.equal(typeof JSON.parse(text), 'object', text)
    const headless = await collect(oss, 'Four.', { response_format, max_tokens: 60, thinking_budget: 0 })
    assert.equal(typeof JSON.parse(headless.text), 'object', headless.text)
    const broken = await collect(oss, `${analysis}<|end|>${final}{"a<|end|><|start|>`, { response_format, max_tokens: 60 })
    assert.equal(typeof JSON.parse(broken.text), 'object', broken.text)
  })

  test('gpt-oss: precede calls in every notation of their heads', async () => {
    for (const head of ['<|channel|>commentary to=functions.add <|constrain|>json', ' to=functions.add<|channel|>commentary json']) {
      const output = `${analysis}<|end|><|start|>assistant${head}<|message|>{"a": 1}<|call|>`
      assert.deepEqual(await collect(oss, output, { tools }), { thoughts: thought, text: '', calls: 1 }, head)
      oss.say(output)
      const { choices } = JSON.parse(await (await ask(oss, { tools })).text())
      assert.equal(choices[0].finish_reason, 'tool_calls')
      assert.deepEqual(choices[0].message.tool_calls[0].function, { name: 'add', arguments: '{"a": 1}' })
    }
  })

  test('gpt-oss: a required call is made, with arguments of its schema', async () => {
    oss.say(`${analysis}<|end|>${final}Four.`)
    const { choices } = JSON.parse(await (await ask(oss, { tools, tool_choice: 'required', max_tokens: 60 })).text())
    assert.equal(choices[0].message.tool_calls[0].function.name, 'add')
    assert.equal(typeof choices[0].message.content, 'object')
  })

  test('gpt-oss: are returned in the other interfaces like those of other models', async () => {
    const answer = `${analysis}<|end|>${final}Four.`
    oss.say(answer, answer)
    const { content } = await readJson(
      await service.fetch('/v1/messages', { json: request(oss, { thinking: { type: 'enabled', budget_tokens: 100 } }) }),
    )
    assert.deepEqual(Array.isArray(content) && content.map((block) => block.thinking ?? block.text), [thought, 'Four.'])
    const { output } = await readJson(
      await service.fetch('/v1/responses', { json: { model: harmony.name, input: 'Two and two?', temperature: 0 } }),
    )
    assert.deepEqual(Array.isArray(output) && output.map(({ type }) => type), ['reasoning', 'message'])
  })

  test('gpt-oss: a started answer is continued', async () => {
    const messages = [question, { role: 'assistant', content: 'It is' }]
    assert.deepEqual(await collect(oss, ' four.', { messages, continue_final_message: true, add_generation_prompt: false }), {
      thoughts: '',
      text: ' four.',
      calls: 0,
    })
  })

  test('Ministral: are separate from the answer, and are closed at their budget', async () => {
    assert.deepEqual(await collect(mistral, '[THINK]Is it five?[/THINK]Four.'), { thoughts: 'Is it five?', text: 'Four.', calls: 0 })
    assert.deepEqual(await collect(mistral, '[THINK]abcdefghijkl[/THINK]Four.', { thinking_budget: 1 }), {
      thoughts: 'ab',
      text: 'defghijkl[/THINK]Four.',
      calls: 0,
    })
  })

  test('Solar Open: are separate from the calls and the answer, which has no marks', async () => {
    const content = '<|end|><|begin|>assistant<|content|>'
    assert.deepEqual(await collect(open, `<|think|>${thought}${content}Four.`), { thoughts: thought, text: 'Four.', calls: 0 })
    assert.deepEqual(await collect(open, '<|content|>Four.<|end|><|begin|>user'), { thoughts: '', text: 'Four.', calls: 0 })
    const call = solar.write([{ name: 'add', arguments: '{"a": 1}' }])
    assert.deepEqual(await collect(open, `<|think|>${thought}${content}${call}`, { tools }), { thoughts: thought, text: '', calls: 1 })
  })

  test('Solar Open: are left out if disabled, or for an answer that follows a schema', async () => {
    const output = '<|think|>abc<|end|><|begin|>assistant<|content|>Four.'
    const bare = await collect(open, output, { thinking_budget: 0 })
    assert.equal(bare.thoughts, '')
    const { text, thoughts } = await collect(open, output, { response_format: { type: 'json_object' }, max_tokens: 60 })
    assert.equal(thoughts, '')
    assert.equal(typeof JSON.parse(text), 'object', text)
  })

  test('Solar Open: a started answer is continued', async () => {
    const messages = [question, { role: 'assistant', content: 'It is' }]
    const fields = { messages, continue_final_message: true, add_generation_prompt: false }
    assert.deepEqual(await collect(open, ' four.<|end|>', fields), { thoughts: '', text: ' four.', calls: 0 })
  })
})
