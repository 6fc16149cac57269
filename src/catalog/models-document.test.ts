import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { describeSchema } from '../core/schema/describe-schema.ts'
import { modelFileFields } from './model-file-fields.ts'

test('docs/model-json.md describes every field as the code checks it', async () => {
  const document = await readFile(new URL('../../docs/model-json.md', import.meta.url), 'utf8')
  const rows = modelFileFields.map(
    ({ name, models, absent, schema, meaning }) =>
      `| \`${name}\` | ${models} | ${absent ?? '**required**'} | ${describeSchema(schema)} | ${meaning} |`,
  )
  const shown = document.split('\n').filter((line) => line.startsWith('| `'))
  assert.deepEqual(shown, rows)
})
