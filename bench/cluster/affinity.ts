/**
 * How many turns of a conversation reach the node that has it cached, and how long does the first token of such a turn take, compared with a single node?
 *
 * An API node and two workers run as separate processes on one PostgreSQL and a bucket in memory. The rivals are a single node on its own database
 * there, which has the same cost of the store and leases no slots, and a single node on its data folder. All run the built-in model on one thread. Each
 * turn is sent to all three, one after the other. A turn is warm if at least eight tenths of its prompt were in the cache.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceProcess } from '../../test/chaos/service-process.ts'
import { startPostgres } from '../../test/support/postgres/postgres-server.ts'
import { startFaultyS3Server } from '../../test/support/s3/faulty-s3-server.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { describeMachine, median } from '../measure.ts'

const [conversations, turns] = [24, 6]
const root = new URL('../..', import.meta.url).pathname
const reminder = 'You answer in one short sentence, politely, and never of anything that was not asked. '.repeat(8)

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

interface Turn {
  readonly firstTokenMs: number
  readonly cached: number
  readonly prompt: number
  readonly text: string
}

console.log(describeMachine())
await using parts = new AsyncDisposableStack()
const folder = parts.use(await createTemporaryFolder()).path
const database = parts.use(await startPostgres())
for (const name of ['cluster', 'single']) await database.query(`create database ${name}`)
const on = async (name: string) => ({
  SEPIA_DATABASE_URL: database.url(name),
  SEPIA_S3_URL: `${parts.use(await startFaultyS3Server()).address.endpoint.replace('//', '//key:secret@')}/outputs`,
  SEPIA_CLUSTER_SECRET: 'a secret of all nodes',
})
const nodes = await on('cluster')
const api = await start('api', nodes)
for (const name of ['one', 'two']) await start('worker', nodes, name)
const single = await start('all', await on('single'), 'single')
const alone = await start('all', {})
while (!(await fetch(`${api.url}/readyz`)).ok) await pause(50)
// Both workers load the model, and every process has done what it does often enough to be compiled.
for (let round = 0; round < 80; round++)
  for (const node of [api, single, alone]) await ask(node, [{ role: 'user', content: `Hello ${round}` }])

for (const clients of [1, 4]) {
  const [ours, theirs, plain]: [Turn[], Turn[], Turn[]] = [[], [], []]
  let next = 0
  const lane = async () => {
    for (let index = next++; index < conversations; index = next++) {
      ours.push(...(await converse(api, `${clients} ${index}`)))
      theirs.push(...(await converse(single, `${clients} ${index}`)))
      plain.push(...(await converse(alone, `${clients} ${index}`)))
    }
  }
  await Promise.all(Array.from({ length: clients }, lane))
  const share = (all: readonly Turn[]) => `${((100 * all.filter(isWarm).length) / all.length).toFixed(1)} %`
  const firstToken = (all: readonly Turn[]) => median(all.filter(isWarm).map(({ firstTokenMs }) => firstTokenMs))
  console.log(
    `${clients} at a time: warm turns ${share(ours)} of ${ours.length} in the cluster, ${share(theirs)} on one node; ` +
      `their first token ${firstToken(ours).toFixed(1)} and ${firstToken(theirs).toFixed(1)} ms (${(firstToken(ours) / firstToken(theirs)).toFixed(2)} ×); ` +
      `${firstToken(plain).toFixed(1)} ms on one node without PostgreSQL`,
  )
}

async function start(role: string, more: Readonly<Record<string, string>>, name = role): Promise<ServiceProcess> {
  const settings = { root, dataFolder: join(folder, name), leaseMs: 6000, logLevel: 'warn', environment: more } as const
  const service = parts.use(new ServiceProcess({ ...settings, flags: { role, 'text-slots': '16' } }))
  await service.start()
  return service
}

/** All turns of one conversation but its first. */
async function converse(node: ServiceProcess, name: string): Promise<readonly Turn[]> {
  const messages: Message[] = [{ role: 'system', content: `Conversation ${name}. ${reminder}` }]
  const later: Turn[] = []
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', content: `What is ${turn} and ${turn}?` })
    const answer = await ask(node, messages)
    messages.push({ role: 'assistant', content: answer.text })
    if (turn > 0) later.push(answer)
  }
  return later
}

function isWarm({ cached, prompt }: Turn): boolean {
  return cached >= prompt * 0.8
}

async function ask({ url, token }: ServiceProcess, messages: readonly Message[]): Promise<Turn> {
  const body = JSON.stringify({
    model: 'sepia-mini-chat',
    messages,
    max_tokens: 6,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  })
  const startedAt = performance.now()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token || api.token}`, 'content-type': 'application/json' },
    body,
  })
  if (!response.ok || response.body === null) throw new Error(`The node answered ${response.status}: ${await response.text()}`)
  let [text, seen, firstTokenMs] = ['', '', 0]
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    seen += piece
    if (firstTokenMs === 0 && /"content":"[^"]/.test(seen)) firstTokenMs = performance.now() - startedAt
  }
  let [cached, prompt] = [0, 1]
  for (const line of seen.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const chunk = JSON.parse(line.slice(6))
    text += chunk.choices?.[0]?.delta?.content ?? ''
    if (chunk.usage == null) continue
    prompt = chunk.usage.prompt_tokens
    cached = chunk.usage.prompt_tokens_details?.cached_tokens ?? 0
  }
  return { firstTokenMs, cached, prompt, text }
}
