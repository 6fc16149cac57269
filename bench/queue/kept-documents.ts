/**
 * How many growing writes a second does an account get that already has 100 000 documents?
 *
 * The rival is the same store without its maintained sums: every write sums the documents of the account.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { Connection } from '../../src/storage/sqlite/connection.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { describeMachine, describeRate, measureRate } from '../measure.ts'

const kept = 100_000
const rounds = 3
const options = { signal: new AbortController().signal }

const folder = await mkdtemp(join(tmpdir(), 'sepia-bench-'))
const file = join(folder, 'sepia.db')
const open = () => openSqliteStore({ file, clock: createSystemClock(), limits: { maxPending: 1 }, mode: 'service' })
let written = 0

async function fill(): Promise<void> {
  await (await open())[Symbol.asyncDispose]()
  using connection = new Connection(file)
  connection.script(`insert into documents (kind, id, account_id, value, at, text, attached_bytes, expires_at, version, bytes)
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${kept})
    select 'conversation', 'kept' || n, 'a', '"hello"', n, 'hello', 0, iif(n % 2 = 0, null, 9000000000000 + n), 1, 100 from number`)
}

async function measure(): Promise<string> {
  await using store = await open()
  const write = () => {
    const id = `new${written++}`
    const document = { kind: 'conversation', id, accountId: 'a', value: id, at: 1, label: null, text: id } as const
    return store.documents.put({ ...document, attachedBytes: 0, expiresAt: null }, { ...options, most: 1e12 })
  }
  await measureRate(50, 8, write)
  return describeRate(await measureRate(300, 8, write))
}

/** The earlier way of a write: the sum of all documents of the account. */
async function measureSummed(): Promise<string> {
  using connection = new Connection(file, { readOnly: true })
  const sql = `select count(*) as count, coalesce(sum(bytes), 0) as bytes from documents indexed by documents_account_before
    where account_id = 'a' and (expires_at is null or expires_at > :now)`
  await using store = await open()
  const write = () => {
    const id = `new${written++}`
    const document = { kind: 'conversation', id, accountId: 'a', value: id, at: 1, label: null, text: id } as const
    connection.get(sql, { now: Date.now() })
    return store.documents.put({ ...document, attachedBytes: 0, expiresAt: null }, { ...options, most: 1e12 })
  }
  await measureRate(50, 8, write)
  return describeRate(await measureRate(300, 8, write))
}

try {
  await fill()
  {
    using connection = new Connection(file)
    connection.script('create index documents_account_before on documents (account_id, kind, bytes, expires_at)')
  }
  console.log(describeMachine())
  for (let round = 1; round <= rounds; round++) {
    console.log(`round ${round}: summed at every write ${await measureSummed()}`)
    console.log(`round ${round}: kept sums            ${await measure()}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
