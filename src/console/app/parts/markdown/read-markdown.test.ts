import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown } from './read-markdown.ts'

/** The formulas of a text, and whether each is displayed on a line of its own. */
function formulasOf(text: string): readonly string[] {
  const found: string[] = []
  const walk = (node: { readonly type: string; readonly value?: string; readonly children?: readonly unknown[] }) => {
    if (node.type === 'inlineMath') found.push(`in line: ${node.value?.trim()}`)
    if (node.type === 'math') found.push(`display: ${node.value?.trim()}`)
    for (const child of node.children ?? []) walk(child as typeof node)
  }
  for (const node of readMarkdown(text)) walk(node)
  return found
}

test('formulas are read in every notation that models use', () => {
  for (const [text, ...formulas] of [
    ['so \\(a^2+b^2\\) and \\( c \\)', 'in line: a^2+b^2', 'in line: c'],
    ['Euler wrote $e^{i\\pi}$, $x$.', 'in line: e^{i\\pi}', 'in line: x'],
    ['\\[ \\sum_{i=1}^n i \\]', 'display: \\sum_{i=1}^n i'],
    ['before\n\\[\n  a\n+ b\n\\]\nafter', 'display: a\n+ b'],
    ['- item\n  \\[\n  x\n  \\]', 'display: x'],
    ['$$x$$', 'display: x'],
    ['$$\nx\n$$', 'display: x'],
    ['$a\\$b$ **\\(c\\)**', 'in line: a\\$b', 'in line: c'],
    ['\\(a \\\\ b\\)', 'in line: a \\\\ b'],
  ] as const)
    assert.deepEqual(formulasOf(text), formulas, text)
})

test('prices, code and unclosed marks are not formulas', () => {
  for (const text of [
    'costs $5 and $10',
    '$5-$10',
    'US$ 5 or 6$',
    '`\\(a\\)` and `$x$`',
    '```\n\\[\nx\n\\]\n```',
    '\\\\(a\\\\)',
    '\\(open',
    '$open',
    'a \\* b \\[1]',
  ])
    assert.deepEqual(formulasOf(text), [], text)
})

test('unclosed marks are read literally', () => {
  for (const mark of ['$a ', '\\(a ', '\\[a ']) assert.deepEqual(formulasOf(mark.repeat(2000)), [])
})
