import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingMarkdown, hasDefinitions } from './growing-markdown.ts'
import { readMarkdown } from './read-markdown.ts'

const text = `# A heading

A paragraph
of two lines with *marks*
===

- one
- two

  still two

1. first
   - inner

> a quote
goes on

\`\`\`js
const a = 1

const b = 2
\`\`\`

    indented code

    goes on

| a | b |
|---|---|
| 1 | 2 |

- [ ] a task

$$
x^2
$$

<div>no HTML</div>

***

Formulas: \\(a^2\\), $x$ and $5.

\\[
\\sum
+ 1
\\]

The end.
`

/** A tree without positions, which are relative to where parsing began. */
function shapeOf(nodes: unknown): unknown {
  return JSON.parse(JSON.stringify(nodes, (key, value) => (key === 'position' ? undefined : value)))
}

test('a text that grows letter by letter always equals the same text read at once', () => {
  const [growing, unfinished] = [new GrowingMarkdown(readMarkdown), new GrowingMarkdown(readMarkdown)]
  for (let end = 1; end <= text.length; end++) {
    const part = text.slice(0, end)
    assert.deepEqual(shapeOf(growing.update(part)), shapeOf(readMarkdown(part)), JSON.stringify(part.slice(-40)))
    assert.deepEqual(shapeOf(unfinished.update(part, true)), shapeOf(readMarkdown(part, true)), JSON.stringify(part.slice(-40)))
  }
})

test('a formula that is open at the end of a growing text is unfinished, and is text once the text is complete', () => {
  const flat = (nodes: unknown) => JSON.stringify(shapeOf(nodes), (key, value) => (key === 'data' ? undefined : value))
  for (const [part, shown] of [
    ['So \\[ Q = \\frac{1}{2} \\\\[2pt]\ny \\', 'So '],
    ['So \\(Q', 'So '],
    ['So $$Q$', 'So '],
    ['a\n\nb\n\n- c\n- \\[', ''],
    ['\\[\nQ', ''],
    ['> $$\n> Q\n> $', ''],
  ] as const) {
    const growing = new GrowingMarkdown(readMarkdown)
    const open = flat(growing.update(part, true))
    assert.ok(open.includes('"…"') && open.includes(shown) && !open.includes('Q'), open)
    assert.deepEqual(shapeOf(growing.update(part)), shapeOf(readMarkdown(part)), 'the text has ended')
  }
  for (const part of [
    '\\[\nx\n\\]',
    '$$\nx\n$$',
    '$$x$$',
    '\\[ x \\] y',
    'a \\[ b\n\nlater',
    '`\\[ x`',
    '```\n\\[ x',
    '\\(\\)',
    'a \\[ \\] b',
    '$$ $$ b',
    'for $5',
    '\\\\[ x',
  ])
    assert.deepEqual(shapeOf(readMarkdown(part, true)), shapeOf(readMarkdown(part)), part)
})

test('finished blocks are not parsed again and keep their identity', () => {
  let read = 0
  const growing = new GrowingMarkdown((part) => {
    read += part.length
    return readMarkdown(part)
  })
  const paragraphs = Array.from({ length: 200 }, (_, at) => `Paragraph ${at} of a long answer.\n\n`)
  let whole = ''
  let first: unknown
  for (const paragraph of paragraphs) {
    whole += paragraph
    const [block] = growing.update(whole)
    if (whole.length > 500) first ??= block
    if (first !== undefined) assert.equal(block, first)
  }
  const before = read
  growing.update(whole)
  assert.equal(read, before, 'unchanged messages are not read')
  assert.ok(read < 4 * whole.length, `read ${read} letters of ${whole.length}`)
})

test('a different text is parsed from the start', () => {
  const growing = new GrowingMarkdown(readMarkdown)
  growing.update('a\n\nb\n\nc\n\nd')
  assert.deepEqual(shapeOf(growing.update('x\n\ny')), shapeOf(readMarkdown('x\n\ny')))
})

test('growing code is appended, not parsed again, until its fence is closed', () => {
  let read = 0
  const growing = new GrowingMarkdown((part) => {
    read += part.length
    return readMarkdown(part)
  })
  const code = Array.from({ length: 500 }, (_, at) => `line ${at} \`\`\` \n`)
  let whole = 'Here:\n\n````js\n'
  for (const line of [...code, '````', '\n', 'The end.']) {
    whole += line
    assert.deepEqual(shapeOf(growing.update(whole)), shapeOf(readMarkdown(whole)))
  }
  assert.ok(read < 4 * whole.length, `read ${read} letters of ${whole.length}`)
})

test('a text with reference links or footnotes must be parsed as a whole, other texts need not be', () => {
  for (const text of ['See [a].\n\n[a]: https://example.org', 'A note[^1].\n\n[^1]: Here.', '> - [a]: https://example.org'])
    assert.equal(hasDefinitions(text), true, text)
  for (const text of ['`a[1]: int`', 'for x in a[1:]:\n  pass', '- [x] done: yes', 'a\n[b]\n: c'])
    assert.equal(hasDefinitions(text), false, text)
  assert.equal(hasDefinitions('-'.repeat(1_000_000)), false, 'in a moment')
})

test('code that arrives in one piece is not parsed as Markdown, closed or not', () => {
  let read = 0
  const growing = new GrowingMarkdown((part) => {
    read += part.length
    return readMarkdown(part)
  })
  const code = Array.from({ length: 500 }, (_, at) => `line ${at} \`\`\` [a]\n\n* b\n`).join('')
  const pieces = [
    'Here:\n\n- one\n\n````js\n',
    code,
    '```\n',
    code,
    '````',
    '`',
    '\n\n```\n',
    code,
    '```',
    ' x\n',
    '```\r\n',
    'The *end*.\n\n```\n',
    code,
  ]
  let whole = ''
  for (const piece of pieces) {
    whole += piece
    assert.deepEqual(shapeOf(growing.update(whole)), shapeOf(readMarkdown(whole)), JSON.stringify(whole.slice(-30)))
    assert.deepEqual(shapeOf(new GrowingMarkdown(readMarkdown).update(whole)), shapeOf(readMarkdown(whole)))
  }
  assert.ok(read < 1000, `read ${read} letters`)
})

test('text that only resembles a fence is read as text', () => {
  for (const text of [
    '$$\n```\na\n```\n$$\n\nb',
    '<pre>\n```js\na\n</pre>\n\nb',
    '```a`b\nc\n\n```\nd',
    '> a\n```\nb\n```\nc',
    '1. a\n\n   ```\n   b\n```\nc',
  ])
    for (let end = 1; end <= text.length; end++) {
      const part = text.slice(0, end)
      assert.deepEqual(shapeOf(new GrowingMarkdown(readMarkdown).update(part)), shapeOf(readMarkdown(part)), JSON.stringify(part))
    }
})
