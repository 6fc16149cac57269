import { Pool } from 'pg'

/** The writes of the store, without the store: prepared statements over `pg` on its tables. */
export interface BareStatements extends AsyncDisposable {
  /** Takes so many and completes them, each in one statement; how many it got. */
  claimAndComplete(count: number): Promise<number>
}

const take = `update queue set running = true, attempt = attempt + 1, worker_id = 'bare', lease_until = $1, started_at = $1
  from (select id from queue where not running and model = 'fake-image' order by priority desc, tag, seq limit $2 for update skip locked) as next
  where queue.id = next.id returning queue.id, attempt, body`

/** The record, the output and, by triggers, the sums. */
const complete = `with gone as (delete from queue using unnest($1::uuid[]) as ended (id) where queue.id = ended.id and running returning queue.id, account_id, attempt),
  recorded as (
    update inferences as record set attempt = gone.attempt, outcome = 'succeeded', output_key = 'k', content_type = 'application/json', output_bytes = 2,
      output_sha256 = repeat('ab', 32), started_at = $2, completed_at = $2, expires_at = $2
    from gone where record.id = gone.id)
  insert into stored_outputs (id, account_id, output_key, bytes, expires_at) select id, account_id, 'k', 2, $2 from gone`

/** @param url A database of the store's, with work waiting. */
export async function startBareStatements(url: string): Promise<BareStatements> {
  // Keys are found by their indexes, as in the store.
  const options =
    '-c synchronous_commit=on -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off'
  const pool = new Pool({ connectionString: url, max: 8, options })
  return {
    async claimAndComplete(count) {
      const { rows } = await pool.query<{ readonly id: string }>({ name: 'take', text: take, values: [Date.now(), count] })
      if (rows.length > 0) await pool.query({ name: 'complete', text: complete, values: [rows.map(({ id }) => id), Date.now()] })
      return rows.length
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
