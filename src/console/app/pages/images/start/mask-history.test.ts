import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMark, noMarks, redoMark, undoMark } from './mask-history.ts'

const [fill, invert, clear] = [{ type: 'fill' }, { type: 'invert' }, { type: 'clear' }] as const

test('mask edits are undone and redone, the last one first', () => {
  const both = addMark(addMark(noMarks, fill), invert)
  assert.deepEqual(undoMark(both), { done: [fill], undone: [invert] })
  assert.deepEqual(redoMark(undoMark(both)), both)
  assert.deepEqual(undoMark(undoMark(both)).undone, [invert, fill])
})

test('a new edit clears what was undone', () => {
  assert.deepEqual(addMark(undoMark(addMark(noMarks, fill)), clear), { done: [clear], undone: [] })
})

test('with nothing to undo or redo, nothing happens', () => {
  assert.deepEqual(undoMark(noMarks), noMarks)
  assert.deepEqual(redoMark(noMarks), noMarks)
})
