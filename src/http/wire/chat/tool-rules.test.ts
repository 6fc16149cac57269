import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defineFunction, defineTextTool } from './tool-rules.ts'

suite('descriptions of tools', () => {
  const grammar = { syntax: 'lark', definition: 'start: "a"\n' }
  const rule = 'The input follows this lark grammar:\nstart: "a"\n'
  const cases: readonly [given: string | undefined, alone: string | null, withGrammar: string][] = [
    [undefined, null, rule],
    ['', '', rule],
    [' Edits.\n', ' Edits.\n', ` Edits.\n\n\n${rule}`],
  ]
  for (const [given, alone, withGrammar] of cases)
    test(`${JSON.stringify(given)} is passed on as it was sent`, () => {
      assert.equal(defineFunction({ name: 'edit', ...(given !== undefined && { description: given }) }).description, alone)
      assert.equal(defineTextTool('edit', given, null).description, alone)
      assert.equal(defineTextTool('edit', given, grammar).description, withGrammar)
    })
})
