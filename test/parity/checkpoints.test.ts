import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { openReferencePipeline, pipelineKey } from '../support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../support/parity/reference-case.ts'
import { type Deviation, isWithinLimits, replayCase } from '../support/parity/replay-case.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
await unpackGoldenCheckpoints(folder)
const file = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
const { signal } = new AbortController()

test('every reference case can be read', () => {
  assert.deepEqual(file.unreadable, [])
  assert.equal(file.cases.length, 72)
})

for (const [key, cases] of Map.groupBy(file.cases, pipelineKey)) {
  test(`${key} draws the latents and pixels of diffusers`, async (context) => {
    const [first] = cases
    assert.ok(first)
    await using opened = await openReferencePipeline(folder, first, { threads: 1, signal })
    const results: Deviation[] = []
    for (const reference of cases) {
      const deviation = await replayCase(opened, reference, { signal })
      assert.ok(isWithinLimits(deviation), `${reference.name}: latents ${deviation.latents}, pixels ${deviation.pixels}`)
      results.push(deviation)
    }
    const latents = Math.max(...results.map((result) => result.latents))
    context.diagnostic(`worst of ${results.length}: latents ${latents.toExponential(2)} of their range`)
  })
}
