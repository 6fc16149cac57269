/**
 * Writes what a release leaves behind, for the test of the next one's upgrade: accounts, tokens, finished, cancelled and pending work,
 * conversations, files and batches, and what each of them answered; the service is killed with work running and waiting.
 *
 * Run it in a checkout of that release: `node …/test/upgrade/make-data-folder.ts <archive to write, .tar.gz>`.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import type { KnownState, Reading } from './known-state.ts'
import { Visitor } from './visitor.ts'

const [archive] = process.argv.slice(2)
if (archive === undefined) throw new Error('Say where the archive goes.')

await using folder = await createTemporaryFolder()
const data = join(folder.path, 'data')
await using service = await startService(data, '--lease', '10s')
const token = /sepia_[A-Za-z0-9]+/.exec(service.greeting)?.[0] ?? ''
const code = /\/console\/join#(\S+)/.exec(service.greeting)?.[1] ?? ''
const owner = new Visitor(service.url, { token })
const password = 'a long enough pass phrase'

await owner.joinConsole({ code, name: 'Ada', email: 'ada@example.com', password })
const invitation = await owner.send('POST', '/console/api/invitations', { role: 'member' })
const member = new Visitor(service.url, { token: null })
await member.joinConsole({ code: invitation.code, name: 'Grace', email: 'grace@example.com', password })
const made = await member.send('POST', '/console/api/tokens', { name: 'laptop', scopes: ['text', 'image', 'read'] })
member.token = made.text
const people = await owner.send('GET', '/console/api/people')
const grace = people.accounts.find(({ name }) => name === 'Grace')
await owner.send('PATCH', `/console/api/accounts/${grace?.id}`, { limits: { requestsPerMinute: 600, tokensPerMonth: 1_000_000 } })

const chat = {
  model: 'sepia-mini-chat',
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
  temperature: 0,
  max_tokens: 16,
}
const picture = { prompt: 'a glossy tiger on a light blue background', seed: 1, steps: 2 }
await owner.send('POST', '/v1/chat/completions', chat)
const conversation = 'conversation000000000001'
const turn = 'turn00000000000000000001'
await owner.send('PUT', `/console/api/conversations/${conversation}`, { title: 'Capitals', pinned: true, leaf: turn })
const said = { role: 'user', content: 'What is the capital of France?', files: [], state: 'done', at: Date.now() }
await owner.send('PUT', `/console/api/conversations/${conversation}/turns/${turn}`, said)
const kept = await owner.send('POST', '/v1/responses', { model: 'sepia-mini-chat', input: 'Hello!', max_output_tokens: 8, temperature: 0 })
const finished = await owner.submit('/v1/chat/completions', chat)
const drawn = await member.submit('/generate/sdxl', picture)
for (const [visitor, id] of [
  [owner, finished],
  [member, drawn],
] as const)
  await visitor.awaitEnd(id)
const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body: chat }
const file = await owner.upload('/v1/files', { purpose: 'batch', file: `${JSON.stringify(line)}\n` })
const requested = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }
const { id } = await owner.send('POST', '/v1/batches', requested)
const batch = await owner.awaitStatus(`/v1/batches/${id}`, 'completed')

const long = await owner.submit('/generate/sdxl', { ...picture, steps: 100 })
await owner.awaitStatus(`/v1/requests/${long}`, 'running')
const waiting = [
  await owner.submit('/generate/sdxl', { ...picture, seed: 2 }),
  await member.submit('/generate/sdxl', { ...picture, seed: 3 }),
]
const cancelled = await owner.submit('/generate/sdxl', { ...picture, seed: 4 })
await owner.send('DELETE', `/v1/requests/${cancelled}`)

const readings: Reading[] = []
for (const path of [
  `/v1/requests/${finished}`,
  `/v1/responses/${finished}`,
  `/v1/requests/${cancelled}`,
  `/v1/responses/${kept.id}`,
  `/v1/files/${file.id}`,
  `/v1/files/${file.id}/content`,
  `/v1/batches/${batch.id}`,
  `/v1/files/${batch.output_file_id}/content`,
  '/console/api/session',
  '/console/api/tokens',
  '/console/api/people',
  '/console/api/audit',
  `/console/api/conversations/${conversation}`,
])
  readings.push({ by: 'owner', path, body: await owner.read(path) })
for (const path of [`/v1/requests/${drawn}`, `/v1/responses/${drawn}`, '/console/api/session'])
  readings.push({ by: 'member', path, body: await member.read(path) })

const known: KnownState = {
  at: Date.now(),
  people: { owner: { ...owner.credentials, email: 'ada@example.com' }, member: { ...member.credentials, email: 'grace@example.com' } },
  password,
  readings,
  unfinished: [
    { by: 'owner', id: long },
    { by: 'owner', id: waiting[0] ?? '' },
    { by: 'member', id: waiting[1] ?? '' },
  ],
}
await service.kill()
await writeFile(join(folder.path, 'known.json'), JSON.stringify(known, null, 1))
execFileSync('tar', ['-czf', archive, '-C', folder.path, 'data', 'known.json'])
console.log(`${archive}: ${readings.length} answers, ${known.unfinished.length} requests without an end.`)
