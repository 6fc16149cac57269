/**
 * What does a token cost the text engine besides decoding and drawing? Processor time per token of the engine, without HTTP and in one process, against a
 * bare loop over the same library, in turns, with one thread. Other work on the machine hardly affects the result.
 *
 * Run: `UV_THREADPOOL_SIZE=1 node bench/text/engine-overhead.ts`, since engines have a pool of one thread.
 *
 * Settings: BENCH_MODELS, MODEL (one model), TOKENS, ROUNDS.
 */

import { NativeContext } from '../../src/runtimes/llama/binding/native-context.ts'
import { NativeSampler } from '../../src/runtimes/llama/binding/native-sampler.ts'
import { openModelFile } from '../../src/runtimes/llama/binding/open-model-file.ts'
import { ThreadPool } from '../../src/runtimes/llama/binding/thread-pool.ts'
import { loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { ask, miniChat } from '../../test/support/mini-chat.ts'
import { describeMachine, median } from '../measure.ts'
import { type BenchModel, listBenchModels } from './bench-model.ts'

const tokens = Number(process.env.TOKENS ?? 200)
const rounds = Number(process.env.ROUNDS ?? 9)
const inOrder = process.env.UV_THREADPOOL_SIZE === '1'
const { signal } = new AbortController()
/** Keeps the built-in models from drawing an end token. */
const bias = new Map([
  [0, -100],
  [2, -100],
])

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function measure({ file: path, model: id }: BenchModel): Promise<void> {
  await using engine = await loadLlamaModel({ ...miniChat, id, file: path }, { threads: 1, slots: 1, inOrder, signal })
  await using file = await openModelFile(path, { signal })
  using pool = new ThreadPool(file.native.library, 1)
  const shape = { contextSize: 1024, batchSize: 513, sequences: 1, swaFullCache: true, makes: 'logits' } as const
  await using context = await NativeContext.open(file.native, shape, { pool, inOrder })
  if (context === null) throw new Error('There is not enough memory.')
  using sampler = new NativeSampler(file.native, {})
  sampler.restore({ tokens: Uint32Array.from(bias.keys()), values: Float32Array.from(bias.values()) })
  const decodeBare = async (): Promise<void> => {
    context.disposeSequence(0)
    for (let position = 0, token = 1; position < tokens; position++) {
      context.initBatch()
      context.addToBatch(0, position, Uint32Array.of(token), Uint32Array.of(0))
      await context.decodeBatch(1, { here: true })
      token = await context.sampleToken(0, sampler)
    }
  }
  const answer = async (round: number, maxTokens: number): Promise<void> => {
    const request = ask(`Tell me story number ${round} about a fox.`, { maxTokens, sampling: { logitBias: bias } })
    await Array.fromAsync(engine.generate(request, { signal, account: 'bench' }))
  }
  const bare: number[] = []
  const whole: number[] = []
  for (let round = 0; round < rounds; round++) {
    bare.push((await processorMs(decodeBare)) / tokens)
    await answer(round, 1) // its prompt is in the cache then
    whole.push((await processorMs(() => answer(round, tokens))) / tokens)
  }
  const ratios = whole.map((ms, round) => ms / (bare[round] ?? Number.NaN))
  console.log(
    `${id}: engine ${median(whole).toFixed(3)} ms of processor per token, bare loop ${median(bare).toFixed(3)}; ratio median ${median(ratios).toFixed(2)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
  )
}

console.log(describeMachine())
for (const model of await listBenchModels()) await measure(model)
