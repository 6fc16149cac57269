import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { TorchGenerator } from './torch-generator.ts'

interface Recorded {
  readonly first8: readonly number[]
  readonly last4: readonly number[]
  readonly sum: number
}

const recorded: Record<string, Recorded> = JSON.parse(
  await readFile(new URL('../../../../test/fixtures/golden/torch_randn_cpu.json', import.meta.url), 'utf8'),
)

for (const [name, expected] of Object.entries(recorded)) {
  const [seed = 0, count = 0] = name.split('/').map(Number)
  test(`seed ${seed} gives PyTorch's ${count} normal values`, () => {
    const values = new TorchGenerator(seed).normal(count)
    for (const [i, value] of expected.first8.entries()) assert.ok(Math.abs((values[i] ?? Number.NaN) - value) < 2e-6, `value ${i}`)
    for (const [i, value] of expected.last4.entries())
      assert.ok(Math.abs((values[count - 4 + i] ?? Number.NaN) - value) < 2e-6, `value ${i} from the end`)
    const sum = values.reduce((total, value) => total + value, 0)
    assert.ok(Math.abs(sum - expected.sum) < 1e-3 * Math.sqrt(count), `sum ${sum} instead of ${expected.sum}`)
  })
}

test('successive draws continue one stream', () => {
  const whole = new TorchGenerator(7).normal(64)
  const generator = new TorchGenerator(7)
  assert.deepEqual(generator.normal(32), new TorchGenerator(7).normal(32))
  assert.notDeepEqual(generator.normal(32), whole.subarray(0, 32))
})
