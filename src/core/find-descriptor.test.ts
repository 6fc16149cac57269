import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createFakeCatalog } from '../runtimes/fake/fake-catalog.ts'
import { listAliases, resolveModelName } from './find-descriptor.ts'
import type { ModelDescriptor } from './model.ts'

const [example] = createFakeCatalog()
  .list()
  .filter(({ kind }) => kind === 'text')

function catalogOf(...models: readonly (Pick<ModelDescriptor, 'id'> & Partial<ModelDescriptor>)[]) {
  const list = models.map((model) => Object.assign({}, example, model) as ModelDescriptor)
  return { list: () => list, find: (id: string) => list.find((model) => model.id === id) }
}

suite('model names', () => {
  const catalog = catalogOf(
    { id: 'qwen3-8b', aliases: ['gpt-4o', 'qwen3-4b'] },
    { id: 'qwen3-4b' },
    { id: 'org/llama-3.2-1b-instruct-q4_0' },
    { id: 'org/llama-3.2-3b-instruct-q4_0' },
    { id: 'org/repo:Q4_K' },
  )
  for (const [given, expected] of [
    ['qwen3-8b', 'qwen3-8b'],
    ['gpt-4o', 'qwen3-8b'],
    // An id is never an alias of another model.
    ['qwen3-4b', 'qwen3-4b'],
    ['gpt-5', 'qwen3-4b'],
    // Ollama's clients add the tag themselves.
    ['gpt-4o:latest', 'qwen3-8b'],
    ['gpt-5:latest', 'qwen3-4b'],
    ['qwen3:8b', 'qwen3-8b'],
    ['Qwen3:8B', 'qwen3-8b'],
    ['qwen3-4b:latest', 'qwen3-4b'],
    ['llama-3.2:1b', 'org/llama-3.2-1b-instruct-q4_0'],
    ['llama-3.2:1b-instruct', 'org/llama-3.2-1b-instruct-q4_0'],
    ['org/repo:Q4_K', 'org/repo:Q4_K'],
    // Two models match, or none.
    ['llama-3.2:instruct', 'llama-3.2:instruct'],
    ['llama-3.2:latest', 'llama-3.2:latest'],
    ['mistral:7b', 'mistral:7b'],
    ['a:b:c', 'a:b:c'],
    [':', ':'],
    ['constructor', 'constructor'],
  ] as const)
    test(`${given} means ${expected}`, () => {
      assert.equal(resolveModelName(catalog, given, { 'gpt-5': 'qwen3-4b' }), expected)
    })

  test('aliases are listed with their models, except those of missing models', () => {
    const listed = listAliases(catalog, { 'gpt-5': 'qwen3-4b', nothing: 'gone' })
    assert.deepEqual(
      [...listed].map(([alias, { id }]) => [alias, id]),
      [
        ['gpt-5', 'qwen3-4b'],
        ['gpt-4o', 'qwen3-8b'],
      ],
    )
  })
})
