import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { miniChat, withMiniModels } from '../support/mini-chat.ts'
import { makeAdapter, mergeAdapters, writeAdapter } from '../support/model-files/lora-gguf.ts'
import { readError } from '../support/read-json.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

type Lora = readonly { readonly name?: string; readonly id?: number; readonly scale?: number }[]

suite('LoRA adapters of language models, over HTTP', { timeout: 300_000 }, () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let service: ServiceProcess
  let token = ''
  const model = 'base'
  const sampling = { temperature: 0, logit_bias: { 0: -100, 2: -100 } }
  const text = 'What is the capital of France?'
  const messages = [{ role: 'user', content: text }]

  before(async () => {
    folder = await createTemporaryFolder()
    const models = join(folder.path, 'models')
    await mkdir(join(models, 'loras'), { recursive: true })
    const base = await readFile(miniChat.file)
    const files = {
      'base.gguf': mergeAdapters(base, []),
      'merged.gguf': mergeAdapters(base, [{ changes: makeAdapter(base, 1), scale: 0.5 }]),
      'loras/ink.gguf': writeAdapter(makeAdapter(base, 1)),
      'loras/pencil.gguf': writeAdapter(makeAdapter(base, 2)),
      'loras/foreign.gguf': writeAdapter(makeAdapter(base, 2), 'qwen3'),
    }
    for (const [name, content] of Object.entries(files)) await writeFile(join(models, name), content)
    service = await startService(join(folder.path, 'data'), ...withMiniModels(['--models', models]))
    token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
  })
  after(async () => {
    await service.stop()
    await folder[Symbol.asyncDispose]()
  })

  const send = (path: string, body?: object) =>
    fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const read = async (path: string, body?: object) => {
    const answer = await send(path, body)
    const content = await answer.text()
    assert.equal(answer.status, 200, content)
    return JSON.parse(content)
  }
  const chat = async (lora?: Lora, of = model): Promise<string> => {
    const requested = { model: of, messages, max_tokens: 24, ...sampling, ...(lora && { lora }) }
    return (await read('/v1/chat/completions', requested)).choices[0].message.content
  }

  test('change an answer as merged weights do, by name and by number', async () => {
    assert.deepEqual(await read(`/lora-adapters?model=${model}`), [
      { id: 0, name: 'ink', path: 'ink.gguf', scale: 0 },
      { id: 1, name: 'pencil', path: 'pencil.gguf', scale: 0 },
    ])
    const merged = await chat(undefined, 'merged')
    assert.equal(await chat([{ name: 'ink', scale: 0.5 }]), merged)
    assert.equal(
      await chat([
        { id: 0, scale: 0.5 },
        { id: 1, scale: 0 },
      ]),
      merged,
    )
    assert.notEqual(await chat(), merged)
  })

  test('give the same answers to concurrent requests as to single ones', async () => {
    const sets: readonly (Lora | undefined)[] = [undefined, [{ name: 'ink' }], [{ name: 'pencil', scale: -0.5 }], [{ id: 0 }, { id: 1 }]]
    const alone: string[] = []
    for (const set of sets) alone.push(await chat(set))
    assert.equal(new Set(alone).size, sets.length)
    assert.deepEqual(await Promise.all([...sets, ...sets].map((set) => chat(set))), [...alone, ...alone])
  })

  test('are accepted by every route that generates text', async () => {
    const lora = [{ name: 'ink', scale: 4 }]
    const [prompt, max] = ['Once upon a time', 16]
    const completion = async (more: object) =>
      (await read('/v1/completions', { model, prompt, max_tokens: max, ...sampling, ...more })).choices[0].text
    const native = async (more: object) =>
      (await read('/completion', { model, prompt, n_predict: max, temperature: 0, ignore_eos: true, ...more })).content
    const message = async (more: object) =>
      (await read('/v1/messages', { model, messages, max_tokens: max, temperature: 0, ...more })).content[0]?.text
    const response = async (more: object) => {
      const { output } = await read('/v1/responses', { model, input: text, max_output_tokens: max, temperature: 0, store: false, ...more })
      return JSON.stringify(output[0]?.content?.[0]?.text)
    }
    for (const ask of [completion, native, message, response]) {
      const [plain, changed] = await Promise.all([ask({}), ask({ lora })])
      assert.notEqual(plain, changed)
    }
  })

  test('are rejected by name if missing or for another architecture, and are not listed as models', async () => {
    const refusals: readonly (readonly [Lora, RegExp])[] = [
      [[{ name: 'gone' }], /names gone, which is not an adapter for base; installed are: ink, pencil/],
      [[{ id: 7 }], /names id 7, which is not an adapter for base/],
      [[{ name: 'foreign' }], /names foreign, which is for qwen3 models; base is a llama model/],
      [[{ name: 'ink' }, { id: 0 }], /names ink twice/],
      [[{ scale: 1 }], /must have `name` or `id`/],
    ]
    for (const [lora, reason] of refusals) {
      const answer = await send('/v1/chat/completions', { model, messages, lora })
      assert.equal(answer.status, 400)
      const { message, param } = await readError(answer)
      assert.match(message, reason)
      assert.equal(param, 'lora')
    }
    const answer = await send('/v1/chat/completions', { model: 'ink', messages })
    assert.equal(answer.status, 404)
    assert.match((await readError(answer)).message, /is a LoRA adapter; name its model in `model`/)
  })
})
