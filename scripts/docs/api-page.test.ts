import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { apiPage, apiPagePath } from './api-page.ts'

it('docs/api.md matches the schemas of the routes; npm run docs writes it', () => {
  assert.equal(readFileSync(apiPagePath, 'utf8'), apiPage())
})
