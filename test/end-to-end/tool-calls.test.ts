import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { openScriptedModel, type ScriptedModel } from '../support/model-files/scripted-model.ts'
import {
  deepSeek,
  glm,
  harmony,
  llama31,
  ministral,
  mistralNemo,
  qwen25,
  qwenCoder,
  taught,
  type WrittenCall,
} from '../support/model-files/tool-family.ts'
import { type Ask, collectAnswer, collectStream, type ReceivedAnswer, receiveCompletion } from '../support/received-answer.ts'

const city = { type: 'string' }
const description = 'The "weather".'
const parameters = { type: 'object', properties: { city }, required: ['city'] }
const getWeather = { type: 'function', function: { name: 'get_weather', description, parameters } } as const
const unit = { enum: ['celsius'] }
const setUnit = {
  type: 'function',
  function: { name: 'set_unit', parameters: { type: 'object', properties: { unit }, required: ['unit'] } },
} as const
const now = { type: 'function', function: { name: 'now' } } as const
const tools = [getWeather, setUnit, now]
const weather: WrittenCall = { name: 'get_weather', arguments: '{"city": "Paris {\\"}"}' }
const time: WrittenCall = { name: 'now', arguments: '{}' }
const question = { role: 'user', content: 'How warm is it in Paris?' } as const

for (const family of [taught, qwen25, qwenCoder, glm, deepSeek, mistralNemo, ministral, llama31, harmony])
  suite(`tools in the notation of ${family.name}`, () => {
    let model: ScriptedModel
    let service: HttpService
    const { begin, end } = family.talk ?? { begin: '', end: '' }
    before(async () => {
      model = await openScriptedModel(family)
      const pool = createFixedModelPool({ text: { [family.name]: model } })
      service = await startHttpService({ catalog: createFakeCatalog([model.descriptor]), pool })
    })
    after(async () => {
      await service[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
    })

    const ask: Ask = (fields) =>
      service.fetch('/v1/chat/completions', { json: { model: family.name, messages: [question], temperature: 0, ...fields } })

    /** The answer to the client if the model writes this, whole and as a stream, which must agree. */
    async function collect(output: string, fields: object = {}): Promise<ReceivedAnswer> {
      model.say(output, output)
      const whole = await collectAnswer(ask, { tools, ...fields })
      const { fragments: _fragments, ...streamed } = await collectStream(ask, { tools, ...fields })
      assert.deepEqual(streamed, whole)
      return whole
    }

    test('a model may answer without calling a tool', async () => {
      assert.deepEqual(await collect(`${begin}It is warm.`), { text: 'It is warm.', calls: [], reason: 'stop' })
    })

    test('a call has exactly the arguments that the model wrote', async () => {
      assert.deepEqual(await collect(family.write([weather])), { text: '', calls: [weather], reason: 'tool_calls' })
    })

    test('arguments are streamed as the model writes them', async () => {
      model.say(family.write([weather]))
      const { fragments } = await collectStream(ask, { tools })
      assert.equal(fragments.join(''), weather.arguments)
      assert.ok(fragments.length > 5)
    })

    test('several calls are returned if the template supports them and the client allows them', async () => {
      const calls = [weather, time, weather]
      assert.deepEqual((await collect(family.write(calls))).calls, family.parallel ? calls : [weather])
      assert.deepEqual((await collect(family.write(calls), { parallel_tool_calls: false })).calls, [weather])
    })

    test('text before a call stays text, and so does an unmarked call', async () => {
      const text = 'Let me see.\n'
      const call = family.write([weather])
      const received = await collect(begin + text + end + call)
      if (family.marked) assert.deepEqual(received, { text, calls: [weather], reason: 'tool_calls' })
      else assert.deepEqual(received, { text: text + call, calls: [], reason: 'stop' })
    })

    test('a conversation of another service is continued', async () => {
      const calls = ['call_1', 'call_2'].map((id) => ({ id, type: 'function' as const, function: time }))
      const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'noon' }))
      const messages = [question, { role: 'assistant' as const, content: null, tool_calls: calls }, ...results]
      assert.deepEqual(await collect(`${begin}It is noon.`, { messages }), { text: 'It is noon.', calls: [], reason: 'stop' })
    })

    test('tool_choice none hides the tools from the model', async () => {
      model.say('Hello.', 'Hello.')
      const none = await receiveCompletion(ask, { tools, tool_choice: 'none' })
      const without = await receiveCompletion(ask, {})
      assert.equal(none.usage.prompt_tokens, without.usage.prompt_tokens)
    })

    test('tool_choice required forces a call from a model that would answer', async () => {
      const choice = { tool_choice: 'required', parallel_tool_calls: false } as const
      const overruled = await collect(`${begin}I would rather talk.`, { ...choice, tools: [setUnit] })
      const calls = overruled.calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) }))
      assert.deepEqual(
        { ...overruled, calls },
        { text: '', calls: [{ name: 'set_unit', arguments: { unit: 'celsius' } }], reason: 'tool_calls' },
      )
      assert.deepEqual((await collect(family.write([weather]), choice)).calls, [weather])
    })

    test('a named function overrides the choice of the model', async () => {
      const tool_choice = { type: 'function', function: { name: 'set_unit' } } as const
      const { calls } = await collect(family.write([time]), { tool_choice, parallel_tool_calls: false })
      assert.deepEqual(
        calls.map((call) => [call.name, JSON.parse(call.arguments)]),
        [['set_unit', { unit: 'celsius' }]],
      )
    })

    test('the schema overrides wrong or broken arguments', async () => {
      for (const broken of ['{"unit": "kelvin"}', '{"unit": celsius', '[1]']) {
        const { calls } = await collect(family.write([{ name: 'set_unit', arguments: broken }]), { parallel_tool_calls: false })
        assert.deepEqual(
          calls.map((call) => [call.name, JSON.parse(call.arguments)]),
          [['set_unit', { unit: 'celsius' }]],
        )
      }
    })

    test('a call cut off by its token limit is reported, and its arguments are visibly incomplete', async () => {
      model.say(family.write([weather]))
      const { usage } = await receiveCompletion(ask, { tools })
      for (const missing of [13, 20, 26]) {
        const { calls, reason } = await collect(family.write([weather]), {
          max_tokens: Math.max(1, usage.completion_tokens - missing),
        })
        assert.equal(reason, 'length')
        for (const call of calls) assert.throws(() => JSON.parse(call.arguments), SyntaxError)
      }
    })

    test('a stop string inside a call is data, and ends only text', async () => {
      const { calls, reason } = await collect(family.write([weather]), { stop: 'aris' })
      assert.deepEqual([calls, reason], [[weather], 'tool_calls'])
    })

    test('JSON that is not a call is text', async () => {
      for (const text of ['{"name": "Ada", "age": 3}', 'So: {"name": "get_weather", "parameters": {"city": "Oslo"}}', '{"name'])
        assert.deepEqual(await collect(begin + text), { text, calls: [], reason: 'stop' })
    })

    test('a response format applies to answers, not to calls', async () => {
      const schema = { type: 'object', properties: { degrees: { enum: [22] } }, required: ['degrees'] }
      const body = { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
      assert.deepEqual(await collect(`${begin}{"degrees": 22}`, body), { text: '{"degrees": 22}', calls: [], reason: 'stop' })
      assert.deepEqual(await collect(family.write([weather]), body), { text: '', calls: [weather], reason: 'tool_calls' })
      assert.deepEqual((await collect(`${begin}{"degrees": 23}`, body)).text, '{"degrees": 22}')
    })

    test('arguments of every type match their schema', async () => {
      const types = {
        code: { type: 'string' },
        count: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        at: { type: ['string', 'null'] },
      }
      const fill = {
        type: 'function',
        function: { name: 'fill', parameters: { type: 'object', properties: types, required: Object.keys(types) } },
      } as const
      const values = { code: '42', count: 42, tags: ['</parameter>', '</arg_value>'], at: null }
      const { calls, reason } = await collect(family.write([{ name: 'fill', arguments: JSON.stringify(values) }]), { tools: [fill] })
      assert.deepEqual([calls.map((call) => JSON.parse(call.arguments)), reason], [[values], 'tool_calls'])
    })

    if (family === qwenCoder)
      test('a call without its mark is recognized and follows its schema', async () => {
        const call = '<function=set_unit>\n<parameter=unit>\nkelvin\n</parameter>\n</function>\n</tool_call>'
        const { text, calls, reason } = await collect(`So.\n${call}`)
        assert.deepEqual(
          [text, calls.map(({ name, arguments: json }) => [name, JSON.parse(json)]), reason],
          ['So.\n', [['set_unit', { unit: 'celsius' }]], 'tool_calls'],
        )
      })

    if (family === llama31)
      test('a call is recognized in the variant spellings of its models', async () => {
        const call = '"name": "set_unit", "parameters": {"unit": "celsius"}}'
        const received = { text: '', calls: [{ name: 'set_unit', arguments: '{"unit": "celsius"}' }], reason: 'tool_calls' }
        for (const written of [`<|python_tag|>{${call}`, `{${call}<|eom_id|>`, `\n{${call}`, `{"type": "function", ${call}`])
          assert.deepEqual(await collect(written), received)
        const wrong = '{"type": "function", "name": "set_unit", "parameters": {"unit": 5}}'
        assert.deepEqual(JSON.parse((await collect(wrong)).calls[0]?.arguments ?? ''), { unit: 'celsius' })
      })
  })
