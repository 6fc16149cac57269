import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openReferencePipeline } from './open-pipeline.ts'
import { parseReferenceFile } from './reference-case.ts'
import { type Deviation, isWithinLimits, replayCase } from './replay-case.ts'

const golden = new URL('../../fixtures/golden/', import.meta.url)
const { signal } = new AbortController()
const file = parseReferenceFile(JSON.parse(await readFile(new URL('parity.json', golden), 'utf8')))
const [first] = file.cases
assert.ok(first)
const opened = await openReferencePipeline(fileURLToPath(golden), first, { threads: 1, signal })
after(() => opened[Symbol.asyncDispose]())

test('reads every reference case', () => {
  assert.deepEqual(file.unreadable, [])
  assert.ok(file.cases.length > 50)
})

for (const [sampler, cases] of Map.groupBy(file.cases, (reference) => reference.sampler)) {
  test(`${sampler} gives the latents and pixels of diffusers`, async (context) => {
    const results: Deviation[] = []
    for (const reference of cases) {
      const deviation = await replayCase(opened, reference, { signal })
      assert.ok(isWithinLimits(deviation), `${reference.name}: latents ${deviation.latents}, pixels ${deviation.pixels}`)
      results.push(deviation)
    }
    const latents = Math.max(...results.map((result) => result.latents))
    const pixels = Math.max(...results.map((result) => result.pixels))
    context.diagnostic(`worst of ${results.length}: latents ${latents.toExponential(2)} of their range, pixels ${pixels}/255`)
  })
}
