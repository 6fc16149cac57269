import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { configurationPage, configurationPagePath } from './configuration-page.ts'

it('docs/configuration.md is what the table of settings says; npm run docs writes it', () => {
  assert.equal(readFileSync(configurationPagePath, 'utf8'), configurationPage())
})
