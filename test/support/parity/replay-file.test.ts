import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runParity } from './replay-file.ts'

const golden = fileURLToPath(new URL('../../fixtures/golden', import.meta.url))
const whole = JSON.parse(await readFile(join(golden, 'parity.json'), 'utf8'))
const parent = await mkdtemp(join(tmpdir(), 'sepia-parity-'))
after(() => rm(parent, { recursive: true }))

/** Replays some of the reference cases, changed. */
async function replay(
  cases: readonly unknown[],
  ...rest: readonly string[]
): Promise<{ readonly status: number; readonly lines: readonly string[]; readonly progress: readonly string[] }> {
  const file = join(parent, 'cases.json')
  await writeFile(file, JSON.stringify({ ...whole, cases }))
  const lines: string[] = []
  const progress: string[] = []
  const status = await runParity([file, ...rest], { print: (line) => lines.push(line), progress: (text) => progress.push(text) })
  return { status, lines, progress }
}

const [first, second] = whole.cases

test('cases within the limits print the worst error per sampler and exit with status 0', async () => {
  const { status, lines, progress } = await replay([first, second])
  assert.equal(status, 0)
  assert.match(lines.join('\n'), /^PNDM +2 +\d\.\d+e-\d+ +[01]\/255$/m)
  assert.deepEqual(progress, ['1/2 PNDM/4', '2/2 PNDM/10', ''])
})

test('the models folder may be the folder of the model or its parent', async () => {
  assert.equal((await replay([first], '--models', golden)).status, 0)
  assert.equal((await replay([first], '--models', join(golden, 'tiny-sdxl'))).status, 0)
})

test('a case over the limits fails the run by name', async () => {
  const { status, lines } = await replay([first, { ...second, seed: 1 }])
  assert.equal(status, 1)
  assert.ok(lines.some((line) => line.startsWith('PNDM/10: over the limits: latents ')))
})

test('a case that cannot be replayed or read fails the run by name', async () => {
  const { status, lines } = await replay([
    first,
    { ...first, name: 'unknown', sampler: 'NOPE' },
    { ...first, name: 'too many', sampler: 'LCM', steps: 60 },
  ])
  assert.equal(status, 1)
  assert.ok(lines.some((line) => line.startsWith('unknown: cannot be read: "sampler" is "NOPE"')))
  assert.ok(lines.some((line) => line.startsWith('too many: cannot be replayed: The sampler LCM takes at most 50 steps')))
  assert.equal(lines.at(-1), "1 of 3 cases within 1e-3 of the latents' range and 1/255 per pixel")
})

test('a file without cases and invalid arguments fail the run', async () => {
  assert.equal((await replay([])).status, 1)
  assert.equal(await runParity([], { print: () => undefined, progress: () => undefined }), 2)
  assert.equal(await runParity(['a', '--nope'], { print: () => undefined, progress: () => undefined }), 2)
})
