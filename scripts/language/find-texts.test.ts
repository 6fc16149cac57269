// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources that are read here are texts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTexts } from './find-texts.ts'

function aroundIn(source: string): readonly string[] {
  return findTexts('page.tsx', source).bypasses.map(({ text }) => text)
}

test('finds texts of the catalogue, with numbered placeholders', () => {
  const { texts, bypasses } = findTexts(
    'page.tsx',
    'const a = t`Hello`\nconst b = t`${name} has ${count} of them`\nt.rich`See ${<a>{t`this`}</a>}`',
  )
  assert.deepEqual(bypasses, [])
  assert.deepEqual(
    texts.map(({ english, line }) => [english, line]),
    [
      ['Hello', 1],
      ['{0} has {1} of them', 2],
      ['See {0}', 3],
      ['this', 3],
    ],
  )
})

test('finds the plural forms of a counted text', () => {
  const { texts } = findTexts('page.tsx', "t.count(found.length, { one: 'One page', other: '# pages' })")
  assert.deepEqual(texts, [{ english: '# pages', forms: { one: 'One page', other: '# pages' }, line: 1 }])
})

test('finds untranslated words in elements, attributes, labels, sentences and messages', () => {
  for (const [source, text] of [
    ['<p>Hello</p>', 'Hello'],
    ['<p>{open ? "shown" : t`hidden`}</p>', 'shown'],
    ['<p>{name ?? "nobody"}</p>', 'nobody'],
    ['<Field label="Name" />', 'Name'],
    ['<Field label={`${a} of it`} />', '{0} of it'],
    ['<img alt="a tree" />', 'a tree'],
    ['<i aria-label="close" />', 'close'],
    ['<input placeholder="as it is" />', 'as it is'],
    ['<Dialog action="remove" />', 'remove'],
    ['const column = { title: "model" }', 'model'],
    ['showToast("Deleted.")', 'Deleted.'],
    ['showToast(`${name} is deleted.`)', '{0} is deleted.'],
    ['const words = ["Nobody knows", 1]', 'Nobody knows'],
  ] as const)
    assert.deepEqual(aroundIn(source), [text], source)
})

test('ignores what is not a text: classes, addresses, kinds, compared values, types', () => {
  for (const source of [
    '<p class={open ? "plate chosen" : "plate"} id="main" />',
    '<a href="/console/chat" target="_blank" rel="noreferrer" />',
    '<Button tone="quiet" icon="close" />',
    'if (event.key === "Enter") send()',
    'switch (a) { case "Not this": go() }',
    'type Kind = "One of these"',
    "const [a] = request('/console/api/session', { method: 'POST' })",
  ])
    assert.deepEqual(aroundIn(source), [], source)
})
