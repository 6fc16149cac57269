import assert from 'node:assert/strict'
import { it } from 'node:test'
import { claimNext, succeed } from '../../../test/conformance/claiming.ts'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { makeSubmission } from '../../../test/support/submission.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { Account } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import { noLimits } from '../../core/limits/use-limits.ts'
import { checkOutputs } from './check-outputs.ts'

const options = { signal: new AbortController().signal }
const account: Account = { id: 'a', name: 'A', email: null, role: 'owner', createdAt: 0, disabledAt: null, limits: noLimits }

it('finds outputs that are missing or damaged, and looks for none that have expired', async () => {
  const clock = createTestClock()
  await using store = createMemoryStore({ clock, limits: { maxPending: 10 } })
  const outputs = createMemoryOutputs({ clock })
  await store.accounts.create(account, options)
  const ids: string[] = []
  for (const text of ['whole', 'lost', 'damaged']) {
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    const name = { inferenceId: claim.inference.id, attempt: claim.attempt }
    const output = await outputs.put(name, { contentType: 'text/plain', chunks: [Buffer.from(text)] }, options)
    await succeed(store.queue, claim, output)
    if (text === 'lost') await outputs.delete([output.key], options)
    if (text === 'damaged') await outputs.put(name, { contentType: 'text/plain', chunks: [Buffer.from('Damaged')] }, options)
    ids.push(name.inferenceId)
  }
  const [, ...faulty] = ids
  const { checked, damaged } = await checkOutputs({ ...store, outputs, now: clock.now() }, options)
  assert.equal(checked, 3)
  assert.deepEqual(damaged.toSorted(), faulty.toSorted())
  assert.deepEqual(await checkOutputs({ ...store, outputs, now: clock.now() + 25 * 3_600_000 }, options), { checked: 0, damaged: [] })
})

it('takes nothing for damaged that a store which is away does not give', async () => {
  const clock = createTestClock()
  await using store = createMemoryStore({ clock, limits: { maxPending: 10 } })
  const outputs = createMemoryOutputs({ clock })
  await store.accounts.create(account, options)
  await store.queue.enqueue(makeSubmission(), options)
  await succeed(store.queue, await claimNext(store.queue))
  const away = new ServiceError('server_is_overloaded', 'The store of outputs did not respond in time; try again later.')
  const checked = checkOutputs({ ...store, outputs: { ...outputs, open: () => Promise.reject(away) }, now: clock.now() }, options)
  await assert.rejects(checked, away)
})
