/**
 * What does it cost that an answer is JSON under a schema, and how many answers are whole when their tokens run out, against llama-server with the same file, schema
 * and requests? Both are driven over HTTP; rounds alternate, and each free of a schema in the same run.
 *
 * Settings: LLAMA_SERVER, BENCH_MODELS (folder of further models), MODEL (one of them), STREAMS, TOKENS, ROUNDS.
 */
import { describeMachine, median } from '../measure.ts'
import { type BenchModel, listBenchModels } from './bench-model.ts'
import { type ChatServer, startLlamaServer, startSepia } from './chat-server.ts'
import { streamChat } from './stream-chat.ts'

const tokensPerStream = Number(process.env.TOKENS ?? 120)
const rounds = Number(process.env.ROUNDS ?? 8)
const streamCounts = (process.env.STREAMS ?? '1,8').split(',').map(Number)

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4}$' },
    rating: { type: 'integer', minimum: 1, maximum: 5 },
    kind: { enum: ['book', 'film', 'song'] },
    tags: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 5 },
    note: { type: ['string', 'null'] },
  },
  required: ['name', 'code', 'rating', 'kind', 'tags', 'note'],
  additionalProperties: false,
}
const formats = { text: {}, JSON: { response_format: { type: 'json_schema', json_schema: { name: 'thing', strict: true, schema } } } }
type Format = keyof typeof formats

interface Outcome {
  readonly perSecond: number
  readonly whole: number
}

let seed = 0

async function measure(server: ChatServer, streams: number, format: Format): Promise<Outcome> {
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: streams }, () =>
      streamChat(server, {
        messages: [{ role: 'user', content: `Describe thing number ${++seed}.` }],
        temperature: 1,
        seed,
        max_tokens: tokensPerStream,
        ...formats[format],
      }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const tokens = answers.reduce((sum, answer) => sum + answer.completionTokens, 0)
  return { perSecond: tokens / seconds, whole: answers.filter(({ text }) => isJson(text)).length / streams }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function compare(model: BenchModel, streams: number): Promise<void> {
  const shape = { ...model, threads: 1, slots: streams }
  await using started = new AsyncDisposableStack()
  const servers = [started.use(await startSepia(shape)), started.use(await startLlamaServer(shape))]
  const runs = servers.flatMap((server) => (['text', 'JSON'] as const).map((format) => ({ server, format, outcomes: [] as Outcome[] })))
  for (let round = -2; round < rounds; round++)
    for (const { server, format, outcomes } of runs) {
      const outcome = await measure(server, streams, format)
      if (round >= 0) outcomes.push(outcome)
    }
  console.log(`${model.model}, ${streams} streams of at most ${tokensPerStream} tokens`)
  for (const { server, format, outcomes } of runs) {
    const rates = outcomes.map(({ perSecond }) => perSecond)
    const whole = outcomes.reduce((sum, outcome) => sum + outcome.whole, 0) / outcomes.length
    const share = format === 'JSON' ? `; ${(100 * whole).toFixed(0)} % whole` : ''
    console.log(
      `  ${server.name.padEnd(12)} ${format.padEnd(4)} tokens/s median ${median(rates).toFixed(0)}, max ${Math.max(...rates).toFixed(0)}${share}`,
    )
  }
}

console.log(describeMachine())
for (const model of await listBenchModels()) for (const streams of streamCounts) await compare(model, streams)
