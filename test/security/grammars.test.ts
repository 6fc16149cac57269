import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { JsonObject } from '../../src/core/json-value.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextRequest } from '../../src/core/text-generation.ts'
import { loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { ask, miniChat, textOf } from '../support/mini-chat.ts'

const { signal } = new AbortController()

/** Lists in lists, each of two kinds that begin alike: a stack for every reading would be 2 to the power of the depth. */
function alikeLists(depth: number): JsonObject {
  let schema: JsonObject = { type: 'integer' }
  for (let level = 0; level < depth; level++)
    schema = {
      anyOf: [
        { type: 'array', items: schema },
        { type: 'array', minItems: 1 },
      ],
    }
  return schema
}

function members(count: number, schema: (index: number) => JsonObject): JsonObject {
  return { type: 'object', properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, schema(index)])) }
}

const hostile: readonly (readonly [what: string, schema: JsonObject, choices: number])[] = [
  ['lists of two kinds, 15 deep', alikeLists(15), 1],
  ['1 000 members of up to 1 000 characters, 16 times', members(1000, () => ({ type: 'string', maxLength: 1000 })), 16],
  ['1 000 members of as many lengths, 16 times', members(1000, (index) => ({ type: 'string', maxLength: index + 1 })), 16],
  ['4 000 constants', { enum: Array.from({ length: 4000 }, (_, index) => `constant${index}`) }, 4],
  [
    'rules that lead back to each other',
    { $defs: { a: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/a' } }, { type: 'array' }, {}] } }, $ref: '#/$defs/a' },
    16,
  ],
]

const endless = { type: 'grammar', grammar: 'root ::= s\ns ::= [a-z ] s s | [a-z ] s | [a-z ]', field: 'grammar' } as const

suite('grammars of one account beside answers of another', () => {
  let model: TextModel & AsyncDisposable
  before(async () => {
    model = await loadLlamaModel(miniChat, { threads: 1, slots: 8, signal })
  })
  after(() => model[Symbol.asyncDispose]())

  const honest = ask('What is the capital of France?', { maxTokens: 300, sampling: { temperature: 1, seed: 7 } })
  const run = async (request: TextRequest, account: string) => Array.fromAsync(model.generate(request, { signal, account }))

  test('an endless grammar fails alone, and new ones wait while their account has used too much time', {
    timeout: 300_000,
  }, async () => {
    const alone = textOf(await run(honest, 'honest'))
    const attempts = Array.from({ length: 40 }, async (_, index) => {
      const responseFormat = { ...endless, grammar: `${endless.grammar} # ${index}` }
      const ended = run(ask('Write.', { maxTokens: 900, responseFormat, sampling: { seed: index, temperature: 1 } }), 'greedy')
      return ended.then(
        () => 'answered',
        (error: { code?: string; param?: string }) => `${error.code} ${error.param}`,
      )
    })
    const [beside, ...outcomes] = await Promise.all([run(honest, 'honest'), ...attempts])
    assert.equal(textOf(beside), alone)
    assert.ok(outcomes.includes('unsupported_parameter grammar'), outcomes.join())
    const simple = ask('Hi', { responseFormat: { ...endless, grammar: 'root ::= "hi"' } })
    await assert.rejects(run(simple, 'greedy'), { code: 'rate_limit_exceeded' })
    assert.equal(textOf(await run(simple, 'other')), 'hi')
  })

  for (const [what, schema, choices] of hostile)
    test(`${what}: answered, and the concurrent answer is unchanged`, { timeout: 300_000 }, async () => {
      const alone = textOf(await run(honest, 'honest'))
      const requests = Array.from({ length: 4 }, (_, seed) =>
        ask('Write lists.', {
          maxTokens: 60,
          choices,
          responseFormat: { type: 'json_schema', schema },
          sampling: { temperature: 1, seed },
        }),
      )
      const [beside, ...answers] = await Promise.all([run(honest, 'honest'), ...requests.map((request) => run(request, what))])
      assert.equal(textOf(beside), alone)
      for (const parts of answers) assert.equal(parts.filter((part) => part.type === 'choice-finish').length, choices)
    })
})
