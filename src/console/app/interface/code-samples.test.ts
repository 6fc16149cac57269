import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curlSample, pythonLiteral } from './code-samples.ts'

test('an apostrophe in the body is escaped for the shell', () => {
  assert.match(curlSample('http://x', { prompt: "it's" }), /it'\\''s/)
})

test('JSON data becomes Python source', () => {
  assert.equal(
    pythonLiteral({ a: [true, null], b: 'x"y', c: [] }),
    '{\n    "a": [\n        True,\n        None,\n    ],\n    "b": "x\\"y",\n    "c": [],\n}',
  )
})
