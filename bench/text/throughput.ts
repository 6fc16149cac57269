/**
 * How many tokens a second does the whole service stream, and how soon does the first one come, against llama-server with the same file, the same
 * threads and the same requests, in each of its builds? All are driven over HTTP by one client that shares the machine with them; rounds alternate. The limit is
 * a bare loop over our library that computes and draws the same batches in the same rounds and, for one stream, llama-bench's bare decode.
 *
 * Run with GLIBC_TUNABLES=glibc.malloc.hugetlb=1, so that the bare loop has large pages as engines have.
 *
 * Settings: LLAMA_BUILDS, BENCH_MODELS (folder of further models), MODEL (one of them), THREADS, STREAMS, TOKENS, ROUNDS, WARM (rounds before those that count).
 */
import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { describeMachine, median } from '../measure.ts'
import { readProcessorMs } from '../processor-time.ts'
import { BareBatches, type BareRate } from './bare-batches.ts'
import { type BenchModel, listBenchModels } from './bench-model.ts'
import { type ChatServer, startLlamaServer, startSepia } from './chat-server.ts'
import { listLlamaBuilds, measureBareDecode } from './llama-builds.ts'
import { streamChat } from './stream-chat.ts'

const threads = Number(process.env.THREADS ?? 1)
const tokensPerStream = Number(process.env.TOKENS ?? 200)
const rounds = Number(process.env.ROUNDS ?? 5)
const warmRounds = Number(process.env.WARM ?? 3)
const builds = listLlamaBuilds()
const nameWidth = 26
/** llama.cpp's pools of threads spin for a tenth of a second after their last batch, on cores that the next bench would use. */
const restMs = 400
const streamCounts = (process.env.STREAMS ?? '1,8,32').split(',').map(Number)

interface Outcome {
  readonly perSecond: number
  readonly firstMs: number
  /** Tokens per second of all streams after the first token: what llama-bench's bare decode is the limit of. */
  readonly decodePerSecond: number
  /** Processor time of the server per token; unlike the rest it hardly depends on what else runs. */
  readonly costMs: number
}

interface Measured {
  readonly outcomes: readonly Outcome[]
}

let question = 0

async function measure(server: ChatServer, streams: number): Promise<Outcome> {
  const busyBefore = readProcessorMs(server.pid)
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: streams }, () =>
      streamChat(server, {
        messages: [{ role: 'user', content: `Tell me story number ${++question} about a fox.` }],
        temperature: 0,
        repetition_penalty: 1, // llama-server's default; a model's own may differ
        max_tokens: tokensPerStream,
        logit_bias: { 0: -100, 2: -100 }, // the built-in model's end tokens
      }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const tokens = answers.reduce((sum, answer) => sum + answer.completionTokens, 0)
  const firstMs = median(answers.map((answer) => answer.firstMs))
  return {
    perSecond: tokens / seconds,
    firstMs,
    decodePerSecond: (tokens - streams) / (seconds - firstMs / 1000),
    costMs: (readProcessorMs(server.pid) - busyBefore) / tokens,
  }
}

function describeRates(perSecond: readonly number[]): string {
  const rates = perSecond.map(Math.round).toSorted((a, b) => a - b)
  return `tokens/s min ${rates[0]}, median ${median(rates)}, upper quartile ${upperQuartile(rates)}, max ${rates.at(-1)}`
}

/** Other work on a shared machine can only slow a round down. */
function upperQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length * 3) / 4)] ?? Number.NaN
}

function describe(name: string, outcomes: readonly Outcome[]): string {
  const first = median(outcomes.map((outcome) => outcome.firstMs))
  const cost = median(outcomes.map((outcome) => outcome.costMs))
  const rates = describeRates(outcomes.map((outcome) => outcome.perSecond))
  return `${name.padEnd(nameWidth)} ${rates}; first token ${first.toFixed(1)} ms; processor ${cost.toFixed(2)} ms per token`
}

async function compare(model: BenchModel, streams: number): Promise<void> {
  const shape = { ...model, threads, slots: streams }
  await using started = new AsyncDisposableStack()
  const ours = started.use(await startSepia(shape))
  const rivals: ChatServer[] = []
  for (const build of builds) rivals.push(started.use(await startLlamaServer(shape, [], { ...build, name: `llama-server, ${build.name}` })))
  const results = [ours, ...rivals].map((server) => ({ server, outcomes: [] as Outcome[] }))
  const bare = builds.map((build) => ({ build, rates: [] as number[] }))
  const batches = started.use(await BareBatches.open(model.file, { threads, streams, tokens: tokensPerStream }))
  const limits: BareRate[] = []
  for (let round = -warmRounds; round < rounds; round++) {
    // The scheduler gives less time to a bench after one that took the whole processor: each comes first in turn.
    const first = (round + warmRounds) % results.length
    for (const { server, outcomes } of [...results.slice(first), ...results.slice(0, first)]) {
      const outcome = await measure(server, streams)
      if (round >= 0) outcomes.push(outcome)
      if (threads > 1) await setTimeout(restMs)
    }
    const bareRate = await batches.measure(tokensPerStream)
    if (round >= 0) limits.push(bareRate)
    if (threads > 1) await setTimeout(restMs)
    // llama-bench decodes one stream.
    if (round >= 0 && streams === 1)
      for (const { build, rates } of bare)
        rates.push(await measureBareDecode(build, { file: model.file, threads, tokens: tokensPerStream }))
  }
  const rate = ({ outcomes }: Measured) => upperQuartile(outcomes.map((outcome) => outcome.perSecond))
  const decodeRate = ({ outcomes }: Measured) => upperQuartile(outcomes.map((outcome) => outcome.decodePerSecond))
  const [mine, ...others] = results
  if (mine === undefined) return
  const fastest = Math.max(...others.map(rate))
  const limit = Math.max(...bare.map(({ rates }) => upperQuartile(rates)))
  const ofLimit =
    streams === 1
      ? `, after the first token ${(decodeRate(mine) / limit).toFixed(2)} × the bare decode (the rival ${(Math.max(...others.map(decodeRate)) / limit).toFixed(2)})`
      : ''
  console.log(
    `${model.model}, ${streams} streams of ${tokensPerStream} tokens, ${threads} thread(s): ${(rate(mine) / fastest).toFixed(2)} × the fastest rival${ofLimit}`,
  )
  for (const { server, outcomes } of results) console.log(`  ${describe(server.name, outcomes)}`)
  const whole = limits.map((limit) => limit.whole)
  const room = (ratio: number) => `${(upperQuartile(whole) / ratio).toFixed(2)} ×`
  console.log(
    `  ${'bare loop, prompts and all'.padEnd(nameWidth)} ${describeRates(whole)}; ${room(fastest)} the fastest rival, ${room(rate(mine))} ours`,
  )
  console.log(`  ${'bare loop, after prompts'.padEnd(nameWidth)} ${describeRates(limits.map((limit) => limit.decode))}`)
  if (streams === 1)
    for (const { build, rates } of bare) console.log(`  ${`llama-bench, ${build.name}`.padEnd(nameWidth)} ${describeRates(rates)}`)
}

console.log(`${describeMachine()}, load ${loadavg()[0]?.toFixed(1)}; ratios are of the upper quartiles`)
for (const model of await listBenchModels()) for (const streams of streamCounts) await compare(model, streams)
