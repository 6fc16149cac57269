import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StopMatcher } from './stop-matcher.ts'

function run(stops: readonly string[], fragments: readonly string[]): { shown: string[]; stopped: boolean } {
  const matcher = new StopMatcher(stops)
  const shown: string[] = []
  for (const fragment of fragments) {
    const { text, stopped } = matcher.add(fragment)
    shown.push(text)
    if (stopped) return { shown, stopped }
  }
  shown.push(matcher.flush())
  return { shown, stopped: false }
}

test('a stop string across fragments is found and not emitted', () => {
  assert.deepEqual(run(['END'], ['ab E', 'N', 'D more']), { shown: ['ab ', '', ''], stopped: true })
})

test('text held back as a possible stop string is emitted once it cannot be one', () => {
  assert.deepEqual(run(['END'], ['E', 'N', 'x']), { shown: ['', '', 'ENx', ''], stopped: false })
})

test('text held back at the end is emitted', () => {
  assert.deepEqual(run(['END'], ['abE', 'N']), { shown: ['ab', '', 'EN'], stopped: false })
})

test('the earliest of several stop strings cuts the text', () => {
  assert.deepEqual(run(['cd', 'bc'], ['abcd']), { shown: ['a'], stopped: true })
})

test('a stop string that overlaps its own beginning is found', () => {
  assert.deepEqual(run(['aab'], ['aa', 'ab', 'x']), { shown: ['', 'a'], stopped: true })
})

test('without stop strings nothing is held back', () => {
  assert.deepEqual(run([], ['a', 'b']), { shown: ['a', 'b', ''], stopped: false })
})
