import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { configurationPage, configurationPagePath } from './configuration-page.ts'

it('docs/configuration.md matches the table of settings; npm run docs writes it', () => {
  assert.equal(readFileSync(configurationPagePath, 'utf8'), configurationPage())
})
