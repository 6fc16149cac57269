/**
 * Does an image model of real size draw in the time and memory of stable-diffusion.cpp?
 *
 * Run: `node bench/real-size/image-model-at-size.ts --model z-image|flux|sdxl [--quantization q4_0|q8_0] [--depth 99] [--side 512] [--steps 1] [--threads 2] [--in-turn] [--folder <folder>] [--keep] [--rival <sd-cli>] [--ours off]`.
 * It writes random files of the true shapes into the folder (Z-Image-Turbo with Qwen3 4B: 6 GB in Q4_0; FLUX.1-schnell with T5 XXL: 10 GB; SDXL in F16: 7 GB), draws without
 * guidance and removes them; `--keep` leaves them, and files that are there are used. `--depth` counts blocks of the transformer, for a smaller model of the same make, and
 * `--in-turn` loads the parts one after the other; the rival draws FLUX.1 of any depth, and the others of full depth alone, from the same files.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { readGoldenCheckpoints } from '../../test/support/model-files/golden-checkpoints.ts'
import { describeMachine } from '../measure.ts'
import { readProcessorMs } from '../processor-time.ts'
import type { ImageModelMeasure, PartMeasure } from './measure-image-model.ts'
import {
  clipShapes,
  fluxShapes,
  qwen3Shapes,
  sdxlShapes,
  t5Shapes,
  vaeShapes,
  writeRandomWeights,
  zImageShapes,
} from './random-image-model.ts'

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'z-image' },
    quantization: { type: 'string', default: 'q4_0' },
    depth: { type: 'string', default: '99' },
    folder: { type: 'string' },
    keep: { type: 'boolean', default: false },
    rival: { type: 'string' },
    ours: { type: 'string', default: 'on' },
    'in-turn': { type: 'boolean', default: false },
    threads: { type: 'string', default: '2' },
    side: { type: 'string', default: '512' },
    steps: { type: 'string', default: '1' },
  },
})
const matrices = values.quantization === 'q8_0' ? 'q8_0' : 'q4_0'
const depth = Number(values.depth)
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'sepia-real-size-')))
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const at = (name: string): string => join(folder, name)
const size = depth >= 38 ? '' : `-${depth}`

async function write(name: string, weights: Parameters<typeof writeRandomWeights>[1]): Promise<string> {
  if (!(await stat(at(name)).catch(() => null))) {
    const parameters = await writeRandomWeights(at(`${name}.part`), weights)
    await rename(at(`${name}.part`), at(name))
    print(`${name}: ${(parameters / 1e9).toFixed(2)} billion parameters`)
  }
  return at(name)
}

async function writeTokenizer(name: string): Promise<string> {
  for (const [path, bytes] of await readGoldenCheckpoints('transformers')) {
    if (!path.startsWith(`${name}/`)) continue
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), bytes)
  }
  return at(name)
}

/** A model's files, as Sepia and as the rival take them. */
interface RandomModel {
  readonly weights: string
  readonly files: Readonly<Record<string, string>>
  readonly rivalFiles: readonly string[]
}

/** Writes the files of each kind of model. */
const models: Readonly<Record<string, () => Promise<RandomModel>>> = {
  sdxl: async () => {
    const weights = await write(`sdxl${size}-f16.safetensors`, { shapes: await sdxlShapes(depth), matrices: 'f16', vectors: 'f16' })
    return { weights, files: {}, rivalFiles: ['--model', weights] }
  },
  flux: async () => {
    const weights = await write(`flux1-schnell${size}-${matrices}.gguf`, { shapes: fluxShapes(depth), matrices, architecture: 'flux' })
    const clip = await write('clip_l.safetensors', { shapes: clipShapes(), matrices: 'f16' })
    const t5 = await write('t5-q4_0.gguf', { shapes: t5Shapes(), matrices: 'q4_0', architecture: 't5encoder' })
    const vae = await write('ae.safetensors', { shapes: vaeShapes(), matrices: 'f16' })
    const files = { text_encoder: clip, text_encoder_2: t5, tokenizer_2: await writeTokenizer('tokenizers/t5'), vae }
    return { weights, files, rivalFiles: ['--diffusion-model', weights, '--vae', vae, '--t5xxl', t5, '--clip_l', clip] }
  },
  'z-image': async () => {
    const weights = await write(`z-image-turbo${size}-${matrices}.gguf`, { shapes: zImageShapes(depth), matrices, architecture: 'lumina2' })
    const text = await write('qwen3-4b-q4_0.gguf', { shapes: qwen3Shapes(), matrices: 'q4_0', architecture: 'qwen3' })
    const vae = await write('ae.safetensors', { shapes: vaeShapes(), matrices: 'f16' })
    const files = { text_encoder: text, tokenizer: await writeTokenizer('tokenizers/qwen3'), vae }
    return { weights, files, rivalFiles: ['--diffusion-model', weights, '--vae', vae, '--llm', text] }
  },
}

const shown = (part: string, { seconds, processor, peak }: Omit<PartMeasure, 'peak'> & { readonly peak?: number }): string =>
  `${part.padEnd(5)} ${seconds.toFixed(2).padStart(8)} s  ${processor.toFixed(2).padStart(8)} s of processor${peak === undefined ? '' : `  ${String(peak).padStart(6)} MB`}`

async function measureOurs({ weights, files }: RandomModel): Promise<void> {
  const script = fileURLToPath(new URL('./measure-image-model.ts', import.meta.url))
  const [threads, side, steps] = [Number(values.threads), Number(values.side), Number(values.steps)]
  const settings = { weights, files, threads, inTurn: values['in-turn'], side, steps }
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(settings)], { maxBuffer: 1 << 24 })
  const measured: ImageModelMeasure = JSON.parse(stdout)
  for (const part of ['load', 'text', 'step', 'vae'] as const) print(`Sepia ${shown(part, measured[part])}`)
  print(`Sepia peak ${Math.max(...Object.values(measured).map(({ peak }) => peak))} MB`)
}

/** The output of the rival at the end of each part. */
const rivalParts = [
  ['load', /loading tensors completed, taking ([\d.]+)(m?s)/u],
  ['text', /get_learned_condition completed, taking ([\d.]+) ?(m?s)/u],
  ['step', /sampling completed, taking ([\d.]+) ?(m?s)/u],
  ['vae', /decode_first_stage completed, taking ([\d.]+) ?(m?s)/u],
] as const

async function measureRival(program: string, { rivalFiles }: RandomModel): Promise<void> {
  const picture = ['-p', 'a glossy red apple', '--steps', values.steps, '--cfg-scale', '1', '-W', values.side, '-H', values.side]
  const rest = ['-t', values.threads, '-v', '-o', at('rival.png'), '--sampling-method', 'euler']
  const child = spawn(program, [...rivalFiles, ...picture, ...rest])
  let text = ''
  const processor = new Map<string, number>()
  let before = 0
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      text += String(bytes)
      for (const [part, pattern] of rivalParts) {
        if (processor.has(part) || !pattern.test(text)) continue
        const now = readProcessorMs(child.pid ?? 0) / 1000
        processor.set(part, now - before)
        before = now
      }
    })
  let peak = 0
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Math.round(Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024))
    await Promise.race([ended, setTimeout(100)])
  }
  const code = await ended
  if (code !== 0) print(`stable-diffusion.cpp ended with ${code}: ${text.slice(-2000)}`)
  for (const [part, pattern] of rivalParts) {
    const [, number, unit] = pattern.exec(text) ?? []
    const seconds = Number(number) / (unit === 'ms' ? 1000 : 1)
    if (number !== undefined) print(`stable-diffusion.cpp ${shown(part, { seconds, processor: processor.get(part) ?? 0 })}`)
  }
  print(`stable-diffusion.cpp peak ${peak} MB`)
}

try {
  await mkdir(folder, { recursive: true })
  const writeModel = models[values.model]
  if (writeModel === undefined) throw new Error(`--model takes ${Object.keys(models).join(', ')}`)
  print(describeMachine())
  const model = await writeModel()
  if (values.ours !== 'off') await measureOurs(model)
  if (values.rival !== undefined) await measureRival(values.rival, model)
} finally {
  if (!values.keep) await rm(folder, { recursive: true, force: true })
}
