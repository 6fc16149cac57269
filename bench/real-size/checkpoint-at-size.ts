/**
 * Does a checkpoint of SDXL's real size load and draw in less time and memory than its export?
 *
 * Run: `node bench/real-size/checkpoint-at-size.ts [--depth 10] [--kinds mapped,lora,exported] [--sides 512]`. It writes a random checkpoint with
 * SDXL's names (about 7 GB at full depth) into the temporary folder and removes it. The rival in the same run is the same
 * network written as the official export is; at full depth it takes 19 GB. `rewritten` is that export with its weights and our
 * operators: what its users would gain. Steps are given in processor time of one thread.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { describeMachine } from '../measure.ts'
import type { UnetMeasure } from './measure-unet.ts'
import { sdxlShapes, writeRandomWeights } from './random-image-model.ts'

const { values } = parseArgs({
  options: {
    depth: { type: 'string', default: '10' },
    kinds: { type: 'string', default: 'mapped,lora,exported' },
    sides: { type: 'string', default: '512' },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'sepia-real-size-'))
const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function run(script: string, args: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], { maxBuffer: 1 << 24 })
  return stdout
}

try {
  const path = join(folder, 'random.safetensors')
  const parameters = await writeRandomWeights(path, { shapes: await sdxlShapes(Number(values.depth)), matrices: 'f16', vectors: 'f16' })
  print(describeMachine())
  print(
    `checkpoint of ${(parameters / 1e9).toFixed(2)} billion parameters in half precision, transformers of at most ${values.depth} blocks`,
  )
  print('graph      create s (processor)  second s  anonymous MB  mapped MB  peak MB  step, processor s')
  for (const kind of values.kinds.split(',')) {
    const measured: UnetMeasure = JSON.parse(await run('./measure-unet.ts', [path, kind, ...values.sides.split(',')]))
    const { create, createProcessor, second, anonymous, mapped, peak, steps } = measured
    const times = Object.entries(steps).map(([side, seconds]) => `${side}²: ${seconds.toFixed(2)}`)
    print(
      `${kind.padEnd(9)}  ${create.toFixed(1).padStart(8)} (${createProcessor.toFixed(1).padStart(5)})     ${(second === null ? '–' : second.toFixed(1)).padStart(7)}  ${String(anonymous).padStart(12)}  ${String(mapped).padStart(9)}  ${String(peak).padStart(7)}  ${times.join(', ')}`,
    )
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
