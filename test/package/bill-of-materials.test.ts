import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { billOfMaterials } from '../../scripts/package/bill-of-materials.ts'

test('lists every installed package and the included weights', async () => {
  const bill = billOfMaterials()
  const faults = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(JSON.stringify(bill))
  assert.equal(faults, null)
  const names = new Set<string>(bill.components.map(({ name }) => name))
  const manifest: { dependencies: object; devDependencies: object } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.deepEqual(
    Object.keys(manifest.dependencies).filter((name) => !names.has(name)),
    [],
  )
  assert.ok(!names.has('playwright-core'), 'what only tests need')
  assert.ok(names.has('sepia-mini-chat/model.gguf'))
  for (const { name, hashes } of bill.components.filter(({ type }) => type === 'machine-learning-model'))
    assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{64}$/, name)
})
