import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { openScriptedModel, type ScriptedModel } from '../support/model-files/scripted-model.ts'
import { qwen3, qwen25 } from '../support/model-files/tool-family.ts'
import { readError } from '../support/read-json.ts'

const question = { role: 'user', content: 'Two and two?' }
const thinking = '<think>\nIs it </five>?\nSTOP\n</think>\n\n'
const call = '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>'
const tools = [{ type: 'function', function: { name: 'add' } }]

interface Heard {
  readonly thoughts: string
  readonly text: string
  readonly calls: number
}

suite('thoughts of a model that thinks', () => {
  let model: ScriptedModel
  let plain: ScriptedModel
  let service: HttpService
  before(async () => {
    model = await openScriptedModel(qwen3)
    plain = await openScriptedModel(qwen25)
    const pool = createFixedModelPool({ text: { [qwen3.name]: model, [qwen25.name]: plain } })
    service = await startHttpService({ catalog: createFakeCatalog([model.descriptor, plain.descriptor]), pool })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await model[Symbol.asyncDispose]()
    await plain[Symbol.asyncDispose]()
  })

  const ask = (fields: object) =>
    service.fetch('/v1/chat/completions', { json: { model: qwen3.name, messages: [question], temperature: 0, max_tokens: 300, ...fields } })

  /** What comes at once and as a stream, which must agree. */
  async function hear(says: string, fields: object = {}): Promise<Heard> {
    model.say(says, says)
    const { choices } = JSON.parse(await (await ask(fields)).text())
    const { content, reasoning_content, tool_calls = [] } = choices[0].message
    const whole = { thoughts: reasoning_content ?? '', text: content ?? '', calls: tool_calls.length }
    const streamed = { thoughts: '', text: '', calls: 0 }
    for (const line of (await (await ask({ ...fields, stream: true })).text()).split('\n')) {
      if (!line.startsWith('data: {')) continue
      const { delta } = JSON.parse(line.slice(6)).choices[0]
      streamed.thoughts += delta.reasoning_content ?? ''
      streamed.text += delta.content ?? ''
      streamed.calls += (delta.tool_calls ?? []).filter(({ id }: { id?: string }) => id !== undefined).length
    }
    assert.deepEqual(streamed, whole)
    return whole
  }

  test('come apart from the answer', async () => {
    assert.deepEqual(await hear(`${thinking}Four.`), { thoughts: 'Is it </five>?\nSTOP', text: 'Four.', calls: 0 })
  })

  test('may be missing', async () => {
    assert.deepEqual(await hear('Four.'), { thoughts: '', text: 'Four.', calls: 0 })
  })

  test('hold no stop string and no call', async () => {
    assert.deepEqual(await hear(`${thinking}Four. STOP Five.`, { stop: ['STOP'] }), {
      thoughts: 'Is it </five>?\nSTOP',
      text: 'Four. ',
      calls: 0,
    })
    const mused = `<think>${call}</think>${call}`
    assert.deepEqual(await hear(mused, { tools }), { thoughts: call, text: '', calls: 1 })
  })

  test('that are cut are thoughts', async () => {
    assert.deepEqual(await hear('<think>Is it'), { thoughts: 'Is it', text: '', calls: 0 })
  })

  test('are left out when no effort is asked for, and models that cannot be told say so', async () => {
    model.say('Four.')
    assert.equal((await ask({ reasoning_effort: 'none' })).status, 200)
    const refused = await readError(await ask({ model: qwen25.name, reasoning_effort: 'low' }))
    assert.deepEqual([refused.code, refused.param], ['unsupported_parameter', 'reasoning_effort'])
    assert.equal((await readError(await ask({ reasoning_effort: 'enormous' }))).param, 'reasoning_effort')
  })
})
