import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { test } from 'node:test'
import { declares, findWrongNames } from './named-code.ts'

for (const page of [
  'ARCHITECTURE.md',
  'STYLE.md',
  'CONTRIBUTING.md',
  ...globSync(['docs/*.md', 'docs/decisions/*.md', 'src/**/design.md']),
])
  test(`every file that ${page} names exists and declares the name that follows it`, () => {
    const folder = /security\.md$/.test(page) ? 'test/security' : page.startsWith('src/') ? dirname(page) : 'src'
    assert.deepEqual(findWrongNames(readFileSync(page, 'utf8'), folder), [])
  })

test('finds a name that has moved and a file that no longer exists', () => {
  assert.deepEqual(findWrongNames('See `core/json-value.ts` `isRecord` and `core/error.ts` `ServiceError`.'), [])
  assert.deepEqual(findWrongNames('See `core/json-value.ts` `isList`.'), ['core/json-value.ts does not declare isList'])
  assert.deepEqual(findWrongNames('See `core/is-gone.ts` `isGone`, or `core/was-there.ts`.'), [
    'core/is-gone.ts does not exist',
    'core/was-there.ts does not exist',
  ])
})

test('methods count as declared, calls do not', () => {
  assert.equal(declares('class A {\n  async enqueue(b: string): Promise<void> {}\n}\n', 'enqueue'), true)
  assert.equal(declares('const a = 1\nawait enqueue(a)\n', 'enqueue'), false)
})

test('the signature that STYLE.md shows is the one in the code', () => {
  const [, example = ''] = /```ts\n([\s\S]*?)\n\s*```/.exec(readFileSync('STYLE.md', 'utf8')) ?? []
  const shown = example.replaceAll(/^ {3}/gm, '')
  assert.ok(shown.startsWith('export async function* generateText('))
  assert.ok(readFileSync('src/operations/generate-text.ts', 'utf8').includes(shown), shown)
})
