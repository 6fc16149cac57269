/**
 * Run as a process of its own while the service is paused: does what another node of a cluster would do. It moves
 * inferences on whose lease has run out, takes the first of them and completes it with bytes of its own.
 * Prints `{"swept": n, "completed": [{"id", "sha256"}]}`.
 */
import { join } from 'node:path'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openFilesystemOutputs } from '../../src/storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'

const [dataFolder = ''] = process.argv.slice(2)
const options = { signal: new AbortController().signal }
const clock = createSystemClock()
const limits = { maxPending: Number.MAX_SAFE_INTEGER }
await using store = await openSqliteStore({ file: join(dataFolder, 'sepia.db'), clock, limits, mode: 'tool' })
const outputs = await openFilesystemOutputs({ folder: join(dataFolder, 'outputs'), clock })

const { requeued } = await store.queue.sweep({ maxQueueMs: 86_400_000, spared: [] }, options)
const completed: { readonly id: string; readonly sha256: string }[] = []
const rooms = ['sepia-mini-image', 'sepia-mini-chat'].map((model) => ({ model, room: 1 }))
const claims = requeued > 0 ? await store.queue.claim({ workerId: 'rival', rooms, limit: 1, leaseMs: 60_000 }, options) : []
for (const claim of claims) {
  const bytes = Buffer.from(JSON.stringify({ rival: claim.inference.id }))
  const key = { inferenceId: claim.inference.id, attempt: claim.attempt }
  const output = await outputs.put(key, { contentType: 'application/json', chunks: [bytes] }, options)
  const answer = await store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: null }, options)
  if (answer === 'completed') completed.push({ id: claim.inference.id, sha256: output.sha256 })
}
console.log(JSON.stringify({ swept: requeued, completed }))
